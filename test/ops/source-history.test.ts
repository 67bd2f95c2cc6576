import { channel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { publicStatus } from '#src/ops/public-status.ts'
import { createSourceHistory } from '#src/ops/source-history.ts'
import { SOURCE_CHANNEL, type SourceEvent } from '#src/sources/guard.ts'
import { addSourceQuarters, readSourceHistory, type SourceQuarter } from '#src/storage/source-quarters.ts'
import { createTestClock, HOUR_MS, MINUTE_MS } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { quarterAgo } from '../support/source-days.ts'

const log = { warn() {} } as unknown as Log

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(() => storage.database.query('delete from kildekvarter'))

function openHistory(
  add = (quarters: readonly SourceQuarter[]) => addSourceQuarters(storage.database, quarters),
) {
  return createSourceHistory({
    add,
    read: () => readSourceHistory(storage.database),
    clock: { now: () => new Date() },
    log,
    policy: { everyMs: HOUR_MS, quartersMax: 3 },
  })
}

function tell(...events: Partial<SourceEvent>[]): void {
  for (const event of events)
    channel(SOURCE_CHANNEL).publish({ source: 'roller', lane: 'front', ms: 3, ...event })
}

async function statusNow() {
  const clock = createTestClock()
  const history = { ...(await readSourceHistory(storage.database)), per: clock.now() }
  const status = publicStatus({ now: clock.now(), sources: {}, feeds: [], heard: null, history })
  return { ...status, of: (kilde: string) => status.kilder.find((each) => each.kilde === kilde) }
}

describe('P114: how each register answered is measured and kept', () => {
  it('by several processes, which add up; what was refused by a bound of ours was not asked', async () => {
    const histories = [openHistory(), openHistory()]
    tell({ kind: 'answered' }, { kind: 'answered' }, { kind: 'failed', failure: 'nettverk' })
    tell({ kind: 'refused', why: 'opptatt' }, { kind: 'breaker', state: 'apen' })
    await Promise.all(histories.map((each) => each.close()))
    tell({ kind: 'answered' })
    const { dager } = await readSourceHistory(storage.database)
    expect(dager).toEqual([{ kilde: 'roller', dag: expect.any(String), svar: 4, feil: 2 }])
  })

  it('and is shown before it is handed over', async () => {
    const history = openHistory()
    await history.start()
    tell({ kind: 'answered' }, { kind: 'failed', failure: 'nettverk' })
    expect(history.current()?.dager).toEqual([{ kilde: 'roller', dag: expect.any(String), svar: 1, feil: 1 }])
    expect(history.current()?.kilder).toHaveLength(1)
    await history.start()
    expect(history.current()?.dager[0]).toMatchObject({ svar: 1, feil: 1 })
    await history.close()
  })

  it('and loses at most a minute of a process that is killed', () => {
    expect(policy.ops.sourceHistory.everyMs).toBeLessThanOrEqual(MINUTE_MS)
  })

  it('and what the database did not take waits, the newest of it, and is added once', async () => {
    let isAway = true
    const history = openHistory(async (quarters) => {
      if (isAway) throw new Error('away')
      await addSourceQuarters(storage.database, quarters)
    })
    tell({ kind: 'answered', source: 'enhet' }, { kind: 'answered' })
    await history.start()
    tell({ kind: 'answered' }, { kind: 'answered', source: 'konsern' }, { kind: 'answered', source: 'sok' })
    expect(history.current()).toBeNull()
    isAway = false
    await history.start()
    expect(history.current()?.dager.map(({ kilde, svar }) => [kilde, svar])).toEqual([
      ['konsern', 1],
      ['roller', 2],
      ['sok', 1],
    ])
    await history.close()
  })

  it('for ninety days, and is erased after, whether anybody asks or not', async () => {
    await addSourceQuarters(storage.database, [quarterAgo('roller', 88 * 24, { svar: 1 })])
    await storage.database.query(
      `insert into kildekvarter (kilde, kvarter, svar, feil) values ('roller', now() - interval '91 days', 1, 0)`,
    )
    await addSourceQuarters(storage.database, [])
    const [row] = await storage.database.query<{ n: number }>(
      'select count(*)::integer as n from kildekvarter',
    )
    expect(row?.n).toBe(1)
  })

  it('by a clock that is right: what is to come is not believed', async () => {
    await addSourceQuarters(storage.database, [quarterAgo('roller', -48, { feil: 9 })])
    expect((await readSourceHistory(storage.database)).dager).toEqual([])
  })

  it('and a day on which nobody asked is told apart from a day on which all was well', async () => {
    const quarters = [
      quarterAgo('roller', 24 * 3, { svar: 100, feil: 1 }),
      quarterAgo('roller', 24 * 5, { svar: 97, feil: 3 }),
      quarterAgo('roller', 24 * 7, { svar: 2, feil: 2 }),
    ]
    await addSourceQuarters(storage.database, quarters)
    const { of } = await statusNow()
    const days = of('roller')?.dager ?? []
    const asked = quarters.map(({ kvarter }) => norwegianDay(kvarter))
    expect(asked.map((day) => days.find(({ dag }) => dag === day)?.drift)).toEqual([
      'i_drift',
      'ustabil',
      'nede',
    ])
    const unasked = days.filter(({ dag }) => !asked.includes(dag))
    expect([days.length, unasked.length]).toEqual([90, 87])
    expect(new Set(unasked.map(({ drift }) => drift))).toEqual(new Set(['ikke_spurt']))
    expect(new Set(of('regnskap')?.dager.map(({ drift }) => drift))).toEqual(new Set(['ikke_spurt']))
  })
})

describe('P114: an incident begins and ends as it was measured', () => {
  it('with the first and the last call that failed, and the first answer after, however quiet it was between', async () => {
    const quarters = [
      quarterAgo('roller', 10, { svar: 50 }),
      quarterAgo('roller', 10, { quarters: 1, svar: 5, feil: 9 }),
      // Nobody asked for half an hour: that is no answer.
      quarterAgo('roller', 10, { quarters: 4, feil: 1 }),
      quarterAgo('roller', 10, { quarters: 6, svar: 20 }),
    ]
    await addSourceQuarters(storage.database, quarters)
    const { hendelser, of } = await statusNow()
    const [, first, last, after] = quarters
    expect(hendelser).toEqual([
      {
        id: expect.stringMatching(/^roller-\d{12}$/),
        kilde: 'roller',
        fra: first?.forsteFeil?.toISOString(),
        til: last?.sisteFeil?.toISOString(),
        svarteIgjen: after?.forsteSvar?.toISOString(),
        svar: 5,
        feil: 10,
      },
    ])
    expect(of('roller')?.siden).toBe(after?.sisteSvar?.toISOString())
  })

  it('is two when an answer was heard between, and open while none is', async () => {
    await addSourceQuarters(storage.database, [
      quarterAgo('regnskap', 30, { feil: 4 }),
      quarterAgo('regnskap', 20, { svar: 4 }),
      quarterAgo('regnskap', 10, { feil: 4 }),
    ])
    const { hendelser } = await statusNow()
    expect(hendelser.map(({ svarteIgjen }) => svarteIgjen === null)).toEqual([true, false])
  })

  it('is none of a failure or two, nor of many among more answers', async () => {
    await addSourceQuarters(storage.database, [
      quarterAgo('regnskap', 30, { feil: 2 }),
      quarterAgo('sok', 30, { svar: 40, feil: 30 }),
    ])
    expect((await statusNow()).hendelser).toEqual([])
  })
})

describe('P114: since when a source is as it is', () => {
  const since = async (now: {
    bryter: 'lukket' | 'apen'
    sistSvar: string | null
    sistFeil: string | null
  }) => {
    const at = new Date()
    const history = { ...(await readSourceHistory(storage.database)), per: at }
    const status = publicStatus({ now: at, sources: { roller: now }, feeds: [], heard: null, history })
    return status.kilder.find(({ kilde }) => kilde === 'roller')?.siden
  }

  it('is the end of the last incident, or the first that was measured, for one that works', async () => {
    const first = quarterAgo('roller', 50, { svar: 1 })
    const back = quarterAgo('roller', 20, { svar: 9 })
    const now = { bryter: 'lukket' as const, sistSvar: new Date().toISOString(), sistFeil: null }
    await addSourceQuarters(storage.database, [first, back])
    expect(await since(now)).toBe(first.forsteSvar?.toISOString())
    await addSourceQuarters(storage.database, [quarterAgo('roller', 30, { feil: 5 })])
    expect(await since(now)).toBe(back.forsteSvar?.toISOString())
  })

  it('is the last answer any process heard for one that does not', async () => {
    const last = quarterAgo('roller', 3, { svar: 1 })
    await addSourceQuarters(storage.database, [quarterAgo('roller', 50, { svar: 1 }), last])
    expect(await since({ bryter: 'apen', sistSvar: null, sistFeil: new Date().toISOString() })).toBe(
      last.sisteSvar?.toISOString(),
    )
  })
})

describe('P105: a quarter whose times are none', () => {
  it.each([['kvarter'], ['forste_feil_at'], ['siste_feil_at'], ['siste_svar_at']])(
    'attack: %s is infinity, and every other source is told of',
    async (column) => {
      await addSourceQuarters(storage.database, [
        quarterAgo('regnskap', 30, { svar: 1, feil: 8 }),
        quarterAgo('roller', 30, { svar: 1, feil: 8 }),
      ])
      await storage.database.query(`update kildekvarter set ${column} = 'infinity' where kilde = 'regnskap'`)
      const { hendelser, of } = await statusNow()
      expect(hendelser.map(({ kilde }) => kilde)).toContain('roller')
      expect(of('roller')?.sistFeil).not.toBeNull()
    },
  )
})
