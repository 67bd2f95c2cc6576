import { channel } from 'node:diagnostics_channel'
import type { Clock } from '#src/core/clock.ts'
import type { FeedPosition } from '#src/storage/feed-position.ts'
import type { FeedName } from './read-feed.ts'

/** How far behind a feed its follower in this process is. */
export type FeedProgress = {
  feed: FeedName
  /** False: another process follows, or none. */
  isFollowing: boolean
  /** The last read had all there was. */
  isCaughtUp: boolean
  /** When the newest event whose work is done was published; null when none has been seen by this process. */
  newestAt: Date | null
  /**
   * Since when something published may not have been applied yet, in milliseconds. A quiet feed has no lag; a register
   * that does not answer lets it grow. Null before the first read.
   */
  lagMs: number | null
}

/** What a follower does, for whoever counts. No event names a company. */
export type FeedReport =
  | { kind: 'read'; feed: FeedName; events: number; touched: number; cached: number; unreadable: number }
  | { kind: 'progress'; progress: FeedProgress }
  | { kind: 'failed'; feed: FeedName; code: string }
  /** Events may have been lost: everything cached was marked stale. */
  | { kind: 'reconciled'; feed: FeedName }

export const FEED_CHANNEL = 'bedriftsoppslag:feed'

const feedChannel = channel(FEED_CHANNEL)

export function publishFeedReport(report: FeedReport): void {
  if (feedChannel.hasSubscribers) feedChannel.publish(report)
}

/** Keeps the progress of one follower, and tells of it at every step. */
export function createProgress(feed: FeedName, clock: Clock) {
  let isFollowing = false
  let isCaughtUp = false
  let newestAt: Date | null = null
  /** All that was published before this has been applied. */
  let appliedUntil: Date | null = null

  function current(): FeedProgress {
    const lagMs = appliedUntil === null ? null : Math.max(0, clock.now().getTime() - appliedUntil.getTime())
    return { feed, isFollowing, isCaughtUp, newestAt, lagMs }
  }
  function publish(): void {
    publishFeedReport({ kind: 'progress', progress: current() })
  }

  return {
    current,
    began({ at }: FeedPosition): void {
      isFollowing = true
      newestAt = appliedUntil = at
      publish()
    },
    /** `askedAt`: when the page was asked for that had all there was; null when there is more. */
    applied({ at }: FeedPosition, askedAt: Date | null): void {
      isCaughtUp = askedAt !== null
      newestAt = at
      appliedUntil = askedAt ?? at
      publish()
    },
    fellBehind(): void {
      isCaughtUp = false
      publish()
    },
    left(): void {
      isFollowing = isCaughtUp = false
      publish()
    },
  }
}
