import { channel } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { createLog } from '#src/core/log.ts'
import { type Activity, createActivity, LATENCY_BOUNDS_MS, type SourceNow } from '#src/ops/activity.ts'
import { createHeartbeat } from '#src/ops/heartbeat.ts'
import { type Minute, quantile, readMinute, sumOfMinutes } from '#src/ops/minute.ts'
import type { ProcessReport } from '#src/ops/process-report.ts'
import { publicStatus } from '#src/ops/public-status.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { createTestClock, MINUTE_MS, type TestClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'

let clock: TestClock
let activity: Activity
beforeEach(() => {
  clock = createTestClock()
  activity = createActivity({ clock, minutesMax: 5 })
})
afterEach(() => activity.close())

const source = (event: SourceEvent) => channel(SOURCE_CHANNEL).publish(event)
const cache = (event: CacheEvent) => channel(CACHE_CHANNEL).publish(event)
const answered = (ms: number) => source({ kind: 'answered', source: 'regnskap', lane: 'background', ms })

describe('what a process counts', () => {
  it('is counted by minute, and bounded', () => {
    for (let minute = 0; minute < 20; minute += 1) {
      answered(20)
      clock.advance(MINUTE_MS)
    }
    expect(activity.minutes()).toHaveLength(5)
    expect(activity.minutes().at(-2)?.minute.kilder.regnskap).toMatchObject({ svar: 1, bakgrunn: 1 })
  })

  it('P195: attack: with a clock that was ahead by a day is told of minute by minute when it is right again', async () => {
    const kept = new Set<string>()
    const heartbeat = createHeartbeat({
      report: async () => [],
      minutes: activity.minutes,
      keepMinute: async (at) => void kept.add(at.toISOString()),
      forget: async () => {},
      log: createLog({ level: 'silent', file: null }),
      policy: { everyMs: 5, minutesAtOnce: 2 },
    })
    await heartbeat.start()
    try {
      clock.advance(24 * 60 * MINUTE_MS)
      answered(20)
      await eventually('it is told of', () => kept.size > 0)
      clock.advance(-24 * 60 * MINUTE_MS)
      kept.clear()
      const minutes: string[] = []
      for (let each = 0; each < 3; each += 1) {
        answered(20)
        const at = activity.minutes().at(-1)?.at
        expect(Math.abs(clock.now().getTime() - (at?.getTime() ?? 0))).toBeLessThan(MINUTE_MS)
        minutes.push(at?.toISOString() ?? '')
        await eventually('it is told of', () => kept.has(minutes.at(-1) ?? ''))
        clock.advance(MINUTE_MS)
      }
      expect(new Set(minutes).size).toBe(3)
    } finally {
      await heartbeat.close()
    }
  })

  it('tells answers from failures, and neither from calls that were never made', () => {
    answered(20)
    const failed = { kind: 'failed', source: 'regnskap', lane: 'front', ms: 900 } as const
    source({ ...failed, failure: 'tidsfrist' })
    source({ kind: 'refused', source: 'regnskap', lane: 'front', why: 'budsjett_brukt' })
    const [minute] = activity.minutes()
    expect(minute?.minute.kilder.regnskap).toMatchObject({ svar: 1, feil: 1, avvist: 1 })
  })

  it('comes back whole from where it was stored, and adds up', () => {
    answered(20)
    cache({ kind: 'fetched', section: 'regnskap', oldAgeMs: 3_600_000 })
    cache({ kind: 'fetched', section: 'regnskap', oldAgeMs: null })
    const stored = readMinute(JSON.parse(JSON.stringify(activity.minutes()[0]?.minute)))
    expect(stored).not.toBeNull()
    const { kilder } = sumOfMinutes([stored, stored] as Minute[])
    expect(kilder.regnskap).toMatchObject({ svar: 2, forste: 2 })
    expect(kilder.regnskap?.erstattet.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(2)
    expect(readMinute({ kilder: 'tull' })).toBeNull()
  })

  it('has quantiles that lie in their buckets', () => {
    for (let call = 0; call < 99; call += 1) answered(30)
    answered(4000)
    const ms = activity.minutes()[0]?.minute.kilder.regnskap?.ms ?? []
    expect(quantile(ms, LATENCY_BOUNDS_MS, 0.5)).toBeGreaterThan(20)
    expect(quantile(ms, LATENCY_BOUNDS_MS, 0.5)).toBeLessThanOrEqual(35)
    expect(quantile(ms, LATENCY_BOUNDS_MS, 0.995)).toBeGreaterThan(2500)
    expect(quantile([], LATENCY_BOUNDS_MS, 0.5)).toBeNull()
  })
})

describe('the word of a process that it lives', () => {
  it('keeps the minutes while the database is away, and tells them when it is back', async () => {
    let isAway = true
    const kept = new Map<number, Minute>()
    const heartbeat = createHeartbeat({
      report: async () => {
        if (isAway) throw new Error('away')
        return []
      },
      minutes: activity.minutes,
      keepMinute: async (at, minute) => void kept.set(at.getTime(), structuredClone(minute)),
      forget: async () => {},
      log: createLog({ level: 'silent', file: null }),
      policy: { everyMs: 5, minutesAtOnce: 2 },
    })
    answered(20)
    clock.advance(MINUTE_MS)
    answered(20)
    clock.advance(MINUTE_MS)
    answered(20)
    await heartbeat.start()
    expect([kept.size, heartbeat.alive()]).toEqual([0, null])
    isAway = false
    await eventually('all three are kept', () => kept.size === 3)
    answered(20)
    await eventually(
      'the running minute is kept again',
      () => [...kept.values()].at(-1)?.kilder.regnskap?.svar === 2,
    )
    await heartbeat.close()
  })
})

describe('the public word on the registers', () => {
  const status = () =>
    publicStatus({
      now: clock.now(),
      sources: activity.sources(),
      feeds: [],
      heard: null,
      history: null,
    }).kilder.find(({ kilde }) => kilde === 'regnskap')

  it('is what this process knows, and as of when', () => {
    expect(status()).toMatchObject({ drift: 'ukjent', sistSvar: null })
    answered(20)
    expect(status()).toMatchObject({ drift: 'i_drift', sistSvar: clock.now().toISOString() })
    clock.advance(1000)
    source({ kind: 'failed', source: 'regnskap', lane: 'front', ms: 900, failure: 'feilstatus' })
    expect(status()).toMatchObject({ drift: 'ustabil', sistFeil: clock.now().toISOString() })
    source({ kind: 'breaker', source: 'regnskap', state: 'apen' })
    expect(status()?.drift).toBe('nede')
  })

  it('P114: attack: one process that has lost its way to a register has it called down for nobody who hears it', () => {
    const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 9, 0, second)).toISOString()
    const drift = (...seen: SourceNow[]) => {
      const reports = seen.map(
        (regnskap) => ({ kilder: { regnskap }, feeder: [] }) as unknown as ProcessReport,
      )
      return publicStatus({
        now: clock.now(),
        sources: {},
        feeds: [],
        heard: { at: clock.now(), reports },
        history: null,
      }).kilder.find(({ kilde }) => kilde === 'regnskap')?.drift
    }
    const lost = { bryter: 'apen', sistSvar: at(1), sistFeil: at(10) } as const
    const heardBy = (sistSvar: string | null) => ({ bryter: 'lukket', sistSvar, sistFeil: null }) as const
    expect(drift(lost, heardBy(at(11)))).toBe('ustabil')
    expect(drift(lost, { ...lost, bryter: 'prover' }, heardBy(at(11)))).toBe('ustabil')
    // It may be gone for those as well who have not asked since.
    expect(drift(lost, heardBy(at(9)))).toBe('nede')
    expect(drift(lost, heardBy(null))).toBe('nede')
    expect(drift(lost, lost)).toBe('nede')
    expect(drift({ ...lost, bryter: 'lukket', sistSvar: at(12) }, heardBy(at(11)))).toBe('i_drift')
  })
})
