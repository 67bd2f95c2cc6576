import type { FeedName } from '#src/ops/feed-report.ts'
import type { ChangePage } from '#src/sources/enhetsregisteret/changes.ts'
import type { FeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { SourceError } from '#src/sources/source.ts'
import type { FeedPosition } from '#src/storage/feed-position.ts'
import type { FeedEvents } from './effects.ts'

export type FeedPage = FeedEvents & {
  /** Where the follower stands when the work of these events is durable; null when it stays where it is. */
  next: FeedPosition | null
  unreadable: number
  isLast: boolean
  /**
   * True when the register no longer knows the event the follower stands at: it has forgotten older events, some of them
   * perhaps never read, or it has begun its numbering anew; or when it will not be asked from that event at all.
   */
  isBroken: boolean
}

/** `refused`: ids the register has told and would not be asked from. It may go on telling them, and nobody stands there again. */
type Asked = { size: number; askedAt: Date; signal: AbortSignal; refused: Set<string> }

/**
 * Reads the events after a position. The one it stands at is asked for again, since it alone tells whether something was
 * lost before the next: ids have gaps of their own. An id that the register once told and refuses to be asked from would hold up all
 * that comes after it: what it then says by the time alone shows whether it is the id it refuses.
 *
 * @throws SourceError when the register could not be heard or believed
 */
export async function readFeed(
  source: FeedSource,
  feed: FeedName,
  from: FeedPosition,
  asked: Asked,
): Promise<FeedPage> {
  try {
    return await readFrom(source, feed, from, asked)
  } catch (error) {
    if (from.id === null || !isRefusal(error)) throw error
    const { refused } = asked
    if (refused.size >= REFUSED_MAX && !refused.has(from.id)) throw error
    const read = { ...asked, refused: new Set([...refused, from.id]) }
    const page = await readFrom(source, feed, { id: null, at: from.at }, read)
    refused.add(from.id)
    return { ...page, isBroken: true }
  }
}

/** For each all is looked at anew. Where there are more it is no id that is refused, and the feed stays where it is until somebody has seen to it. */
const REFUSED_MAX = 5

function isRefusal(error: unknown): boolean {
  if (!(error instanceof SourceError) || error.status === null) return false
  return error.status >= 400 && error.status < 500 && error.status !== 429
}

async function readFrom(
  source: FeedSource,
  feed: FeedName,
  from: FeedPosition,
  { size, signal, ...how }: Asked,
): Promise<FeedPage> {
  if (feed === 'roller') {
    const page = await source.fetchRoleChanges(
      from.id === null ? { afterTime: from.at } : { afterId: idBefore(from.id) },
      size,
      { signal },
    )
    return { feed, ...after(from, page, how) }
  }
  const page = await source.fetchUnitChanges(
    feed,
    from.id === null ? { fromTime: from.at } : { fromId: Number(from.id) },
    size,
    { signal },
  )
  return { feed, ...after(from, page, how) }
}

/** The feed of roles gives what comes after an id. Ids of another kind than numbers give no way to ask for one again. */
function idBefore(id: string): string {
  return NUMBER.test(id) ? String(BigInt(id) - 1n) : id
}

/** An id that has a whole number of at least 1 before it. */
const NUMBER = /^(?:[2-9]|[1-9][0-9]{1,29})$/

function after<Event extends { id: number | string; at: Date }>(
  from: FeedPosition,
  page: ChangePage<Event>,
  { askedAt, refused }: Pick<Asked, 'askedAt' | 'refused'>,
) {
  const { oldest, isLast } = page
  const isHere = ({ id }: { id: number | string }) => String(id) === from.id
  const isRefused = ({ id }: { id: number | string }) => refused.has(String(id))
  const isKnown = oldest !== null && isHere(oldest)
  const events = page.events.filter((event) => !isHere(event) && !isRefused(event))
  const newest =
    page.newest !== null && isRefused(page.newest)
      ? (page.events.findLast((event) => !isRefused(event)) ?? null)
      : page.newest
  // The event it stands at was counted when it was new.
  const isCounted = isKnown && !page.events.some(isHere)
  return {
    events,
    // A time yet to come is no place to go on from: all until then would be passed over.
    next: newest === null || isHere(newest) ? null : { id: String(newest.id), at: min(newest.at, askedAt) },
    unreadable: isCounted ? page.unreadable - 1 : page.unreadable,
    isLast,
    isBroken: from.id !== null && NUMBER.test(from.id) && !isKnown,
  }
}

function min(one: Date, other: Date): Date {
  return one < other ? one : other
}
