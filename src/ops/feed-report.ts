import { channel } from 'node:diagnostics_channel'

export const feedNames = ['enheter', 'underenheter', 'roller'] as const
export type FeedName = (typeof feedNames)[number]

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
  | {
      kind: 'read'
      feed: FeedName
      events: number
      touched: number
      cached: number
      removed: number
      unreadable: number
    }
  | { kind: 'progress'; progress: FeedProgress }
  | { kind: 'failed'; feed: FeedName; code: string }
  /** Events may have been lost: everything cached was marked stale. */
  | { kind: 'reconciled'; feed: FeedName }

export const FEED_CHANNEL = 'bedriftsoppslag:feed'

const feedChannel = channel(FEED_CHANNEL)

export function publishFeedReport(report: FeedReport): void {
  if (feedChannel.hasSubscribers) feedChannel.publish(report)
}
