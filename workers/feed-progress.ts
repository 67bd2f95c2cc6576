import type { Clock } from '#src/core/clock.ts'
import { type FeedName, type FeedProgress, publishFeedReport } from '#src/ops/feed-report.ts'
import type { FeedPosition } from '#src/storage/feed-position.ts'

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
