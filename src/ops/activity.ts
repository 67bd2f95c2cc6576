import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import type { Clock } from '#src/core/clock.ts'
import { MAIL_CHANNEL, type MailTold } from '#src/core/mail-told.ts'
import { MINUTE_MS } from '#src/core/units.ts'
import { QUEUE_CHANNEL, type QueueEvent } from '#src/queue/events.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { createCountLater } from './count-later.ts'
import { bucketOf } from './estimate.ts'
import { FEED_CHANNEL, type FeedProgress, type FeedReport } from './feed-report.ts'
import { addedMinute, emptyMinute, type Minute, type SourceMinute } from './minute.ts'
import { REQUEST_CHANNEL, type RequestLine } from './request-report.ts'

export type Activity = ReturnType<typeof createActivity>

/** What this process last knew of a source. Times are ISO 8601. */
export type SourceNow = {
  bryter: 'lukket' | 'apen' | 'prover'
  sistSvar: string | null
  sistFeil: string | null
}

/** How the mails go that this process sends: since when none was taken of those it tried, the last of them, and the last that was. ISO 8601. */
export type MailNow = { feilerSiden: string | null; sistFeilet: string | null; sistTatt: string | null }

/**
 * What this process does, minute by minute, counted from what the rooms below tell on their channels; the last minutes are
 * kept here, whatever becomes of the database. Names no company, key or person.
 */
export function createActivity({ clock, minutesMax }: { clock: Clock; minutesMax: number }) {
  const sources = new Map<string, SourceNow>()
  const feeds = new Map<string, FeedProgress>()
  const minutes: { at: Date; minute: Minute }[] = []
  let mail: MailNow = { feilerSiden: null, sistFeilet: null, sistTatt: null }

  /**
   * The minute that runs. Of a clock that was set back a little nothing is lost: it goes on in the newest. Of one that was far ahead
   * those minutes go that have not come: all that is counted would be in one of them until then.
   */
  function running(time = clock.now()): Minute {
    const now = time.getTime()
    while ((minutes.at(-1)?.at.getTime() ?? 0) > now + SET_BACK_MS) minutes.pop()
    const last = minutes.at(-1)
    if (last !== undefined && now < last.at.getTime() + 60_000) return last.minute
    const at = new Date(Math.floor(now / 60_000) * 60_000)
    const minute = emptyMinute()
    minutes.push({ at, minute })
    if (minutes.length > minutesMax) minutes.shift()
    return minute
  }

  function sourceMinute(source: string, at: Date): SourceMinute {
    return addedMinute(running(at).kilder, source)
  }

  function nowOf(source: string): SourceNow {
    const known = sources.get(source) ?? { bryter: 'lukket', sistSvar: null, sistFeil: null }
    sources.set(source, known)
    return known
  }

  function onSource(event: SourceEvent, at: Date): void {
    const now = nowOf(event.source)
    if (event.kind === 'breaker') {
      now.bryter = event.state
      return
    }
    const counted = sourceMinute(event.source, at)
    if (event.kind === 'answered') {
      now.sistSvar = at.toISOString()
      counted.svar += 1
    } else if (event.kind === 'refused') {
      counted.avvist += 1
      return
    } else {
      now.sistFeil = at.toISOString()
      counted.feil += 1
    }
    if (event.lane === 'background') counted.bakgrunn += 1
    const bucket = bucketWithin(LATENCY_BOUNDS_MS, event.ms)
    counted.ms[bucket] = (counted.ms[bucket] ?? 0) + 1
  }

  function onCache(event: CacheEvent, at: Date): void {
    const { mellomlager } = running(at)
    if (event.kind === 'evicted') {
      mellomlager.kastet += 1
      mellomlager.kastetByte += event.bytes
    } else if (event.kind === 'hit') mellomlager[event.tier === 'memory' ? 'minne' : 'redis'] += 1
    else if (event.kind === 'stale') mellomlager.utdatert += 1
    else if (event.kind === 'stale-if-error') mellomlager.vedFeil += 1
    else if (event.kind === 'miss') mellomlager.bom += 1
    else if (event.kind === 'fetched') onFetched(event.section, event.oldAgeMs, at)
  }

  function onFetched(section: string, oldAgeMs: number | null, at: Date): void {
    const counted = sourceMinute(section, at)
    if (oldAgeMs === null) {
      counted.forste += 1
      return
    }
    const ageS = oldAgeMs / 1000
    const bucket = bucketOf(ageS)
    counted.erstattet[bucket] = (counted.erstattet[bucket] ?? 0) + 1
    counted.alderS[bucket] = (counted.alderS[bucket] ?? 0) + Math.round(ageS)
  }

  function onRequest(message: unknown): void {
    const { status, hentet, ms, prove } = message as RequestLine
    if (prove) return
    const { foresporsler, oppslag } = running()
    foresporsler.alle += 1
    if (status >= 500) foresporsler.feil += 1
    if (hentet === null) return
    const buckets = oppslag[hentet]
    const bucket = bucketWithin(ANSWER_BOUNDS_MS, ms)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }

  function onQueue(message: unknown): void {
    const event = message as QueueEvent
    const { jobber } = running()
    if (event.kind === 'done') jobber.gjort += 1
    if (event.kind === 'failed') jobber[event.isLast ? 'oppgitt' : 'feilet'] += 1
  }

  function onFeed(message: unknown): void {
    const report = message as FeedReport
    if (report.kind === 'progress') feeds.set(report.progress.feed, report.progress)
  }

  function onMail(message: unknown): void {
    const at = clock.now().toISOString()
    mail = (message as MailTold).isTaken
      ? { feilerSiden: null, sistFeilet: null, sistTatt: at }
      : { ...mail, feilerSiden: mail.feilerSiden ?? at, sistFeilet: at }
  }

  const ofSources = createCountLater(onSource, () => clock.now())
  const ofCache = createCountLater(onCache, () => clock.now())
  const listeners = [
    [SOURCE_CHANNEL, ofSources.hear],
    [CACHE_CHANNEL, ofCache.hear],
    [REQUEST_CHANNEL, onRequest],
    [QUEUE_CHANNEL, onQueue],
    [FEED_CHANNEL, onFeed],
    [MAIL_CHANNEL, onMail],
  ] as const
  for (const [name, listener] of listeners) subscribe(name, listener)

  function countNow(): void {
    ofSources.countNow()
    ofCache.countNow()
  }

  return {
    /** Those before the running minute, oldest first, and the running one. */
    minutes: (): { at: Date; minute: Minute }[] => {
      countNow()
      running()
      return [...minutes]
    },
    sources: (): Record<string, SourceNow> => {
      countNow()
      return Object.fromEntries(sources)
    },
    feeds: (): FeedProgress[] => [...feeds.values()].filter(({ isFollowing }) => isFollowing),
    mail: (): MailNow => mail,
    close(): void {
      for (const [name, listener] of listeners) unsubscribe(name, listener)
      countNow()
    },
  }
}

/** Upper bounds in milliseconds; the last is for everything later. */
export const LATENCY_BOUNDS_MS = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 450, 700, 1000, 1500, 2500, 5000, 10_000,
] as const

/** The same for answers about companies: one at hand takes a fraction of a millisecond. */
export const ANSWER_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500] as const

function bucketWithin(bounds: readonly number[], ms: number): number {
  let bucket = 0
  while (bucket < bounds.length && ms > (bounds[bucket] ?? 0)) bucket += 1
  return bucket
}

/** A clock is set right by less each day: by more, it was wrong. */
const SET_BACK_MS = 2 * MINUTE_MS
