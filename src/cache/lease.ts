import { setTimeout as pause } from 'node:timers/promises'
import type { Key } from './key.ts'
import type { Begun } from './redis-held.ts'
import type { RedisTier } from './redis-tier.ts'

export type Lease<Accepted> =
  /** This process fills; `begun` is what its write will be checked against. */
  | { state: 'mine'; begun: Begun }
  /** Another process has filled meanwhile, and this is what it brought. */
  | { state: 'filled'; accepted: Accepted; packed: Buffer }
  /** There is nobody to agree with: go alone, and keep the answer to this process. */
  | { state: 'alone' }
  | { state: 'erased' }

/**
 * Agrees with the other processes on who fills a section (P7). One holds the lease; the others look again and again
 * whether it has brought something, and one of them takes over when the lease ends without: because the fill failed, or
 * because its process died and no longer renews.
 *
 * @param accept what is held of the section, where it makes a fill needless; null where it does not
 * @param signal the fill's own deadline. Throws its reason.
 */
export async function seekLease<Accepted>({
  redis,
  key,
  accept,
  pollMs,
  signal,
}: {
  redis: RedisTier
  key: Key
  accept: (packed: Buffer) => Accepted | null
  pollMs: number
  signal: AbortSignal
}): Promise<Lease<Accepted>> {
  for (;;) {
    const begun = await redis.begin(key)
    if (begun.state === 'unreachable') return { state: 'alone' }
    if (begun.state === 'erased') return { state: 'erased' }
    const accepted = begun.packed === null ? null : accept(begun.packed)
    if (begun.packed !== null && accepted !== null) {
      await redis.release(key, begun)
      return { state: 'filled', accepted, packed: begun.packed }
    }
    if (begun.state === 'begun') return { state: 'mine', begun }
    // Not all at once: those who wait for the same thing began together.
    await pause(pollMs * (0.75 + Math.random() / 2), undefined, { signal })
  }
}

/**
 * Holds the lease for as long as the fill takes. It is short, so that a process that dies does not keep others waiting.
 *
 * @returns ends the renewals
 */
export function keepRenewing(redis: RedisTier, key: Key, begun: Begun): () => void {
  if (begun.state !== 'begun') return () => {}
  const renewal = setInterval(() => void redis.renew(key, begun), redis.leaseMs / 3)
  renewal.unref()
  return () => clearInterval(renewal)
}
