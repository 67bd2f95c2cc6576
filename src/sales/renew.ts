import type { Language } from '#src/core/language.ts'
import { findChainOfKey, isRightOver, type KeyChain } from '#src/storage/key-chain.ts'
import { findRenewal } from '#src/storage/orders.ts'
import { holdKeyLink } from '#src/storage/replacements.ts'
import type { SalesContext } from './context.ts'
import { linkHash } from './mailing.ts'
import { type OrderContext, type PlacedOrder, placeOrder } from './place-order.ts'

export type Renewal = ({ utfall: 'bestilt' } & PlacedOrder) | { utfall: 'ugyldig_lenke' | 'alt_fornyet' }

/** What a link of a reminder stands for, for the page with the button; null when it is no longer valid, or the right is over. */
export async function readRenewal(
  { db, clock }: SalesContext,
  linkToken: string,
): Promise<{ nokkel: string; utloper: Date; erFornyet: boolean } | null> {
  const chain = await chainOfLink({ db, clock }, linkToken)
  if (chain === null) return null
  const erFornyet = (await findRenewal(db, chain.kjede)) !== null
  return { nokkel: chain.nokkel, utloper: chain.utloper, erFornyet }
}

/**
 * Orders the next year of a key, to the address it went to. The new year begins where the old one ends, so nothing is lost by
 * being early. It comes as a key of its own: the old one works to its own end, and is charged for already.
 *
 * Safe to run twice: the link is what the order is known by.
 *
 * @throws what placeOrder throws
 */
export async function renew(
  context: OrderContext,
  linkToken: string,
  { vilkaarGodtatt, sprak = null }: { vilkaarGodtatt: boolean; sprak?: Language | null },
): Promise<Renewal> {
  const { db } = context
  const chain = await chainOfLink(context, linkToken)
  if (chain === null || chain.epost === null) return { utfall: 'ugyldig_lenke' }
  if ((await findRenewal(db, chain.kjede)) !== null) return { utfall: 'alt_fornyet' }
  const placed = await placeOrder(
    context,
    { epost: chain.epost, vilkaarGodtatt, sprak, idempotensToken: linkToken },
    { kjede: chain.kjede, fra: chain.utloper },
  )
  return { utfall: 'bestilt', ...placed }
}

async function chainOfLink(
  { db, clock }: Pick<SalesContext, 'db' | 'clock'>,
  linkToken: string,
): Promise<KeyChain | null> {
  const at = clock.now()
  const link = await holdKeyLink(db, linkHash(linkToken), 'forny', at)
  const chain = link === null ? null : await findChainOfKey(db, link.nokkel, at)
  return chain === null || (await isRightOver(db, chain.kjede)) ? null : chain
}
