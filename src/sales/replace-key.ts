import { parseEmailAddress } from '#src/core/email-address.ts'
import { lockChain, revokeChain } from '#src/storage/chain-lock.ts'
import type { Queryable } from '#src/storage/database.ts'
import { type Errand, putNextErrand } from '#src/storage/errands.ts'
import { findChainOfKey, findChainsByAddress, type KeyChain } from '#src/storage/key-chain.ts'
import {
  askForReplacement,
  countErrandsSince,
  holdKeyLink,
  insertKeyLink,
  type LostReason,
  markLinkUsed,
  takeReplacementWish,
} from '#src/storage/replacements.ts'
import type { SalesContext } from './context.ts'
import { linkHash, mailErrand, makeLink, messageId } from './mailing.ts'

/**
 * `sendes`: the new key is on its way to the address the old one went to. `ugyldig_lenke`: no such link, or its time is over,
 * or there is no key left to replace. `for_mange`: it was replaced too often today.
 */
export type Replacement = { utfall: 'sendes'; gjelder: string } | { utfall: 'ugyldig_lenke' | 'for_mange' }

/**
 * Somebody who gives this address asks for a new key. The answer, and the work until it, are the same whether the address is
 * known or not; what is known is found out in the background, and only the mailbox learns of it.
 *
 * @throws InputError when it is no address
 */
export async function requestReplacement(
  { db, clock, policy }: SalesContext,
  epost: string,
  grunn: LostReason,
): Promise<void> {
  await askForReplacement(
    db,
    { epost: parseEmailAddress(epost), grunn },
    clock.now(),
    policy.replacementsWaitingMax,
  )
}

/** Looks into what was asked, at most `pageSize` of it: a mail with a link for each chain of keys of the address. */
export async function lookIntoWishes({ db, clock, policy }: SalesContext): Promise<void> {
  const at = clock.now()
  const since = new Date(at.getTime() - DAY_MS)
  for (let looked = 0; looked < policy.pageSize; looked += 1) {
    const isMore = await db.transaction(async (connection) => {
      const wish = await takeReplacementWish(connection)
      if (wish === null) return false
      for (const { kjede, nokkel } of await findChainsByAddress(connection, wish.epost, at, CHAINS_MAX)) {
        await lockChain(connection, kjede)
        const sent = await countErrandsSince(
          connection,
          { slag: 'lenke', gjelder: kjede, epost: wish.epost },
          since,
        )
        if (sent.ofChain >= policy.replacementsPerDay || sent.ofAddress >= policy.linkMailsPerDay) continue
        await putNextErrand(connection, { slag: 'lenke', gjelder: kjede, nokkel, grunn: wish.grunn }, at)
      }
      return true
    })
    if (!isMore) return
  }
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
      await insertKeyLink(db, { hash, slag: 'erstatt', nokkel: chain.nokkel, grunn, validUntil })
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

/** The holder of the mailbox has pressed the button. Pressed twice it is one replacement. */
export async function confirmReplacement(
  { db, clock, policy }: SalesContext,
  linkToken: string,
): Promise<Replacement> {
  const at = clock.now()
  const hash = linkHash(linkToken)
  return db.transaction(async (connection) => {
    const link = await holdKeyLink(connection, hash, 'erstatt', at)
    const chain = link === null ? null : await findChainOfKey(connection, link.nokkel, at)
    if (link === null || chain === null || link.grunn === null) return { utfall: 'ugyldig_lenke' }
    if (link.brukt) return { utfall: 'sendes', gjelder: chain.kjede }
    const replacement = await startReplacement(connection, policy, chain, link.grunn, at)
    if (replacement.utfall === 'sendes') await markLinkUsed(connection, hash, at)
    return replacement
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
    return chain === null ? null : startReplacement(connection, policy, chain, grunn, at)
  })
}

/** A key that leaked is over with this; one that was lost goes on until the new one is there. */
async function startReplacement(
  connection: Queryable,
  policy: SalesContext['policy'],
  { kjede, nokkel, epost }: KeyChain,
  grunn: LostReason,
  at: Date,
): Promise<Replacement> {
  await lockChain(connection, kjede)
  const chain = await findChainOfKey(connection, nokkel, at)
  if (chain === null || !chain.isAlive || epost === null) return { utfall: 'ugyldig_lenke' }
  const since = new Date(at.getTime() - DAY_MS)
  const { ofChain } = await countErrandsSince(connection, { slag: 'erstatt', gjelder: kjede, epost }, since)
  if (ofChain >= policy.replacementsPerDay) return { utfall: 'for_mange' }
  if (grunn === 'lekket') await revokeChain(connection, kjede, at)
  await putNextErrand(connection, { slag: 'erstatt', gjelder: kjede, nokkel, grunn }, at)
  return { utfall: 'sendes', gjelder: kjede }
}

const DAY_MS = 24 * 60 * 60_000
/** Chains of one address that get a link. */
const CHAINS_MAX = 5
