import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'

/** Keys, and how they are bought, paid for and mailed. */
export const salePolicy = {
  vipps: {
    connectTimeoutMs: 2000,
    /** Payments that are read back (`sales.readsAtOnce`), and beside them those that are made, taken and let go. */
    connectionsMax: 48,
    /** Of one who asks, so that another finds one: all that are read back at once. */
    forOneMax: 32,
    /** A payment is 1 kB. A page of a day’s report is the longest: some hundred bytes a line. */
    bodyBytesMax: 2 * 1024 * 1024,
    /** An event is half a kB. Vipps waits ten seconds for its 200. */
    webhookBytesMax: 16 * 1024,
    /** A registration nobody answered for two weeks is deleted at Vipps. */
    webhooksCheckedEveryMs: DAY_MS,
    /** Whoever looks at the registrations has this long before another may. */
    webhookTurnMs: 5 * MINUTE_MS,
    /** Vipps delivers a message again for up to seven days; so long is the secret it was signed with believed. */
    webhookOverlapMs: 7 * DAY_MS,
    /** A registration made by another process is known here after this; Vipps tries again after two seconds, four times. */
    webhookSecretsHeldMs: 2000,
  },
  sales: {
    /** Vipps' own guideline: from 5 s on, every 2 s; it takes 120 questions a minute about one payment. */
    pollFirstMs: 5000,
    pollEveryMs: 2000,
    /** A payment lives ten minutes; what is not settled then is looked at now and again. */
    paymentWindowMs: 12 * MINUTE_MS,
    pollSlowlyMs: MINUTE_MS,
    /** How often the database is asked for payments to read back and for errands that are due. It is two index look-ups. */
    lookEveryMs: 1000,
    /** After the database could not be asked. */
    retryMs: 5000,
    pageSize: 50,
    atOnce: 4,
    /** Whoever dies with an errand is followed by another after this; no call to a mail server or to Vipps takes longer. */
    leaseMs: 40_000,
    mailDeadlineMs: 30_000,
    /** A mail under way when the process is told to end. */
    mailFinishMs: 3000,
    paymentDeadlineMs: 12_000,
    /** Somebody waits for the first of them: a mail server that comes and goes for a minute or two costs a minute or two. */
    mailRetryMs: [
      MINUTE_MS / 2,
      MINUTE_MS,
      2 * MINUTE_MS,
      5 * MINUTE_MS,
      15 * MINUTE_MS,
      HOUR_MS,
      2 * HOUR_MS,
    ],
    moneyRetryMs: [2000, 5000, 30_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS],
    /** Mail servers are away for a weekend. Visa stands by a reservation for seven days, and so does BankAxept. */
    deliverForMs: 3 * DAY_MS,
    captureMarginMs: 6 * HOUR_MS,
    captureForMs: 7 * DAY_MS,
    /** The customer has the key, and the reservation stands for days yet: an operator can take the money in Vipps' portal. */
    captureAlarmMs: DAY_MS,
    otherAddressMs: DAY_MS,
    /** Vipps' own bound is 365 days; some hours are for the way. */
    refundForMs: 364 * DAY_MS,
    /** Money that could not be given back for so long wants an operator; it is tried on. */
    refundAlarmMs: HOUR_MS,
    /** So does a reservation nobody could let go. */
    cancelAlarmMs: HOUR_MS,
    /**
     * A key whose money was given back in Vipps' portal works on, and the message that would tell of it may be lost: what was taken is
     * read back once a week, at the moment of it at which it was taken, however many work. As many as are
     * read in ten seconds wait for it at most: whoever buys meanwhile waits for no more.
     */
    lookAgain: { everyMs: 10 * MINUTE_MS, afterMs: 7 * DAY_MS, waitingMax: 1000 },
    addressesMax: 5,
    /** Orders nobody has paid: more than a shop sells in a day, and than an office opens in ten minutes. Beyond it old ones go. */
    unpaidMax: 2000,
    unpaidPerNetworkMax: 10,
    /** Whoever pushes others out lets them go; so many are left over only while Vipps can not be heard. */
    givingWayMax: 2000,
    /** With the time for a payment that is made after it less than `http.connectionTimeoutMs`: who orders is answered while Vipps is silent. */
    givingWayWaitMs: 4000,
    /**
     * Vipps takes 120 questions a minute about each payment and names no bound for all of them. 2,000 unpaid orders are gone
     * round in 20 s at 100 a second, and in 30 s when each answer takes half a second: a key comes within 60 s.
     */
    readsAtOnce: 32,
    readsPerSecond: 100,
    replacementsPerDay: 3,
    linkMailsPerDay: 6,
    /** The second comes ten minutes after the first, the third twenty after that, …: seventeen a day to one address, whoever asks. */
    leakedLinkEveryMs: 10 * MINUTE_MS,
    linkValidMs: DAY_MS,
    lostKeyMs: DAY_MS,
    replacementsWaitingMax: 10_000,
    /**
     * Keys to the sandbox. Whoever wants to fill mailboxes has three a day for each, and 50 from one network, so that nobody
     * uses up the 2,000 of all alone; a second lot of readers has to wait for the next day, and has the key that is everybody's.
     */
    testKeys: {
      validDays: 90,
      /** Of those that were ended, read in one question: a few milliseconds. */
      endedAtOnce: 1000,
      perAddressPerDay: 3,
      perNetworkPerDay: 50,
      perDayMax: 2000,
      waitingMax: 500,
      mailForMs: HOUR_MS,
      forgetEveryMs: 5000,
      retryMs: MINUTE_MS,
    },
    reminderDays: [30, 7, 1, 0],
    remindEveryMs: 10 * MINUTE_MS,
    renewForMs: 30 * DAY_MS,
    retainEveryMs: 6 * HOUR_MS,
    /** Whether a look at our registrations at Vipps is due: one row in PostgreSQL, read. */
    webhooksEveryMs: 15_000,
    retention: {
      hashAfterMs: 30 * DAY_MS,
      addressAfterMs: 90 * DAY_MS,
      /** An order that came to nothing: long enough for a question about it. */
      unpaidAddressAfterMs: 30 * DAY_MS,
      eventsAfterMs: 30 * DAY_MS,
      /** After the end of the year of the sale (bokføringsloven § 13). */
      accountingYears: 5,
    },
  },
  mail: {
    /** A sale is a few mails; a burst of reminders goes over the same two. */
    connectionsMax: 2,
    mailsPerConnectionMax: 100,
    /** Name, connection, greeting and TLS together. What is not there by then is tried again later. */
    connectTimeoutMs: 10_000,
    /** Silence of the server. Below the deadline of a whole mail, so that it is this that tells how a mail was lost. */
    silenceMs: 20_000,
    /** Servers wait five minutes; a connection nobody uses need not be held half as long. */
    idleMs: 60_000,
    /** Mails given over and not yet answered for. Beyond it they are refused, and come again from where they were. */
    waitingMax: 200,
    /** What is under way at a shutdown gets so long to come to its answer: one that does not is of unknown outcome. */
    finishMs: 3000,
    /** Without a mail server each mail is a file; beyond this the oldest go. */
    filesMax: 1000,
  },
  keys: {
    verifiedMax: 10_000,
    rejectedMax: 10_000,
    rejectedForMs: 60_000,
    /** A verified key is re-checked in the background after this … */
    recheckAfterMs: 30_000,
    /** … and before it is used after this: the promised bound on revocation. */
    trustedForMs: 60_000,
    /** With PostgreSQL away a known key keeps working this long after its last good check. */
    staticForMs: 15 * 60_000,
    /** First uses under way to PostgreSQL and back, all in one or two questions; in line for it, over all networks. */
    lookupsAtOnce: 500,
    lookupsQueueMax: 2000,
    questionsAtOnce: 2,
    keysPerQuestion: 500,
    /** One argon2 run is 15 ms of a core and 19 MiB; it shares the thread pool with DNS look-ups. */
    argon2AtOnce: 1,
    /**
     * More than are run in the time they wait, so that it is the time that bounds them: networks have equal turns, and of the
     * one with the most waiting the last are turned away.
     */
    argon2QueueMax: 400,
    argon2WaitMs: 2000,
    /** Wrong secrets for one key from one network that are looked at within a while: nobody has five wrong copies of a key. */
    missesMax: 5,
    missesForMs: MINUTE_MS,
    missersMax: 10_000,
    /**
     * That a key is wrong is told at the next of moments so far apart, counted from the question: longer than a look-up and an
     * argon2 run take together (17 ms, and 90 ms on a machine with four times as much to do as it can), so that all are told
     * at the first of them.
     */
    wrongAnswerMs: 250,
    /**
     * A key's sessions in browsers: half a day, and so many at once that an office has room. With PostgreSQL away a session goes on
     * as long as a known key does.
     */
    sessions: {
      sessionMs: 12 * HOUR_MS,
      perKeyMax: 50,
      questionsAtOnce: 2,
      sessionsPerQuestion: 500,
      rememberedMax: 10_000,
      rememberedForMs: 15 * 60_000,
    },
    /**
     * Keys a holder has made beside the one that was bought: a program or a colleague each, and so many in all that each is
     * made anew every month of the year and no table is filled with them. When the bought one leaked there are as many anew, whoever has
     * used them up: ten times.
     */
    named: { inUseMax: 10, madeMax: 150, madeInAllMax: 1500, endedShownMax: 20 },
    /** How often the day a key was last used is written, and of how many keys at most. */
    lastUsed: { everyMs: MINUTE_MS, keysMax: 10_000 },
    /** How often the line on which PostgreSQL tells of changed keys is proven, and how soon a broken one is made anew. */
    changesHeartbeatMs: 10_000,
    changesRetryMs: 1000,
  },
} as const
