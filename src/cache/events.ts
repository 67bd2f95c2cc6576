import { channel } from 'node:diagnostics_channel'

/** What the cache does, for whoever counts. No event names a company: what a customer looks at is theirs. */
export type CacheEvent =
  | { kind: 'hit'; tier: 'memory' | 'redis'; section: string }
  | { kind: 'stale'; section: string }
  | { kind: 'miss'; section: string }
  /** Another caller's fetch was waited for: in this process, or in another one. */
  | { kind: 'collapsed'; within: 'process' | 'processes'; section: string }
  | { kind: 'stale-if-error'; section: string }
  /** The source answered; so old was the copy at hand, null when there was none. */
  | { kind: 'fetched'; section: string; oldAgeMs: number | null }
  | { kind: 'stored'; tier: 'memory' | 'redis'; section: string }
  | { kind: 'refused'; tier: 'memory' | 'redis'; section: string; why: Refusal }
  | { kind: 'evicted'; bytes: number }
  | { kind: 'redis-failure'; operation: string; why: RedisFailure; withinMs: number }
  | { kind: 'redis-usable'; isUsable: boolean }
  /** It answers, and says no to whatever is to be kept, or takes it again. */
  | { kind: 'redis-taking'; isTaking: boolean; why: RedisFailure | null }
  | { kind: 'bus-listening'; isListening: boolean }

/** Why an entry was not kept. */
export type Refusal =
  /** the company was erased */
  | 'erased'
  /** the company was purged or invalidated while the fill was under way */
  | 'generation'
  /** another process holds the lease by now */
  | 'lease'
  /** the caller did not believe it over the copy at hand */
  | 'doubted'
  | 'too-large'

export type RedisFailure =
  | 'timeout'
  | 'unreachable'
  /** out of memory, and its policy is to refuse */
  | 'full'
  /** any other error reply */
  | 'refused'

export type OnCacheEvent = (event: CacheEvent) => void

/** Listeners get a `CacheEvent`, synchronously. */
export const CACHE_CHANNEL = 'bedriftsoppslag:cache'

const cacheChannel = channel(CACHE_CHANNEL)

export const publishCacheEvent: OnCacheEvent = (event) => {
  if (cacheChannel.hasSubscribers) cacheChannel.publish(event)
}
