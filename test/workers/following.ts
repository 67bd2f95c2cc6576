import { pino } from 'pino'
import { systemClock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { FeedName } from '#src/ops/feed-report.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import type { Database } from '#src/storage/database.ts'
import { clientFor } from '#test/sources/asking.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import type { ApplyPorts } from '#workers/apply-page.ts'
import { type Follower, type FollowerPolicy, startFollower } from '#workers/follow-feed.ts'
import type { CopyNotes } from '#workers/marked-copies.ts'

/** The pace of a test: nothing is waited for long, and a lease is lost soon. */
const hurried: FollowerPolicy = {
  pollMs: 10,
  pageSize: 100,
  pageSizeMin: 2,
  deadlineMs: 5000,
  leaseMs: 1000,
  renewLeaseMs: 100,
  tryLeaseMs: 50,
  retryMs: 10,
  retryMsMax: 50,
  beginEarlierMs: 60_000,
  brokenReadsMax: 3,
  triesMax: 3,
  markAgainMs: 30,
}

/** Numbers with right check digits, rising. */
export function companies(count: number): Organisasjonsnummer[] {
  const found: string[] = []
  for (let stem = 91_000_000; found.length < count; stem += 1) {
    const digits = [...String(stem)].map(Number)
    const sum = [3, 2, 7, 6, 5, 4, 3, 2].reduce((total, weight, at) => total + weight * (digits[at] ?? 0), 0)
    const check = (11 - (sum % 11)) % 11
    if (check !== 10) found.push(`${stem}${check}`)
  }
  return found as Organisasjonsnummer[]
}

export const emptyRegister = () =>
  startRegisterStandIn({ answers: { companies: new Map(), klass: { correspondence: null, codeLists: [] } } })

/** Of a process that shares its copies with none. */
export const noNotes: CopyNotes = { read: async () => null, write: async () => {} }

/** What the ports were told, in order; `cached` are the companies that somebody cached. */
export function recordingPorts(cached: ReadonlySet<string> = new Set()) {
  const told: string[] = []
  const ports: ApplyPorts = {
    async remove(removals) {
      for (const { organisasjonsnummer } of removals) told.push(`remove ${organisasjonsnummer}`)
    },
    async invalidate(changes) {
      for (const [company, parts] of changes) told.push(`invalidate ${company} ${[...parts].join(' ')}`)
      return new Map([...changes].filter(([company]) => cached.has(company)))
    },
    async noteChanges() {},
    noteWatched: async () => new Map(),
    noteHeld: async () => {},
    async askSoon() {},
    async invalidateAll() {
      told.push('invalidate all')
    },
    async enqueueRefresh(changes) {
      for (const [company, parts] of changes) told.push(`refresh ${company} ${[...parts].join(' ')}`)
    },
  }
  return { told, ports }
}

export function follow(options: {
  feed: FeedName
  register: Pick<RegisterStandIn, 'registerUrl'>
  database: Database
  ports: ApplyPorts
  notes?: CopyNotes
  policy?: Partial<FollowerPolicy>
}): Follower {
  const client = clientFor(options.register.registerUrl, { bodyBytesMax: 4 * 1024 * 1024 })
  const { feed, database, ports } = options
  const follower = startFollower({
    feed,
    source: createFeedSource(client),
    database,
    ports,
    notes: options.notes ?? noNotes,
    holder: 'a test',
    clock: systemClock,
    log: pino({ level: 'silent' }),
    policy: { ...hurried, ...options.policy },
  })
  return {
    progress: follower.progress,
    async close() {
      await follower.close()
      await client.close()
    },
  }
}
