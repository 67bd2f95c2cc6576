import { parseKeptAddress } from '#src/core/email-address.ts'
import { DAY_MS } from '#src/core/units.ts'
import { lockChain, revokeChain } from '#src/storage/chain-lock.ts'
import { ownerOfKey } from '#src/storage/changes/owner.ts'
import type { Queryable } from '#src/storage/database.ts'
import { type Errand, isErrandOpen, putNextErrand } from '#src/storage/errands.ts'
import { findChainOfKey, findChainsByAddress, type KeyChain } from '#src/storage/key-chain.ts'
import { switchOffEndpoints } from '#src/storage/push/endpoints.ts'
import {
  askForReplacement,
  countReplacements,
  dropNeedlessWishes,
  endEarlierReplacements,
  findKeyLink,
  holdKeyLink,
  insertKeyLink,
  isAnyWish,
  type LostReason,
  markLinkUsed,
  openLinks,
  takeReplacementWish,
} from '#src/storage/replacements.ts'
import type { SalesContext } from './context.ts'
import { TooManyWishesError } from './errors.ts'
import { linkHash, mailErrand, makeLink, messageId } from './mailing.ts'

/**
 * `sendes`: the new key is on its way to the address the old one went to. `ugyldig_lenke`: no such link, or its time is over,
 * or there is no key left to replace. `for_mange`: it was replaced too often today, and has not leaked.
 */
export type Replacement = { utfall: 'sendes'; gjelder: string } | { utfall: 'ugyldig_lenke' | 'for_mange' }

/** The link was used, then, and does nothing more. */
type Used = { utfall: 'alt_byttet'; brukt: Date }

/** What became of a link of a mail. */
export type LinkFollowed = Replacement | Used

/**
 * Somebody who gives this address asks for a new key. The answer, and the work until it, are the same whether the address is
 * known or not; what is known is found out in the background, and only the mailbox learns of it.
 *
 * @throws InputError when it is no address; TooManyWishesError, whoever's it is, when too many wait to be looked into
 */
export async function requestReplacement(
  { db, clock, policy }: SalesContext,
  epost: string,
  grunn: LostReason,
): Promise<void> {
  const wish = { epost: parseKeptAddress(epost), grunn }
  const isWritten = await askForReplacement(db, wish, clock.now(), policy.replacementsWaitingMax)
  if (!isWritten) throw new TooManyWishesError()
}

/**
 * Looks into what was asked, at most `pageSize` of it: a mail with a link for each chain of keys of the address.
 *
 * A stranger may ask as well, so mails are bounded, and no bound leaves the owner without a way (P45): a chain that has no open
 * link gets one. Beyond that there are some for a lost key. What leaked can not wait, and is not counted with what was lost:
 * there is a link at once, and each that lies unused in the mailbox, of whichever of its keys, makes the time to the next one
 * longer. That is of the key whose newest is the oldest.
 *
 * Where many keys go to one address, those that have been without a link for longest have one each time: whoever asks again comes to
 * all of them, however many have been bought for the address since.
 */
export async function lookIntoWishes({ db, clock, policy }: SalesContext): Promise<void> {
  const at = clock.now()
  if (!(await isAnyWish(db))) return
  await dropNeedlessWishes(db)
  for (let looked = 0; looked < policy.pageSize; looked += 1) {
    const isMore = await db.transaction(async (connection) => {
      const wish = await takeReplacementWish(connection, at)
      if (wish === null) return false
      await mailLinks(connection, policy, wish, at)
      return true
    })
    if (!isMore) return
  }
}

async function mailLinks(
  connection: Queryable,
  policy: SalesContext['policy'],
  { epost, grunn }: { epost: string; grunn: LostReason },
  at: Date,
): Promise<void> {
  const since = new Date(at.getTime() - policy.linkValidMs)
  const chains = await findChainsByAddress(connection, epost, at, CHAINS_MAX)
  const all = { kjeder: chains.map(({ kjede }) => kjede), grunn }
  const before = await openLinks(connection, all, since)
  const turns = longestWithout(chains, before).slice(0, LINKS_MAX)
  // By name, as everybody who holds several takes them.
  for (const kjede of turns.map((chain) => chain.kjede).sort()) await lockChain(connection, kjede)
  const open = await openLinks(connection, all, since)
  let ofAddress = [...open.values()].reduce((sum, { count }) => sum + count, 0)
  let newestMs = Math.max(0, ...[...open.values()].map(({ newest }) => newest.getTime()))
  for (const { kjede, nokkel } of longestWithout(turns, open)) {
    const links = open.get(kjede)
    const isDue =
      links === undefined ||
      (grunn === 'lekket'
        ? at.getTime() - newestMs >= ofAddress * policy.leakedLinkEveryMs
        : links.count < policy.replacementsPerDay && ofAddress < policy.linkMailsPerDay)
    if (!isDue) continue
    await putNextErrand(connection, { slag: 'lenke', gjelder: kjede, nokkel, grunn }, at)
    ofAddress += 1
    newestMs = at.getTime()
  }
}

/** Those without a link first, the newest of them before all; then those whose newest link is the oldest. */
function longestWithout(
  chains: readonly KeyChain[],
  open: ReadonlyMap<string, { newest: Date }>,
): KeyChain[] {
  const newestOf = (kjede: string) => open.get(kjede)?.newest.getTime() ?? 0
  return chains.toSorted((one, other) => newestOf(one.kjede) - newestOf(other.kjede))
}

