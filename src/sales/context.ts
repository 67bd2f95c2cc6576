import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Database } from '#src/storage/database.ts'
import type { OrderPolicy } from './order.ts'
import type { Links, Post, Shop, TestKeys } from './ports.ts'
import type { Reached } from './steps.ts'

export type SalesPolicy = OrderPolicy & {
  /** When a payment is read back: first, then while the buyer may be at it, then until it has come to something. */
  pollFirstMs: number
  pollEveryMs: number
  pollSlowlyMs: number
  /** Whoever has taken on an errand and is silent for so long is followed by another. Longer than any call it makes. */
  leaseMs: number
  mailDeadlineMs: number
  mailFinishMs: number
  paymentDeadlineMs: number
  givingWayWaitMs: number
  /** How long a mail that was not taken waits, attempt by attempt; the last for all after it. */
  mailRetryMs: readonly number[]
  /** The same for money. */
  moneyRetryMs: readonly number[]
  /** Money that could not be taken for so long, and is known not to have been, is lost. */
  captureForMs: number
  /** Money that could not be taken for so long wants an operator, while the reservation stands. */
  captureAlarmMs: number
  /** Money that could not be given back for so long wants an operator. */
  refundAlarmMs: number
  /** A reservation that could not be let go for so long, since it was to be, does so too. */
  cancelAlarmMs: number
  /** Payments that were taken: how often it is seen to that they are read back, after how long each, and how many wait for it. */
  lookAgain: { everyMs: number; afterMs: number; waitingMax: number }
  /** Unpaid orders, besides renewals; from one network; and those that give way and are not let go yet. */
  unpaidMax: number
  unpaidPerNetworkMax: number
  givingWayMax: number
  /** Payments read back at once, and in a second, by one process. */
  readsAtOnce: number
  readsPerSecond: number
  /** Replacements of one chain in a day, which is also how many links for a lost key lie open, and those of one address. */
  replacementsPerDay: number
  linkMailsPerDay: number
  /** Between links for a key that leaked, for each that lies open. */
  leakedLinkEveryMs: number
  linkValidMs: number
  /** A key that was lost works so long after the mail with its successor was taken. */
  lostKeyMs: number
  replacementsWaitingMax: number
  /** Mails with a test key to one address, from one network and in all, in a day; how many may wait, for how long, and how long after a refusal. */
  testKeys: {
    perAddressPerDay: number
    perNetworkPerDay: number
    perDayMax: number
    waitingMax: number
    mailForMs: number
    retryMs: number
  }
  /** Days before the end at which a reminder is due. */
  reminderDays: readonly number[]
  /** A reminder's link still renews so long after the end. */
  renewForMs: number
  /** How many payments, errands, … are taken up in one look, and how many of them at a time. */
  pageSize: number
  atOnce: number
  retention: {
    hashAfterMs: number
    addressAfterMs: number
    unpaidAddressAfterMs: number
    eventsAfterMs: number
    accountingYears: number
  }
}

/** What the parts of the sale work with. */
export type SalesContext = {
  db: Database
  clock: Clock
  log: Log
  /** Null where nothing is sold: keys are replaced all the same. */
  shop: Shop | null
  post: Post
  testKeys: TestKeys
  links: Links
  /** The domain of message ids. */
  mailDomain: string
  policy: SalesPolicy
  reached: Reached
}
