import { type Policy, policy as standard } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { CompanySource } from '#src/sources/index.ts'
import { tidyChanges } from '#src/storage/changes/forget.ts'
import {
  askSoon,
  type DueLook,
  type LookLine,
  lookSoon,
  rememberEvents,
  takeDueLooks,
  takeUnanswered,
  watchedAmong,
  watchersOf,
} from '#src/storage/changes/looks.ts'
import type { Database } from '#src/storage/database.ts'

export type LookWork = ReturnType<typeof createLookWork>

/** Answers by company, and the last event of a page about each. */
type Touched = ReadonlyMap<Organisasjonsnummer, ReadonlySet<CompanySource>>
type LastEvents = ReadonlyMap<string, { id: string; at: Date }>

/** Answers of companies that are to be fetched. */
type Looks = readonly { orgnr: string; source: LookedSource }[]

/**
 * Keeps what is watched fresh. What the feeds tell of is fetched as they tell, whether anybody holds it or not; what they do not
 * tell is looked at once a day, each company at a time of its own; and what has not been looked at before, at once.
 */
export function createLookWork({
  database,
  clock,
  policy,
}: {
  database: Database
  clock: Clock
  policy: Policy['lookWork'] & Pick<Policy['looks'], 'unwatchedKeptMs'>
}) {
  return {
    /**
     * What a page of a feed touches that somebody watches. The register's events about it are remembered for the changes that come
     * of them.
     *
     * @param changes answers by company; what is looked at of them
     */
    async touched(changes: Touched, lastEvent: LastEvents): Promise<Touched> {
      const watched = await watchedAmong(database, [...changes.keys()])
      const touched = new Map(
        [...changes].flatMap(([orgnr, sources]) => {
          const looked = new Set([...sources].filter((source) => Object.hasOwn(policy.everyMs, source)))
          return watched.has(orgnr) && looked.size > 0 ? [[orgnr, looked] as const] : []
        }),
      )
      await remember(touched, lastEvent)
      return touched
    },

    /**
     * What a page of a feed touches that is held, though nobody watches: a change that comes of it has the register's event as well.
     * Whoever reads before this is noted is told of the change without it.
     */
    held: (changes: Touched, lastEvent: LastEvents): Promise<void> => remember(changes, lastEvent),

    /** In whose lines each of these stands: of who watches it. */
    linesOf: (orgnrs: readonly string[]) => watchersOf(database, orgnrs),

    /** Nobody could take the refreshes of these, whose time had come: they are looked at as soon as may be. */
    lookSoon: (orgnrs: readonly string[]) => lookSoon(database, orgnrs, clock.now()),

    /** What is to be looked at now, of some companies. Whoever takes them sees to it. */
    async due(line: LookLine): Promise<Looks> {
      const now = clock.now()
      const due = await takeDueLooks(database, now, {
        line,
        limit: policy.companiesAtOnce[line],
        nextAt: (look) => nextAt(look, line, now),
        keptUntil: new Date(now.getTime() + policy.unwatchedKeptMs),
      })
      return due.flatMap((look) =>
        lookedSourcesOf(look.seen)
          .filter((source) => lookLineOf(source) === line)
          .filter((source) => isDue(look.seen.get(source), policy.everyMs[source], now))
          .map((source) => ({ orgnr: look.orgnr, source })),
      )
    },

    /** What a register told of some time ago, and nobody has looked after: whatever took the word of it. */
    async unanswered() {
      const { unansweredAfterMs: afterMs, eventsKeptMs: untilMs, unansweredAtOnce: limit } = policy
      const answers = await takeUnanswered(database, { afterMs, untilMs, limit })
      return answers.flatMap(({ orgnr, source }) => (isOfRegister(source) ? [{ orgnr, source }] : []))
    },

    /** Nobody could take the refreshes of these, which a register told of: they are `unanswered` from now on. */
    askSoon: (looks: readonly { orgnr: string; source: CompanySource }[]) =>
      askSoon(database, looks, { afterMs: policy.unansweredAfterMs }),

    /** Takes away what is too old, to the end. */
    async tidy(signal: AbortSignal): Promise<void> {
      while (await tidyChanges(database, { ...policy, atOnce: policy.tidyAtOnce })) signal.throwIfAborted()
    },
  }

  async function remember(changes: Touched, lastEvent: LastEvents): Promise<void> {
    await rememberEvents(
      database,
      [...changes].flatMap(([orgnr, sources]) => {
        const event = lastEvent.get(orgnr)
        if (event === undefined) return []
        return [...sources].map((source) => ({ orgnr, source, event: event.id, at: event.at }))
      }),
    )
  }

  function isOfRegister(source: string): source is Exclude<LookedSource, 'aksjonaerer'> {
    return source !== 'aksjonaerer' && Object.hasOwn(policy.everyMs, source)
  }

  /** At its own time of the day, tomorrow; soon, where nothing could be seen yet. */
  function nextAt({ orgnr, seen }: DueLook, line: LookLine, now: Date): Date {
    if (seen.size === 0) return new Date(now.getTime() + policy.firstAgainMs)
    const isSlowUnseen = lookedSourcesOf(seen).some(
      (source) => lookLineOf(source) === 'sene_at' && !seen.has(source),
    )
    if (line === 'sene_at' && isSlowUnseen) return new Date(now.getTime() + policy.slowAgainMs)
    const place = (Number(orgnr) * SPREAD) % DAY_MS
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS + place
    return new Date(today - now.getTime() > policy.soonestMs ? today : today + DAY_MS)
  }

  function isDue(seen: Date | undefined, everyMs: number, now: Date): boolean {
    if (seen === undefined) return true
    const ageMs = now.getTime() - seen.getTime()
    // A time to come was written by a clock that was wrong.
    return ageMs < 0 || ageMs >= everyMs - policy.soonestMs
  }
}

/** Prime, so that numbers beside each other are far apart. */
const SPREAD = 7_919_993

export type LookedSource = keyof Policy['lookWork']['everyMs']

/** What may be asked for slowly is looked at by itself, and nothing waits for it. */
export function lookLineOf(source: LookedSource): LookLine {
  return standard.lookWork.slow.some((each) => each === source) ? 'sene_at' : 'neste_at'
}

/** A sub-unit has only itself; of what has not been seen yet it is not known which it is. */
export function lookedSourcesOf(seen: ReadonlyMap<string, unknown>): readonly LookedSource[] {
  if (seen.has('underenhet')) return ['underenhet']
  return seen.has('enhet') ? MAIN : ['underenhet', ...MAIN]
}

const MAIN = (Object.keys(standard.lookWork.everyMs) as LookedSource[]).filter(
  (source) => source !== 'underenhet',
)
