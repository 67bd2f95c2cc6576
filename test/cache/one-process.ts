import { createBus } from '#src/cache/bus.ts'
import { type Cache, type CachePolicy, type CacheRequest, createCache } from '#src/cache/cache.ts'
import type { Fetched } from '#src/cache/entry.ts'
import type { CacheEvent } from '#src/cache/events.ts'
import type { Key, Subject } from '#src/cache/key.ts'
import { createMemoryTier, type MemoryTier } from '#src/cache/memory-tier.ts'
import { createRedisTier, type RedisTier } from '#src/cache/redis-tier.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Lifetime } from '#src/core/lifetime.ts'

export const HOUR = 3_600_000
export const MINUTE = 60_000

/** Lives for an hour, may be shown for a day. */
export const lasting: Lifetime = { freshMs: HOUR, staleMs: 24 * HOUR, keepMs: 0 }
/** What is not found is so for five minutes, and never shown afterwards. */
export const absent: Lifetime = { freshMs: 5 * MINUTE, staleMs: 0, keepMs: 0 }

export const KEY: Key = { company: '901012121', section: 'enhet' }

export type TestClock = Clock & { advance(ms: number): void }

export function createTestClock(): TestClock {
  let time = Date.parse('2026-11-02T08:00:00Z')
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
}

/** The source behind a cache: counts, and answers when and what it is told to. */
export type TestSource = {
  calls: number
  /** Replaces what happens on the next calls. */
  answers(next: (signal: AbortSignal, call: number) => Promise<Fetched> | Fetched): void
  fetch(signal: AbortSignal): Promise<Fetched>
}

export function createTestSource(): TestSource {
  let answer: (signal: AbortSignal, call: number) => Promise<Fetched> | Fetched = (_signal, call) =>
    found(`answer ${call}`)
  return {
    calls: 0,
    answers(next) {
      answer = next
    },
    async fetch(signal) {
      return answer(signal, ++this.calls)
    },
  }
}

export function found(text: string): Fetched {
  return { state: 'found', body: Buffer.from(text) }
}

export const notFound: Fetched = { state: 'absent', body: Buffer.alloc(0) }

/** The register is away, as the caller of the cache would say it. */
export class Outage extends Error {}

export type OneProcess = {
  cache: Cache
  memory: MemoryTier
  redis: RedisTier | null
  erased: Set<string>
  stale: { key: Key; isShared: boolean }[]
  changes: Subject[]
  events: CacheEvent[]
  /** What `getOrFetch` is asked with, unless told otherwise. */
  wish(source: TestSource, more?: Partial<CacheRequest>): CacheRequest
  close(): Promise<void>
}

export const SCHEMA_VERSION = 3

/**
 * What one process of the service has of the cache; ready when Redis is, if there is one.
 *
 * @param options `answerMs`, `leaseMs`: so long that only a Redis that never answers is too late, and only a process that is gone
 *   loses its lease, on however busy a machine
 */
export async function startProcess({
  redisUrl = null,
  clock = createTestClock(),
  policy = {},
  memoryBytesMax = 10_000_000,
  answerMs = 5000,
  changeMs = 2000,
  leaseMs = 5000,
  schemaVersion = SCHEMA_VERSION,
  awaitsRedis = true,
  isDeaf = false,
  clockAheadMs,
}: {
  redisUrl?: string | null
  clock?: Clock
  policy?: Partial<CachePolicy>
  memoryBytesMax?: number
  answerMs?: number
  changeMs?: number
  leaseMs?: number
  schemaVersion?: number
  awaitsRedis?: boolean
  /** Never hears what other processes do. */
  isDeaf?: boolean
  /** As it has been measured; not at all unless given. */
  clockAheadMs?: () => number
} = {}): Promise<OneProcess> {
  const erased = new Set<string>()
  const stale: OneProcess['stale'] = []
  const changes: Subject[] = []
  const events: CacheEvent[] = []
  const onEvent = (event: CacheEvent) => void events.push(event)
  const tombstones = {
    isErased: (company: string) => erased.has(company),
    learned: (company: string) => void erased.add(company),
  }
  const memory = createMemoryTier({
    bytesMax: memoryBytesMax,
    companyBytesMax: memoryBytesMax / 4,
    isErased: tombstones.isErased,
  })
  const redis =
    redisUrl === null
      ? null
      : createRedisTier({
          url: redisUrl,
          schemaVersion,
          answerMs,
          changeMs,
          leaseMs,
          generationKeepMs: 10 * MINUTE,
          failuresMax: 3,
          probeEveryMs: 20,
          onEvent,
        })
  const bus =
    redisUrl === null || isDeaf
      ? null
      : createBus({ url: redisUrl, schemaVersion, clock, heartbeatMs: 1000, onEvent })
  const cache = createCache({
    memory,
    redis,
    bus,
    schemaVersion,
    policy: {
      leasePollMs: 10,
      fillsMax: 10_000,
      trustAloneMs: redisUrl === null ? null : MINUTE,
      futureToleranceMs: 10_000,
      emptiedEveryMs: 20,
      refillPerSecond: 10_000,
      refillWaitingMax: 1000,
      staleNoticeMs: 2000,
      ...policy,
    },
    tombstones,
    isOutage: (error) => error instanceof Outage,
    onEvent,
    clock,
    ...(clockAheadMs === undefined ? {} : { clockAheadMs }),
    random: () => 0.5,
  })
  cache.onStale((key, { isShared }) => void stale.push({ key, isShared }))
  cache.onChange((subject) => void changes.push(subject))
  if (redis !== null && awaitsRedis) {
    if (!(await redis.isReady(5000))) throw new Error('Redis is not there')
    await untilTrue(() => bus === null || bus.isListening())
  }
  return {
    cache,
    memory,
    redis,
    erased,
    stale,
    changes,
    events,
    wish: (source, more = {}) => ({
      fetch: (signal) => source.fetch(signal),
      lifetimeOf: (state) => (state === 'found' ? lasting : absent),
      deadlineMs: 5000,
      ...more,
    }),
    close: () => cache.close(),
  }
}

/** Waits for a condition, turn by turn. */
export async function untilTrue(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 30_000
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error(`Never became true: ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A promise and what settles it. */
export function gate<T = void>(): {
  promise: Promise<T>
  open: (value: T) => void
  fail: (error: Error) => void
} {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  return { promise, open: resolve, fail: reject }
}
