import { randomUUID } from 'node:crypto'
import { networkOf } from '#src/core/client-network.ts'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { type Each, uncounted } from '#src/core/repeat.ts'
import { DAY_MS } from '#src/core/units.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import {
  askForTestKey,
  dropOldTestKeyWishes,
  endTestKeyWish,
  postponeTestKeyWish,
  type TestKeyWish,
  takeTestKeyWish,
} from '#src/storage/test-key-wishes.ts'
import type { SalesContext } from './context.ts'
import { TooManyWishesError } from './errors.ts'
import { sendLetter } from './mailing.ts'

/**
 * Somebody asks for a test key to this address. The answer is the same however often it was asked for: an address is mailed
 * so many in a day, and no more, whoever asks from wherever, and a network uses up its own share of what all may ask (P106).
 *
 * @throws InputError when it is no address; TooManyWishesError when too many wait, or were mailed today, to whomever, by this
 *   network or by all
 */
export async function requestTestKey(
  { db, clock, policy, testKeys }: SalesContext,
  given: string,
  ip: string,
): Promise<void> {
  const epost = parseEmailAddress(given)
  const avtrykk = testKeys.fingerprintOf(epost)
  const nettverk = testKeys.networkFingerprintOf(networkOf(ip))
  // The secret is in the database: until that has been reached, nothing can be written either.
  if (avtrykk === null || nettverk === null) throw new StorageUnavailableError(null)
  const { perAddressPerDay, perNetworkPerDay, waitingMax, perDayMax } = policy.testKeys
  const outcome = await askForTestKey(db, { epost, avtrykk, nettverk }, clock.now(), {
    perAddress: perAddressPerDay,
    perNetwork: perNetworkPerDay,
    waiting: waitingMax,
    inAll: perDayMax,
  })
  if (outcome === 'for_mange') throw new TooManyWishesError()
}

/**
 * Mails what was asked for, each at most once: one that may have gone is not sent again, since whoever misses it asks for
 * another. Safe to run twice, also at once: a wish is taken by one.
 */
export async function mailTestKeys(
  context: SalesContext,
  { signal, each = uncounted }: { signal: AbortSignal; each?: Each },
): Promise<void> {
  const { db, clock, policy, testKeys } = context
  for (let mailed = 0; mailed < policy.pageSize && !signal.aborted; mailed += 1) {
    const key = testKeys.mint()
    if (key === null) throw new StorageUnavailableError(null)
    const wish = await takeTestKeyWish(db, clock.now())
    if (wish === null) return
    await each(() => mailTestKey(context, { key, wish }, signal))
  }
}

async function mailTestKey(
  context: SalesContext,
  { key, wish }: { key: NonNullable<ReturnType<SalesContext['testKeys']['mint']>>; wish: TestKeyWish },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, policy, mailDomain } = context
  const outcome = await sendLetter(
    context,
    {
      kind: 'test_key',
      to: wish.epost,
      key: key.token,
      keyId: key.id,
      expires: key.utloper,
      messageId: `<testnokkel.${randomUUID()}@${mailDomain}>`,
    },
    signal,
  )
  const isRefused = outcome !== 'accepted' && outcome !== 'unknown' && outcome !== 'refused_recipient'
  if (!isRefused) await endTestKeyWish(db, wish.id)
  else await postponeTestKeyWish(db, wish.id, new Date(clock.now().getTime() + policy.testKeys.retryMs))
}

/** Addresses that nobody could mail to for so long, and what was counted a day ago. */
export async function forgetTestKeyWishes({ db, clock, policy }: SalesContext): Promise<void> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  await dropOldTestKeyWishes(db, { addresses: ago(policy.testKeys.mailForMs), counts: ago(DAY_MS) })
}
