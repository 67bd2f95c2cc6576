import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import type { SourceHistory, SourceQuarter } from '#src/storage/source-quarters.ts'
import { createCountLater } from './count-later.ts'

export type KnownHistory = SourceHistory & {
  /** When it was read. */
  per: Date
}

const QUARTER_MS = 15 * 60_000

/**
 * Counts what this process' sources answer, hands it over twice a minute to be added to what the other processes counted, and
 * keeps the sum of all as it was last read: it is at hand while the database is away. What could not be handed over waits, as
 * much as there is room for; the oldest go. A hand-over whose answer was lost is made again, and then counts twice.
 */
export function createSourceHistory({
  add,
  read,
  clock,
  log,
  policy,
}: {
  add: (quarters: readonly SourceQuarter[]) => Promise<void>
  read: () => Promise<SourceHistory>
  clock: Clock
  log: Log
  policy: { everyMs: number; quartersMax: number }
}) {
  let waiting = new Map<string, SourceQuarter>()
  let known: KnownHistory | null = null
  let isFailing = false

  function onSource(event: SourceEvent, at: Date): void {
    // What was refused by a bound of ours was not asked.
    if (event.kind !== 'answered' && event.kind !== 'failed') return
    const quarter = begunQuarter(event.source, at)
    if (event.kind === 'answered') {
      quarter.svar += 1
      quarter.forsteSvar ??= at
      quarter.sisteSvar = at
    } else {
      quarter.feil += 1
      quarter.forsteFeil ??= at
      quarter.sisteFeil = at
    }
  }

  function begunQuarter(kilde: string, at: Date): SourceQuarter {
    const kvarter = new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS)
    const key = `${kilde} ${kvarter.getTime()}`
    const there = waiting.get(key)
    if (there !== undefined) return there
    const begun = { kilde, kvarter, svar: 0, feil: 0, ...NO_TIMES }
    waiting.set(key, begun)
    const [oldest] = waiting.keys()
    if (waiting.size > policy.quartersMax && oldest !== undefined) waiting.delete(oldest)
    return begun
  }

  async function hand(): Promise<void> {
    countNow()
    const handed = waiting
    waiting = new Map()
    try {
      await add([...handed.values()])
    } catch (error) {
      for (const [key, quarter] of waiting) handed.set(key, sumOf(handed.get(key), quarter))
      waiting = new Map([...handed].slice(-policy.quartersMax))
      throw error
    }
  }

  const repeated = createRepeat(
    {
      everyMs: policy.everyMs,
      onFault(error) {
        if (!isFailing) log.warn({ err: error }, 'how the sources answered could not be kept, or read')
        isFailing = true
      },
    },
    async () => {
      await hand()
      known = { ...(await read()), per: clock.now() }
      isFailing = false
    },
  )
  const { hear, countNow } = createCountLater(onSource, () => clock.now())
  subscribe(SOURCE_CHANNEL, hear)

  return {
    start: repeated.start,
    /**
     * What all processes together have seen, and this one since it last handed over; null when it could not be read since this
     * one began.
     */
    current(): KnownHistory | null {
      countNow()
      return known && withCounted(known, waiting.values())
    },
    async close(): Promise<void> {
      unsubscribe(SOURCE_CHANNEL, hear)
      countNow()
      await repeated.close()
      // A database that is away does not hold the end of the process up.
      if (!isFailing) await hand().catch((error) => log.warn({ err: error }, 'the last of it is lost'))
    },
  }
}

/** Incidents are told of when they are handed over. */
function withCounted(history: KnownHistory, counted: Iterable<SourceQuarter>): KnownHistory {
  const days = new Map(history.dager.map((each) => [`${each.kilde} ${each.dag}`, each]))
  const sources = new Map(history.kilder.map((each) => [each.kilde, each]))
  for (const { kilde, kvarter, svar, feil, forsteSvar, forsteFeil, sisteSvar, sisteFeil } of counted) {
    const dag = norwegianDay(kvarter)
    const before = days.get(`${kilde} ${dag}`)
    days.set(`${kilde} ${dag}`, {
      kilde,
      dag,
      svar: svar + (before?.svar ?? 0),
      feil: feil + (before?.feil ?? 0),
    })
    const first = [forsteSvar, forsteFeil]
      .filter((at) => at !== null)
      .sort((a, b) => a.getTime() - b.getTime())[0]
    if (!sources.has(kilde) && first !== undefined)
      sources.set(kilde, { kilde, maaltFra: first, sisteSvar, sisteFeil })
  }
  return { ...history, dager: [...days.values()], kilder: [...sources.values()] }
}

const NO_TIMES = { forsteSvar: null, sisteSvar: null, forsteFeil: null, sisteFeil: null }

function sumOf(before: SourceQuarter | undefined, later: SourceQuarter): SourceQuarter {
  if (before === undefined) return later
  return {
    ...before,
    svar: before.svar + later.svar,
    feil: before.feil + later.feil,
    forsteSvar: before.forsteSvar ?? later.forsteSvar,
    sisteSvar: later.sisteSvar ?? before.sisteSvar,
    forsteFeil: before.forsteFeil ?? later.forsteFeil,
    sisteFeil: later.sisteFeil ?? before.sisteFeil,
  }
}
