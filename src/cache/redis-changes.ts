import { DAY_MS } from '#src/core/units.ts'
import { describeChange } from './change.ts'
import { CacheUnavailableError } from './errors.ts'
import type { OnCacheEvent, RedisFailure } from './events.ts'
import type { Sections } from './key.ts'
import { timeBytes } from './packing.ts'
import {
  answerWithin,
  closeRedisConnection,
  failureOf,
  isReadyWithin,
  openRedisConnection,
  type RedisConnection,
} from './redis-connection.ts'
import { answerKeyOf, channelOf, heldKeyOf, sweptKeyOf, VERSIONS } from './redis-keys.ts'

/**
 * The changes to what Redis holds that must not be lost: they have a connection and a patience of their own, say so when they
 * fail, and are told to every process.
 *
 * @param origin told with every change, so that a process knows its own
 * @param changeMs how long Redis has to make one
 * @param generationKeepMs how long a purged company's generation is remembered: longer than any fill can take
 */
export function createRedisChanges({
  url,
  schemaVersion,
  origin,
  changeMs,
  generationKeepMs,
  onEvent,
}: {
  url: string
  schemaVersion: number
  origin: string
  changeMs: number
  generationKeepMs: number
  onEvent: OnCacheEvent
}) {
  /** Redis has been told of this process once. */
  let isMarked = false
  /** It took what this process told it last. One that is full, or follows another, answers questions and keeps nothing new. */
  let isTaking = true
  const changes = openRedisConnection({ url, name: 'bo-cache-changes', silenceMaxMs: changeMs })
  const keyOf = (company: string) => heldKeyOf(schemaVersion, company)
  const { db } = changes.options
  const channel = channelOf(schemaVersion, db)

  function tellTaking(took: boolean, why: RedisFailure | null): void {
    if (took === isTaking) return
    isTaking = took
    onEvent({ kind: 'redis-taking', isTaking, why })
  }

  /** @throws CacheUnavailableError */
  async function insist<T>(operation: string, command: (redis: RedisConnection) => Promise<T>): Promise<T> {
    try {
      return await answerWithin(command(changes), changeMs)
    } catch (error) {
      const why = failureOf(error)
      onEvent({ kind: 'redis-failure', operation, why, withinMs: changeMs })
      throw new CacheUnavailableError(operation, why)
    }
  }

  /** @returns of how many of these companies anything was held */
  function change(
    how: 'soften' | 'purge',
    keys: readonly string[],
    { sections, now, message }: { sections: Sections; now: number; message: string },
  ): Promise<number> {
    return insist(how, (redis) =>
      redis.cacheChange(
        2 * keys.length,
        ...keys.flatMap((key) => [key, answerKeyOf(key)]),
        how,
        timeBytes(now),
        generationKeepMs,
        channel,
        message,
        ...inRedis(sections),
      ),
    )
  }

  async function changeOne(how: 'soften' | 'purge', company: string, sections: Sections, now: number) {
    const message = describeChange({ origin, how, company, sections })
    return (await change(how, [keyOf(company)], { sections, now, message })) > 0
  }

  return {
    channel,

    isTaking: () => isTaking,

    isReady: (withinMs: number): Promise<boolean> => isReadyWithin(changes, withinMs),

    /**
     * True when Redis has forgotten what this process told it when it last asked: it was emptied. Null when it can not be
     * asked. Whoever asks seldom is told so, too.
     */
    async wasEmptied(): Promise<boolean | null> {
      const mark = `bo-here:${origin}`
      try {
        const isThere = (await answerWithin(changes.set(mark, '1', 'PX', MARK_MS, 'XX'), changeMs)) === 'OK'
        if (!isThere) await answerWithin(changes.set(mark, '1', 'PX', MARK_MS), changeMs)
        tellTaking(true, null)
        if (isThere) return false
        const wasMarked = isMarked
        isMarked = true
        return wasMarked
      } catch (error) {
        const why = failureOf(error)
        if (why === 'full' || why === 'refused') tellTaking(false, why)
        return null
      }
    },

    /** @throws CacheUnavailableError */
    soften: (company: string, sections: Sections, now: number) => changeOne('soften', company, sections, now),

    /** @throws CacheUnavailableError */
    purge: (company: string, sections: Sections) => changeOne('purge', company, sections, 0),

    /**
     * Goes through all keys of this version, some hundred at a time. Other processes are told before, so that nothing of
     * theirs is served meanwhile, and after, since they may have read what was not yet reached. Nothing that was fetched before is given
     * back behind it, by whoever did not hear.
     *
     * @throws CacheUnavailableError part of it may be done
     */
    async sweep(prefix: string, sections: Sections, how: 'soften' | 'purge', now: number): Promise<void> {
      const message = describeChange({ origin, how, company: `${prefix}*`, sections })
      const meant = inRedis(sections).map((section) => `${prefix}/${section}`)
      await insist('tell', (redis) =>
        redis.cacheSwept(sweptKeyOf(schemaVersion), now, SWEPT_KEEP_MS, channel, message, ...meant),
      )
      let cursor = '0'
      do {
        const from = cursor
        const [next, keys] = await insist('scan', (redis) =>
          redis.scan(from, 'MATCH', `${keyOf(prefix)}*`, 'COUNT', SCAN_COUNT),
        )
        for (let at = 0; at < keys.length; at += CHANGED_AT_ONCE)
          await change(how, keys.slice(at, at + CHANGED_AT_ONCE), { sections, now, message: '' })
        cursor = next
      } while (cursor !== '0')
      await insist('tell', (redis) => redis.publish(channel, message))
    },

    /**
     * Deletes a company and leaves a tombstone that does not expire. Reaches every release something is kept of, beside,
     * before or after this one: their hashes may live on for months.
     *
     * @throws CacheUnavailableError do it again: until then it may still be in Redis and in other processes
     */
    async erase(company: string): Promise<void> {
      const message = describeChange({ origin, how: 'erase', company, sections: 'all' })
      const listed = await insist('erase', (redis) => redis.cacheVersions(VERSIONS, VERSION_KEEP_MS))
      const mayRun = new Set([schemaVersion, NUMBERED_MAX, ...listed.map(Number)])
      for (const version of new Set([...mayRun, ...NUMBERED])) {
        const leavesTombstone = mayRun.has(version) ? '1' : '0'
        const key = `bo:${version}:${company}`
        await insist('erase', (redis) =>
          redis.cacheErase(key, answerKeyOf(key), leavesTombstone, channelOf(version, db), message),
        )
      }
    },

    close: () => closeRedisConnection(changes),
  }
}

/** As its scripts have them. */
function inRedis(sections: Sections): readonly string[] {
  return sections === 'all' ? ['*'] : sections
}

/** Longer than the longest any copy is kept: operators may have one fresh for 90 days and stale for 365 more. */
const VERSION_KEEP_MS = 500 * DAY_MS
/** Longer than what was fetched before is served from memory without having been heard of in Redis. */
const SWEPT_KEEP_MS = 30 * DAY_MS
/** Until the version was a hash it was a number that was counted up by hand, and listed nowhere. */
const NUMBERED_MAX = 6
const NUMBERED = Array.from({ length: NUMBERED_MAX }, (_, index) => index + 1)
const SCAN_COUNT = 500
/** In one step of Redis', in which it answers nobody else: a millisecond or so. */
const CHANGED_AT_ONCE = 50
/** Of the mark a process leaves in Redis and renews. */
const MARK_MS = 60_000