/** Mails the link that begins a replacement. Safe to run twice: each mail has a link of its own. */
export async function sendReplacementLink(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, policy, links } = context
  const { nokkel, grunn } = errand
  await mailErrand(context, errand, {
    signal,
    // Whoever asked has gone, or asked again.
    giveUpAfterMs: policy.linkValidMs,
    async write(claimed, at) {
      const chain = nokkel === null ? null : await findChainOfKey(db, nokkel, at)
      if (chain === null || chain.epost === null || !chain.isAlive || grunn === null) return null
      const { token, hash } = makeLink()
      const validUntil = new Date(at.getTime() + policy.linkValidMs)
      const isStored = await db.transaction(async (connection) => {
        await lockChain(connection, chain.kjede)
        // A replacement since it was taken on has ended it, with the links there were.
        if (!(await isErrandOpen(connection, claimed))) return false
        await insertKeyLink(connection, { hash, slag: 'erstatt', nokkel: chain.nokkel, grunn, validUntil })
        return true
      })
      if (!isStored) return null
      return {
        kind: 'replacement_link',
        to: chain.epost,
        keyId: chain.nokkel,
        reason: grunn,
        url: links.replace(token),
        validUntil,
        messageId: messageId(context, claimed),
      }
    },
  })
}

/** What a link of a mail stands for, for the page with the button. Opening it changes nothing. */
export async function readReplacement(
  { db, clock }: SalesContext,
  linkToken: string,
): Promise<{ utfall: 'kan_byttes' } | { utfall: 'ugyldig_lenke' } | Used> {
  const at = clock.now()
  const link = await findKeyLink(db, linkHash(linkToken), 'erstatt', at)
  if (link === null) return { utfall: 'ugyldig_lenke' }
  if (link.brukt !== null) return { utfall: 'alt_byttet', brukt: link.brukt }
  const chain = await findChainOfKey(db, link.nokkel, at)
  return { utfall: chain?.isAlive === true ? 'kan_byttes' : 'ugyldig_lenke' }
}

/** The holder of the mailbox has pressed the button. Pressed twice it is one replacement. */
export async function confirmReplacement(
  { db, clock, policy }: SalesContext,
  linkToken: string,
): Promise<LinkFollowed> {
  const at = clock.now()
  const hash = linkHash(linkToken)
  const found = await findKeyLink(db, hash, 'erstatt', at)
  const chain = found === null ? null : await findChainOfKey(db, found.nokkel, at)
  if (chain === null) return { utfall: 'ugyldig_lenke' }
  return db.transaction(async (connection) => {
    await lockChain(connection, chain.kjede)
    // Looked at again: whoever held the chain may have replaced it, and ended this link.
    const link = await holdKeyLink(connection, hash, 'erstatt', at)
    if (link === null || link.grunn === null) return { utfall: 'ugyldig_lenke' }
    if (link.brukt !== null) return { utfall: 'alt_byttet', brukt: link.brukt }
    return startReplacement(connection, policy, chain, { grunn: link.grunn, link: hash }, at)
  })
}

/** An operator replaces a key. @returns null when there is no such key */
export async function replaceAsOperator(
  { db, clock, policy }: Pick<SalesContext, 'db' | 'clock' | 'policy'>,
  keyId: string,
  grunn: LostReason,
): Promise<Replacement | null> {
  const at = clock.now()
  return db.transaction(async (connection) => {
    const chain = await findChainOfKey(connection, keyId, at)
    return chain === null ? null : startReplacement(connection, policy, chain, { grunn, link: null }, at)
  })
}

/**
 * A key that leaked is over with this, and what was sent elsewhere with it is not sent any more; one that was lost goes on until the
 * new one is there. Every other link that could have begun a replacement is over too, and every key that waits to be mailed: whoever
 * else has one can not undo this.
 *
 * @param link the one it is begun with, which stays, as used
 */
async function startReplacement(
  connection: Queryable,
  policy: SalesContext['policy'],
  { kjede, nokkel, epost }: KeyChain,
  { grunn, link }: { grunn: LostReason; link: Buffer | null },
  at: Date,
): Promise<Replacement> {
  await lockChain(connection, kjede)
  const chain = await findChainOfKey(connection, nokkel, at)
  if (chain === null || !chain.isAlive || epost === null) return { utfall: 'ugyldig_lenke' }
  const since = new Date(at.getTime() - DAY_MS)
  const isTooOften = (await countReplacements(connection, kjede, since)) >= policy.replacementsPerDay
  // What is in the hands of others is ended, whatever was replaced today.
  if (isTooOften && grunn !== 'lekket') return { utfall: 'for_mange' }
  if (link !== null) await markLinkUsed(connection, link, at)
  await endEarlierReplacements(connection, kjede, at)
  if (grunn === 'lekket') {
    await revokeChain(connection, kjede, at)
    await switchOffEndpoints(connection, (await ownerOfKey(connection, nokkel)) ?? kjede)
  }
  await putNextErrand(connection, { slag: 'erstatt', gjelder: kjede, nokkel, grunn }, at)
  return { utfall: 'sendes', gjelder: kjede }
}

/** Links that are mailed at once. */
const LINKS_MAX = 5
/** Chains of one address, each of which was paid for. */
const CHAINS_MAX = 1000
