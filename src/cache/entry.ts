import type { Lifetime } from '#src/core/lifetime.ts'

/**
 * One register answer as the cache holds it. `body` is opaque here, `state` is the caller's word for what kind of answer it
 * is. Times are epoch milliseconds. The company's generation and the schema version are not parts of an entry: the first
 * stands beside a company's entries, so that raising it touches none of them, the second decides whether bytes can be read.
 */
export type Entry = {
  readonly body: Buffer
  readonly state: string
  readonly fetchedAt: number
  /** RFC 9111, 4.2: served without a question until then. */
  readonly freshUntil: number
  /** RFC 5861: served with a refresh behind it, or when the source fails, until then. Not after `fetchedAt`: never. */
  readonly staleUntil: number
  /** Known until then, though not served: what was a company yesterday is no typing error today. */
  readonly keepUntil: number
  /** Somebody said that it is stale (an invalidation), so no lifetime makes it fresh again. */
  readonly isSaidStale: boolean
}

/** What was fetched: an answer's kind and its bytes. */
export type Fetched = { readonly state: string; readonly body: Buffer }

/**
 * Makes an entry of an answer that came now. Its fresh time is spread over a fifth of its lifetime, so that what was filled
 * together is not refreshed together (P14): 10 % to either side, or only downwards where the lifetime is a limit that has
 * been promised (P10), which is where nothing is served stale.
 */
export function createEntry(fetched: Fetched, lifetime: Lifetime, now: number, random: () => number): Entry {
  const { freshMs, staleMs, keepMs } = lifetime
  const isLimit = staleMs === 0
  const longest = isLimit ? 1 : 1 + SPREAD / 2
  const freshUntil = now + Math.round(freshMs * (longest - SPREAD * random()))
  const staleUntil = isLimit ? now : Math.max(freshUntil, now + freshMs + staleMs)
  return {
    body: fetched.body,
    state: fetched.state,
    fetchedAt: now,
    freshUntil,
    staleUntil,
    keepUntil: Math.max(freshUntil, staleUntil) + keepMs,
    isSaidStale: false,
  }
}

const SPREAD = 0.2

/**
 * The entry as its lifetime is now: what was fetched under another one obeys at once, in both directions. Its place in the
 * spread stays its own, so that a change brings no burst. Lifetimes that are limits are not changed.
 *
 * What was said to be stale stays stale. A shared tier that has let an entry go does not get it back by a longer lifetime.
 */
export function retimed(entry: Entry, { freshMs, staleMs, keepMs }: Lifetime): Entry {
  if (staleMs === 0 || entry.staleUntil <= entry.fetchedAt) return entry
  const span = entry.freshUntil - entry.fetchedAt
  const isOfThisLifetime =
    Math.abs(span - freshMs) <= (freshMs * SPREAD) / 2 + 2 &&
    entry.staleUntil === Math.max(entry.freshUntil, entry.fetchedAt + freshMs + staleMs)
  if (!entry.isSaidStale && isOfThisLifetime) return entry
  const place = ((span % SPREAD_PLACES) + SPREAD_PLACES) % SPREAD_PLACES
  const natural = entry.fetchedAt + Math.round(freshMs * (1 - SPREAD / 2 + (SPREAD * place) / SPREAD_PLACES))
  const freshUntil = entry.isSaidStale ? Math.min(entry.freshUntil, natural) : natural
  const staleUntil = Math.max(freshUntil, entry.fetchedAt + freshMs + staleMs)
  return { ...entry, freshUntil, staleUntil, keepUntil: staleUntil + keepMs }
}

/** Prime, so that what was spread is spread again. */
const SPREAD_PLACES = 9973

/** RFC 9111, 4.2: fresh while its age has not yet exceeded its freshness lifetime. */
export function isFresh(entry: Entry, now: number): boolean {
  return now < entry.freshUntil
}

/** RFC 5861, 3 (stale-while-revalidate): stale, but still good enough while a refresh is on its way. */
export function mayServeWhileRevalidating(entry: Entry, now: number): boolean {
  return !isFresh(entry, now) && now < entry.staleUntil
}

/** RFC 5861, 4 (stale-if-error): good enough when the source fails. A fresh copy is, too. */
export function mayServeOnError(entry: Entry, now: number): boolean {
  return isFresh(entry, now) || now < entry.staleUntil
}

/** RFC 9111, 4.2.3: the age of an answer; whole seconds as the Age header has them (5.1), never negative. */
export function ageSeconds(entry: Pick<Entry, 'fetchedAt'>, now: number): number {
  return Math.max(0, Math.floor((now - entry.fetchedAt) / 1000))
}

/** RFC 9211, 2.5: what is left of the fresh time in whole seconds; negative once stale. */
export function ttlSeconds(entry: Pick<Entry, 'freshUntil'>, now: number): number {
  return Math.floor((entry.freshUntil - now) / 1000)
}

/** Past all use; whoever finds it treats it as absent. */
export function isGone(entry: Entry, now: number): boolean {
  return now >= entry.keepUntil
}
