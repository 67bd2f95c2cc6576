import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { DELIVERY_CHANNEL, type DeliveryTold } from '#src/core/delivery-told.ts'
import { LET_GO_CHANNEL, type LetGoFor, letGoFor } from '#src/core/let-go.ts'
import { MAIL_CHANNEL, type MailTold } from '#src/core/mail-told.ts'
import { connectionsTaken } from '#src/core/newcomers.ts'
import { REMOVAL_CHANNEL } from '#src/core/removal-told.ts'
import { type Door, doors, UNREADABLE_CHANNEL } from '#src/core/unreadable.ts'
import { WORK_CHANNEL, type WorkTold, worksBegun } from '#src/core/work-told.ts'
import { mailOutcomes } from '#src/mail/outcome.ts'
import { QUEUE_CHANNEL, type QueueEvent } from '#src/queue/events.ts'
import { jobNames } from '#src/queue/jobs.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { keptSources } from '#src/sources/index.ts'
import { createCountLater } from './count-later.ts'
import { FEED_CHANNEL, type FeedReport, feedNames } from './feed-report.ts'
import { REQUEST_CHANNEL, type RequestLine } from './request-report.ts'
import { RequestTimes } from './request-times.ts'

export type Metrics = ReturnType<typeof createMetrics>

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * How often it is looked how late the loop is: a stall that is as long is always seen. The library's own ten milliseconds were a
 * hundred of the 136 times a second that a process nobody asked was woken.
 */
const LAG_LOOK_MS = 50

