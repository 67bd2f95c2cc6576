import type { Clock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import type { Log } from '#src/core/log.ts'
import { rest } from '#src/core/wait.ts'
import { type FeedName, type FeedProgress, publishFeedReport } from '#src/ops/feed-report.ts'
import type { FeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { SourceError } from '#src/sources/source.ts'
import type { Database } from '#src/storage/database.ts'
import {
  type FeedLease,
  type FeedPosition,
  keepFeed,
  leaveFeed,
  moveFeed,
  takeFeed,
} from '#src/storage/feed-position.ts'
import { type ApplyPorts, createApply } from './apply-page.ts'
import { createProgress } from './feed-progress.ts'
import { holdLease } from './hold-lease.ts'
import { type CopyNotes, createMarkedCopies } from './marked-copies.ts'
import { createPatience } from './patience.ts'
import { type FeedPage, readFeed } from './read-feed.ts'

export type FollowerPolicy = {
  pollMs: number
  pageSize: number
  pageSizeMin: number
  deadlineMs: number
  leaseMs: number
  renewLeaseMs: number
  tryLeaseMs: number
  retryMs: number
  retryMsMax: number
  beginEarlierMs: number
  brokenReadsMax: number
  triesMax: number
  markAgainMs: number
}

export type Follower = {
  progress(): FeedProgress
  /** Ends after the page in hand, and leaves the lease to the next. */
  close(): Promise<void>
}

/**
 * Follows one change feed of Enhetsregisteret: reads a page, makes its work durable, and only then moves the position that
 * PostgreSQL keeps. Killed at any point, the page is read again by whoever follows next, so no event is skipped (P16);
 * doing a page twice is harmless, since marking stale, asking for a refresh and erasing are all the same done twice.
 *
 * One process follows at a time: it holds a lease in PostgreSQL, and another takes it when it runs out.
 */
export function startFollower(work: {
  feed: FeedName
  source: FeedSource
  database: Database
  ports: ApplyPorts
  notes: CopyNotes
  /** Tells the processes apart in the table, for whoever looks. */
  holder: string
  clock: Clock
  log: Log
  policy: FollowerPolicy
}): Follower {
  const { feed, source, database, clock, log, policy } = work
  const patience = createPatience(policy.triesMax)
  const apply = createApply(feed, work.ports, { log, patience })
  const closed = new AbortController()
  const refused = new Set<string>()
  const progress = createProgress(feed, clock)
  const running = run()

  async function run(): Promise<void> {
    while (!closed.signal.aborted) {
      try {
        const askedAtMs = performance.now()
        const taken = await takeFeed(database, feed, { holder: work.holder, leaseMs: policy.leaseMs })
        if (taken !== null) await lead(taken.lease, taken.position, askedAtMs)
        else await rest(policy.tryLeaseMs, closed.signal)
      } catch (error) {
        report(error)
        await rest(policy.tryLeaseMs, closed.signal)
      }
    }
  }

  async function lead(lease: FeedLease, from: FeedPosition | null, takenAtMs: number): Promise<void> {
    const start = from ?? { id: null, at: new Date(clock.now().getTime() - policy.beginEarlierMs) }
    log.info({ feed, ...start }, 'following a feed')
    progress.began(start)
    try {
      // Where it begins is kept at once: the first event may come long after, and to another process.
      if (from === null) await moveFeed(database, lease, null, start)
      const { leaseMs, renewLeaseMs: renewMs } = policy
      const renew = () => keepFeed(database, lease, leaseMs)
      await holdLease({ takenAtMs, leaseMs, renewMs, renew, signal: closed.signal }, (signal) =>
        follow(lease, start, signal),
      )
    } finally {
      progress.left()
      await leaveFeed(database, lease).catch(report)
    }
  }

  /** Until the signal, or until somebody else turns out to follow, or PostgreSQL to stand elsewhere. */
  async function follow(lease: FeedLease, start: FeedPosition, signal: AbortSignal): Promise<void> {
    let position = start
    /** In PostgreSQL, for whoever follows next: all up to it is done. What could not be marked is not. */
    let kept = start
    let failures = 0
    let brokenReads = 0
    // Another may have followed meanwhile: what was noted before is not what was noted last.
    const copies = createMarkedCopies(feed, work.notes, { tryEveryMs: policy.markAgainMs })
    while (!signal.aborted) {
      let waitMs: number = policy.pollMs
      try {
        const askedAt = clock.now()
        const page = await read(position, failures, askedAt, signal)
        brokenReads = page.isBroken ? brokenReads + 1 : 0
        if (brokenReads === 0 || brokenReads >= policy.brokenReadsMax) {
          const isLookedAtAnew = !page.isBroken || (await reconcile(position))
          const { isMarked } = await apply(page)
          // Whoever goes back to a place the register has no more is told so again, and looks at everything anew then.
          if (!(isLookedAtAnew && isMarked)) copies.leftOut(kept)
          // Nothing is after the position and the position itself is gone: only the time is left to go on from.
          const next = page.next ?? (page.isBroken ? { id: null, at: position.at } : null)
          if (next !== null) {
            const done = copies.areBehind() ? kept : next
            if (!(await moveFeed(database, lease, kept, done))) return
            position = next
            kept = done
          }
          brokenReads = 0
          progress.applied(position, page.isLast ? askedAt : null)
          // A full page that leads nowhere leads nowhere the next time either.
          if (!page.isLast && next !== null) waitMs = 0
          const marked = await copies.markedOnlyTo(position)
          if (marked !== null) {
            log.warn({ feed, ...marked }, 'the shared copies lack marks: what changed since is marked again')
            if (!(await moveFeed(database, lease, kept, marked))) return
            position = kept = marked
            copies.isGoneThrough()
            progress.applied(position, null)
            waitMs = 0
          }
        }
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        report(error)
        progress.fellBehind()
        waitMs = waitAfter(error, failures)
      }
      await rest(waitMs, signal)
    }
  }

  function read(
    position: FeedPosition,
    failures: number,
    askedAt: Date,
    signal: AbortSignal,
  ): Promise<FeedPage> {
    const size = Math.max(policy.pageSizeMin, Math.floor(policy.pageSize / 2 ** Math.min(failures, 20)))
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(policy.deadlineMs)])
    return readFeed(source, feed, position, { size, askedAt, signal: deadline, refused })
  }

  /**
   * Whatever was lost is made good by looking at everything again, each company when it is next asked for.
   *
   * @returns false where it can not be done, time and again
   */
  async function reconcile(position: FeedPosition): Promise<boolean> {
    log.warn(
      { feed, ...position },
      'the register no longer has the event we stand at: everything is marked stale',
    )
    const { isDone } = await patience.tried('marks', () => work.ports.invalidateAll())
    if (!isDone) return false
    publishFeedReport({ kind: 'reconciled', feed })
    return true
  }

  function waitAfter(error: unknown, failures: number): number {
    const askedFor = error instanceof SourceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
    const waitMs = Math.max(askedFor, policy.retryMs * 2 ** Math.min(failures - 1, 20))
    return Math.min(waitMs, policy.retryMsMax) * (1 - Math.random() / 4)
  }

  function report(error: unknown): void {
    log.warn({ feed, err: error }, 'a feed could not be followed; trying again')
    publishFeedReport({
      kind: 'failed',
      feed,
      code: error instanceof OppslagError ? error.code : 'ukjent_feil',
    })
  }

  return {
    progress: progress.current,
    async close() {
      closed.abort()
      await running
    },
  }
}