/**
 * Counts what the rooms below tell on their channels, for Prometheus to read. No label names a company, a key or a person:
 * a label's values are the routes, sources, sections and states there are, so their number is bounded.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_LOOK_MS })

  const requests = new RequestTimes({
    name: 'bedriftsoppslag_request_seconds',
    help: 'Answered requests, by route and status, and for a company by where the answer came from; without what it waited behind what the same asker had under way besides. egen_ko: it was refused for that.',
    bounds: SECONDS,
    registers,
  })
  const testRequests = new Counter({
    name: 'bedriftsoppslag_test_requests_total',
    help: 'Requests with test keys, about invented companies, by route and status. They are in no other count.',
    labelNames: ['rute', 'status'],
    registers,
  })
  const cache = new Counter({
    name: 'bedriftsoppslag_cache_events_total',
    help: 'What became of look-ups and writes in the cache, by section and, where there is one, tier or reason.',
    labelNames: ['hendelse', 'seksjon', 'hvor'],
    registers,
  })
  const evictedBytes = new Counter({
    name: 'bedriftsoppslag_cache_evicted_bytes_total',
    help: 'Bytes that left memory to make room.',
    registers,
  })
  const sourceCalls = new Histogram({
    name: 'bedriftsoppslag_source_seconds',
    help: 'Calls to the registers, by source, lane and how they ended. What was not called for a reason of ours is not here.',
    labelNames: ['kilde', 'felt', 'utfall'],
    buckets: SECONDS,
    registers,
  })
  const sourceRefusals = new Counter({
    name: 'bedriftsoppslag_source_refusals_total',
    help: 'Calls that were not made, by a bound or a fault of our own, by source, lane and reason.',
    labelNames: ['kilde', 'felt', 'grunn'],
    registers,
  })
  const removals = new Counter({
    name: 'bedriftsoppslag_source_removals_total',
    help: 'Answers of a register that a company is removed on legal grounds (410), by source.',
    labelNames: ['kilde'],
    registers,
  })
  for (const source of keptSources) removals.labels(source).inc(0)
  const breakers = new Gauge({
    name: 'bedriftsoppslag_source_breaker',
    help: '0 closed, 1 letting one probe through, 2 open.',
    labelNames: ['kilde'],
    registers,
  })
  // A change is told as it happens: before the first they are all closed.
  for (const source of keptSources) breakers.labels(source).set(BREAKER.lukket)
  const feedLag = new Gauge({
    name: 'bedriftsoppslag_feed_lag_seconds',
    help: 'Since when something published in a feed may not have been applied. Only where the feed is followed.',
    labelNames: ['feed'],
    registers,
  })
  const feedEvents = new Counter({
    name: 'bedriftsoppslag_feed_events_total',
    help: 'Events read, changed companies that were held, removals on legal grounds, events that could not be read, failures and reconciliations.',
    labelNames: ['feed', 'hendelse'],
    registers,
  })
  // From the start, like all whose increase an alert looks for: a series that begins with its first burst has not increased.
  for (const feed of feedNames) for (const event of FEED_EVENTS) feedEvents.labels(feed, event).inc(0)
  const jobs = new Histogram({
    name: 'bedriftsoppslag_job_seconds',
    help: 'Jobs that were done, by job.',
    labelNames: ['jobb'],
    buckets: SECONDS,
    registers,
  })
  const jobFailures = new Counter({
    name: 'bedriftsoppslag_job_failures_total',
    help: 'Attempts that failed, by job, and whether it was the last.',
    labelNames: ['jobb', 'siste'],
    registers,
  })
  for (const job of jobNames)
    for (const isLast of [false, true]) jobFailures.labels(job, String(isLast)).inc(0)

  const deliveries = new Counter({
    name: 'bedriftsoppslag_deliveries_total',
    help: 'Attempts to send a change to an endpoint, by outcome: levert, or why it was not taken.',
    labelNames: ['utfall'],
    registers,
  })
  const mails = new Counter({
    name: 'bedriftsoppslag_mails_total',
    help: 'Attempts to send a mail, by outcome. refused_us, temporary and unknown are tried again.',
    labelNames: ['utfall'],
    registers,
  })
  for (const outcome of mailOutcomes) mails.labels(outcome).inc(0)
  const works = new Counter({
    name: 'bedriftsoppslag_work_total',
    help: 'Runs of the work that a process does now and then, by its name in the log, what they found due apart (: each), and by outcome: gjort, feilet.',
    labelNames: ['arbeid', 'utfall'],
    registers,
    // Both, and before the first run: one that came with a count in it would be taken for one that stands still.
    collect() {
      for (const work of worksBegun())
        for (const outcome of ['gjort', 'feilet']) this.labels(work, outcome).inc(0)
    },
  })
  const unreadable = new Counter({
    name: 'bedriftsoppslag_unreadable_total',
    help: 'Messages and rows of our own that could not be read, and were left, by where they came in.',
    labelNames: ['dor'],
    registers,
  })
  for (const door of doors) unreadable.labels(door).inc(0)
  new Counter({
    name: 'bedriftsoppslag_connections_total',
    help: 'Connections that were taken, at every port and socket of the process.',
    registers,
    collect() {
      this.reset()
      this.inc(connectionsTaken())
    },
  })
  const letGo = new Counter({
    name: 'bedriftsoppslag_connections_let_go_total',
    help: 'Connections that were ended for what they take of others: flom, trangt (no room), ulest (unread answers), halvt (half requests).',
    labelNames: ['hvorfor'],
    registers,
  })
  for (const why of letGoFor) letGo.labels(why).inc(0)

  function onRequest(message: unknown): void {
    const line = message as RequestLine
    if (line.prove) testRequests.inc({ rute: line.rute ?? 'ingen', status: line.status })
    else if (line.avMange || line.egenKoMs) requests.add(withoutOwnLine(line))
    else requests.add(line)
  }

  function onCache(event: CacheEvent): void {
    if (event.kind === 'evicted') evictedBytes.inc(event.bytes)
    // Looked up instead: what was told before anybody listened would never be known.
    else if (event.kind !== 'redis-usable')
      cache.labels(event.kind, 'section' in event ? event.section : '', whereOf(event)).inc()
  }

  function onSource(event: SourceEvent): void {
    if (event.kind === 'breaker') {
      breakers.labels(event.source).set(BREAKER[event.state])
      return
    }
    if (event.kind === 'refused') {
      sourceRefusals.labels(event.source, event.lane, event.why).inc()
      return
    }
    sourceCalls
      .labels(event.source, event.lane, event.kind === 'answered' ? 'svar' : event.failure)
      .observe(event.ms / 1000)
  }

  function onFeed(message: unknown): void {
    const report = message as FeedReport
    if (report.kind === 'progress') {
      const { feed, isFollowing, lagMs } = report.progress
      if (isFollowing && lagMs !== null) feedLag.labels(feed).set(lagMs / 1000)
      else feedLag.remove(feed)
    } else if (report.kind === 'read') {
      feedEvents.labels(report.feed, 'lest').inc(report.events)
      feedEvents.labels(report.feed, 'holdt').inc(report.cached)
      feedEvents.labels(report.feed, 'fjernet').inc(report.removed)
      feedEvents.labels(report.feed, 'uleselig').inc(report.unreadable)
    } else {
      feedEvents.labels(report.feed, report.kind === 'failed' ? 'feilet' : 'avstemt').inc()
    }
  }

  function onQueue(message: unknown): void {
    const event = message as QueueEvent
    if (event.kind === 'done') jobs.labels(event.job).observe(event.tookMs / 1000)
    if (event.kind === 'failed') jobFailures.labels(event.job, String(event.isLast)).inc()
  }

  const onUnreadable = (door: unknown) => unreadable.labels(door as Door).inc()
  function onWork(told: unknown): void {
    const { work, isDone } = told as WorkTold
    works.labels(work, isDone ? 'gjort' : 'feilet').inc()
  }

  const onLetGo = (why: unknown) => letGo.labels(why as LetGoFor).inc()
  const onRemoval = (source: unknown) => removals.labels(source as string).inc()
  const onDelivery = (told: unknown) => deliveries.labels((told as DeliveryTold).outcome).inc()
  const onMail = (told: unknown) => mails.labels((told as MailTold).outcome).inc()

  const ofCache = createCountLater(onCache, () => null)
  const ofSources = createCountLater(onSource, () => null)
  const listeners = [
    [REQUEST_CHANNEL, onRequest],
    [CACHE_CHANNEL, ofCache.hear],
    [SOURCE_CHANNEL, ofSources.hear],
    [FEED_CHANNEL, onFeed],
    [QUEUE_CHANNEL, onQueue],
    [UNREADABLE_CHANNEL, onUnreadable],
    [REMOVAL_CHANNEL, onRemoval],
    [DELIVERY_CHANNEL, onDelivery],
    [MAIL_CHANNEL, onMail],
    [WORK_CHANNEL, onWork],
    [LET_GO_CHANNEL, onLetGo],
  ] as const
  for (const [name, listener] of listeners) subscribe(name, listener)

  return {
    registry,
    contentType: registry.contentType,
    /** Prometheus' text format. */
    write(): Promise<string> {
      ofCache.countNow()
      ofSources.countNow()
      return registry.metrics()
    },
    close(): void {
      for (const [name, listener] of listeners) unsubscribe(name, listener)
      ofCache.countNow()
      ofSources.countNow()
      registry.clear()
    },
  }
}

/** Instead of where it came from: nobody else was refused. */
const OWN_LINE = 'egen_ko'

function withoutOwnLine(line: RequestLine): Omit<RequestLine, 'hentet'> & { hentet: string | null } {
  const ms = Math.max(0, line.ms - (line.egenKoMs ?? 0))
  return { ...line, ms, hentet: line.avMange ? OWN_LINE : line.hentet }
}

const FEED_EVENTS = ['lest', 'holdt', 'fjernet', 'uleselig', 'feilet', 'avstemt'] as const
const BREAKER = { lukket: 0, prover: 1, apen: 2 } as const

/** The tier, the place or the reason an event names beside its section. */
function whereOf(event: Exclude<CacheEvent, { kind: 'evicted' | 'redis-usable' }>): string {
  switch (event.kind) {
    case 'hit':
    case 'stored':
      return event.tier
    case 'refused':
    case 'redis-failure':
      return event.why
    case 'collapsed':
      return event.within
    case 'bus-listening':
      return String(event.isListening)
    case 'redis-taking':
      return String(event.isTaking)
    default:
      return ''
  }
}
