import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { coverageOf, lookMs as lookMsOf } from '#src/changes/coverage.ts'
import { createLookWork } from '#src/changes/look-work.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { changesAfter, logEnds } from '#src/storage/changes/change-log.ts'
import { looksBehind, readCoverage } from '#src/storage/changes/coverage.ts'
import { tidyChanges } from '#src/storage/changes/forget.ts'
import { takeDueLooks, watchedAmong } from '#src/storage/changes/looks.ts'
import { deleteWatches, putWatches } from '#src/storage/changes/watches.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const NOON = new Date('2026-11-22T12:00:00Z')
const DAY_MS = 24 * 60 * 60_000
const owner = { eier: 'kjede1234567', prove: false }
const numbers = Array.from({ length: 200 }, (_, index) => String(910_000_000 + index) as Organisasjonsnummer)
const [A = '910000000' as Organisasjonsnummer, B = '910000001' as Organisasjonsnummer] = numbers

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() =>
  storage.database.query(
    'truncate endring, endring_borte, grunnlag, overvaking, blikk, registerhendelse, fjernet',
  ),
)
afterAll(() => storage.close())

const lookMs = {
  neste_at: lookMsOf('neste_at', policy.lookWork),
  sene_at: lookMsOf('sene_at', policy.lookWork),
}
const query = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  storage.database.query<Row>(text, values)
const watch = (orgnrs: readonly string[]) =>
  putWatches(
    storage.database,
    owner,
    orgnrs.map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null })),
    { max: 1000, at: NOON, lookMs },
  )
const end = (orgnrs: readonly string[], eier = owner.eier) =>
  storage.database.transaction((connection) =>
    deleteWatches(connection, eier, orgnrs, { soon: NOON, keptUntil: NOON }),
  )
const take = (limit: number, at = NOON) =>
  takeDueLooks(storage.database, at, {
    line: 'neste_at',
    limit,
    nextAt: () => new Date(at.getTime() + DAY_MS),
    keptUntil: at,
  })
const seen = (orgnr: string, kilde: string, sett: Date) =>
  query(
    `insert into grunnlag (prove, orgnr, kilde, fakta, avtrykk, sett_at)
     values (false, $1, $2, 'x', decode(repeat('00', 16), 'hex'), $3)`,
    [Number(orgnr), kilde, sett],
  )
const workAt = (now: Date) =>
  createLookWork({
    database: storage.database,
    clock: { now: () => now },
    policy: { ...policy.looks, ...policy.lookWork },
  })

describe('P135: what a register told of and nobody has looked after', () => {
  const told = async (orgnrs: readonly string[], ageMs: number) => {
    const work = workAt(new Date())
    const changes = new Map(
      orgnrs.map((orgnr) => [orgnr as Organisasjonsnummer, new Set(['enhet' as const])]),
    )
    const at = new Date(Date.now() - ageMs)
    await work.touched(changes, new Map(orgnrs.map((orgnr) => [orgnr, { id: 'enheter:1', at }])))
    await query(`update registerhendelse set lest_at = lest_at - $1 * interval '1 ms'`, [ageMs])
    return work
  }
  const HOUR_MS = 60 * 60_000

  test('is asked for again, by one of many, and not again for a while', async () => {
    await watch([A, B])
    const work = await told([A, B], HOUR_MS)
    const taken = (await Promise.all([work.unanswered(), work.unanswered(), work.unanswered()])).flat()
    expect(taken.sort((a, b) => (a.orgnr < b.orgnr ? -1 : 1))).toEqual([
      { orgnr: A, source: 'enhet' },
      { orgnr: B, source: 'enhet' },
    ])
    expect(await work.unanswered()).toEqual([])
  })

  test('attack: where its refreshes were lost with the queue it is at once, and however often they are', async () => {
    await watch([A, B])
    const work = await told([A, B], 0)
    for (let times = 0; times < 2; times++) {
      await work.askSoon([{ orgnr: A, source: 'enhet' }])
      expect(await work.unanswered()).toEqual([{ orgnr: A, source: 'enhet' }])
    }
    expect(await work.unanswered()).toEqual([])
  })

  test('is left alone while its job may yet come to it, when nobody watches any more, and after a week', async () => {
    await watch([A])
    expect(await (await told([A], 0)).unanswered()).toEqual([])
    await end([A])
    await query(`update registerhendelse set lest_at = now() - interval '1 hour'`)
    expect(await workAt(new Date()).unanswered()).toEqual([])
    await watch([B])
    expect(await (await told([B], 8 * DAY_MS)).unanswered()).toEqual([])
  })
})

test('P17: what a register told of stands in the lines of who watches it, of some where there are many', async () => {
  await watch([A, B])
  await query(
    `insert into overvaking (eier, orgnr, prove, fra_nr, opprettet_at)
     select 'eier' || n, $1, n > 30, 0, now() from generate_series(1, 60) n`,
    [Number(B)],
  )
  const lines = await workAt(NOON).linesOf([A, B, numbers.at(-1) ?? ''])
  expect(lines.get(A)).toEqual([owner.eier])
  expect(new Set(lines.get(B)).size).toBe(20)
  expect([...lines.keys()].sort()).toEqual([A, B].sort())
})

test('P17: attack: which of a page’s companies are watched is known by one who watches each, however many do', async () => {
  await query(
    `insert into overvaking (eier, orgnr, prove, fra_nr, opprettet_at)
     select 'eier' || n, orgnr, false, 0, now() from generate_series(1, 300) n, unnest($1::integer[]) as orgnr`,
    [numbers.slice(0, 20).map(Number)],
  )
  const read = await storage.database.transaction(async (connection) => {
    expect([...(await watchedAmong(connection, numbers))].sort()).toEqual(numbers.slice(0, 20))
    const [row] = await connection.query<{ lest: string }>(
      `select seq_tup_read + idx_tup_fetch as lest from pg_stat_xact_user_tables where relname = 'overvaking'`,
    )
    return Number(row?.lest)
  })
  expect(read).toBeLessThan(300)
})

describe('P119: companies whose time has come', () => {
  test('are taken by one each, however many take, and not again before their time', async () => {
    await watch(numbers)
    const taken = (await Promise.all(Array.from({ length: 20 }, () => take(10)))).flat()
    const rest = await take(200)
    expect([...taken, ...rest].map(({ orgnr }) => orgnr).sort()).toEqual(numbers)
    expect(await take(10)).toEqual([])
    expect(await take(300, new Date(NOON.getTime() + DAY_MS))).toHaveLength(200)
  })

  test('that nobody watches any more are out of the line, and what they were is kept for a while only', async () => {
    await watch([A, B])
    await seen(A, 'enhet', NOON)
    await seen(B, 'enhet', NOON)
    const time = new Date(NOON.getTime() + DAY_MS)
    await take(10, NOON)
    await query('update blikk set sene_at = neste_at')
    // Looked at: it comes up at its own time, watched by somebody again or not.
    await end([A])
    expect(await query('select orgnr from blikk')).toHaveLength(2)
    expect((await take(10, time)).map(({ orgnr, seen }) => [orgnr, seen.get('enhet')])).toEqual([[B, NOON]])
    expect(await query('select orgnr from blikk')).toEqual([{ orgnr: Number(B) }])
    expect(await query('select orgnr from grunnlag where gjelder_til is not null')).toEqual([
      { orgnr: Number(A) },
    ])
    await watch([A])
    expect((await take(10)).map(({ orgnr }) => orgnr)).toEqual([A])
  })

  test('attack: that were begun to be watched and ended again and again are before nobody, and what another watches keeps its place', async () => {
    await watch([A])
    for (let round = 0; round < 3; round += 1) {
      await putWatches(
        storage.database,
        { eier: 'kjede7654321', prove: false },
        numbers.map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null })),
        { max: 1000, at: NOON },
      )
      await end(numbers, 'kjede7654321')
      expect(await query('select orgnr from blikk')).toEqual([{ orgnr: Number(A) }])
    }
    expect((await take(1)).map(({ orgnr }) => orgnr)).toEqual([A])
  })

  test('attack: that somebody ends to watch while another begins are looked at for that one', async () => {
    await watch([A])
    const both = Array.from({ length: 40 }, (_, place) => [
      storage.database.transaction((connection) =>
        deleteWatches(connection, owner.eier, [A], { soon: NOON, keptUntil: NOON }),
      ),
      putWatches(
        storage.database,
        { eier: `kjede${place}`, prove: false },
        [{ orgnr: A, navn: null, typer: null, epost: null }],
        { max: 1, at: NOON },
      ),
    ])
    await Promise.all(both.flat())
    expect(await query('select orgnr from blikk')).toEqual([{ orgnr: Number(A) }])
  })

  describe.each(['neste_at', 'sene_at'] as const)('in turns, in the line of %s', (line) => {
    const atOnce = policy.lookWork.companiesAtOnce[line]
    const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1000)
    const begin = (eier: string, orgnrs: readonly (number | string)[], at: Date) =>
      putWatches(
        storage.database,
        { eier, prove: false },
        orgnrs.map((orgnr) => ({ orgnr: String(orgnr), navn: null, typer: null, epost: null })),
        { max: policy.watches.most, at, lookMs },
      )
    const list = (nth: number) =>
      Array.from({ length: policy.watches.most }, (_, place) => 920_000_000 + nth * 100_000 + place)
    /** What is taken at one time. As in truth nothing of it could be seen yet, and it comes once more soon. */
    const turns = async (at: Date, count: number) => {
      const due = await takeDueLooks(storage.database, at, {
        line,
        limit: count * atOnce,
        nextAt: () => new Date(at.getTime() + policy.lookWork.firstAgainMs),
        keptUntil: at,
      })
      return due.map(({ orgnr }) => orgnr)
    }

    test('attack: two begin with ten thousand each, and for an hour what a third begins with is among the first to be taken', async () => {
      await begin('mange1', list(0), NOON)
      await begin('mange2', list(1), NOON)
      for (let seconds = 300; seconds <= 3600; seconds += 300) {
        expect(await turns(later(seconds), 150)).toHaveLength(150 * atOnce)
        // The other is one of the last of a list.
        const wished = [String(910_000_000 + seconds), String(list(0).at(-seconds))]
        await begin(`en${seconds}`, wished, later(seconds))
        expect(await turns(later(seconds), 6)).toEqual(expect.arrayContaining(wished))
      }
    })

    test('attack: whoever begins again, and ends what is first, comes no earlier for it', async () => {
      await begin('mange1', list(0), NOON)
      await begin('mange1', list(0).slice(5000), later(1))
      await end(list(0).slice(0, 2).map(String), 'mange1')
      await begin('mange1', [910_000_000, 910_000_001], later(2))
      const order = await query<{ orgnr: number }>(`select orgnr from blikk order by ${line}, orgnr`)
      expect(order.map(({ orgnr }) => orgnr)).toEqual([...list(0).slice(2), 910_000_000, 910_000_001])
      const [ends] = await query<{ sist: Date }>(`select max(${line}) as sist from blikk`)
      expect(ends?.sist.getTime()).toBeLessThanOrEqual(later(2).getTime())
    })

    test('attack: a look of the day comes while three begin anew with all that was taken of theirs', async () => {
      const max = 10 * atOnce
      let next = 930_000_000
      const owners = new Map(['mange1', 'mange2', 'mange3'].map((eier) => [eier, [] as string[]]))
      await watch([A])
      await query(`update blikk set ${line} = $1`, [later(100)])
      const listMs = max * lookMs[line]
      for (let seconds = 0; ; seconds += 2) {
        for (const [eier, theirs] of owners) {
          const fresh = Array.from({ length: max - theirs.length }, () => String(next++))
          theirs.push(...fresh)
          await putWatches(
            storage.database,
            { eier, prove: false },
            fresh.map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null })),
            { max, at: later(seconds), lookMs },
          )
        }
        const taken = new Set<string>(await turns(later(seconds), 1))
        if (taken.has(A)) return
        expect((seconds - 100) * 1000).toBeLessThan(7 * listMs)
        for (const [eier, theirs] of owners) {
          await end(
            theirs.filter((orgnr) => taken.has(orgnr)),
            eier,
          )
          owners.set(
            eier,
            theirs.filter((orgnr) => !taken.has(orgnr)),
          )
        }
      }
    })
  })

  test('attack: of one list that is begun and ended, and of which looks are asked for anew, many times at once, are held up by nobody', async () => {
    // As they lie in the table they are not by number.
    for (const orgnr of numbers.toReversed()) await watch([orgnr])
    const mixed = numbers.toSorted((a, b) => Number(a.slice(-1)) - Number(b.slice(-1)))
    for (let round = 0; round < 40; round += 1)
      await Promise.all([
        watch(numbers),
        end(numbers.filter((_, place) => place % 10 !== round % 10)),
        watch(mixed),
        workAt(NOON).lookSoon(mixed),
        end(mixed.slice(round * 5)),
      ])
    expect((await query('select 1 from blikk')).length).toBeLessThanOrEqual(numbers.length)
  })

  test('are asked of what was not seen, and of what is not told by feeds a day later', async () => {
    await watch([A])
    const asked = async (at: Date) =>
      (await workAt(at).due('neste_at')).filter(({ orgnr }) => orgnr === A).map(({ source }) => source)
    expect(await asked(NOON)).toEqual([
      'underenhet',
      'enhet',
      'roller',
      'signatur',
      'prokura',
      'regnskap',
      'konsern',
      'underenheter',
      'aksjonaerer',
    ])
    // Nothing could be seen: soon again.
    expect(await asked(new Date(NOON.getTime() + 5 * 60_000))).toEqual([])
    for (const { source } of await workAt(new Date(NOON.getTime() + 11 * 60_000)).due('neste_at'))
      if (source !== 'underenhet') await seen(A, source, new Date(NOON.getTime() + 11 * 60_000))
    const soon = new Date(NOON.getTime() + 22 * 60_000)
    expect(await asked(soon)).toEqual([])
    expect(await asked(new Date(soon.getTime() + 2 * DAY_MS))).toEqual([
      'enhet',
      'roller',
      'regnskap',
      'aksjonaerer',
    ])
  })

  test('are asked of announcements in a line of their own, for which nothing else waits, and again soon when they were not seen', async () => {
    await watch([A, B])
    const asked = async (at: Date) =>
      (await workAt(at).due('sene_at')).map(({ orgnr, source }) => [orgnr, source])
    await seen(A, 'enhet', NOON)
    await seen(B, 'underenhet', NOON)
    // A sub-unit has none.
    expect(await asked(NOON)).toEqual([[A, 'kunngjoringer']])
    expect((await workAt(NOON).due('neste_at')).map(({ source }) => source)).not.toContain('kunngjoringer')
    const again = new Date(NOON.getTime() + policy.lookWork.slowAgainMs + 1)
    expect(await asked(again)).toEqual([[A, 'kunngjoringer']])
    await seen(A, 'kunngjoringer', again)
    const later = new Date(again.getTime() + policy.lookWork.slowAgainMs + 1)
    expect(await asked(later)).toEqual([])
    expect(await asked(new Date(later.getTime() + 2 * DAY_MS))).toEqual([[A, 'kunngjoringer']])
  })

  test('come at times of their own, spread over the day', async () => {
    await watch(numbers)
    for (const orgnr of numbers) await seen(orgnr, 'enhet', NOON)
    const work = workAt(NOON)
    for (let some = await work.due('neste_at'); some.length > 0; some = await work.due('neste_at'));
    const rows = await query<{ time: number; antall: string }>(
      'select extract(hour from neste_at)::int / 6 as time, count(*) as antall from blikk group by 1 order by 1',
    )
    expect(rows).toHaveLength(4)
    for (const { antall } of rows) expect(Number(antall)).toBeGreaterThan(20)
    const [ends] = await query<{ forst: Date; sist: Date }>(
      'select min(neste_at) as forst, max(neste_at) as sist from blikk',
    )
    expect(ends?.forst.getTime()).toBeGreaterThan(NOON.getTime())
    expect(ends?.sist.getTime()).toBeLessThan(NOON.getTime() + 2 * DAY_MS)
  })

  test('a page of a feed is told of what is watched alone, and its last event is remembered', async () => {
    await watch([A])
    const touched = await workAt(NOON).touched(
      new Map([
        [A, new Set(['enhet', 'regnskapskopier'] as const)],
        [B, new Set(['enhet'] as const)],
      ]),
      new Map([
        [A, { id: 'enheter:9', at: NOON }],
        [B, { id: 'enheter:10', at: NOON }],
      ]),
    )
    expect([...touched].map(([orgnr, sources]) => [orgnr, [...sources]])).toEqual([[A, ['enhet']]])
    expect(await query('select orgnr, kilde, hendelse from registerhendelse')).toEqual([
      { orgnr: Number(A), kilde: 'enhet', hendelse: 'enheter:9' },
    ])
  })
})

describe('P120: what is too old', () => {
  const change = (orgnr: string) => changeOf(orgnr, { forrige: NOON, sett: NOON })

  test('goes from the beginning of the log, some at a time, and how far is remembered', async () => {
    await writeInLog(storage.database, ...numbers.slice(0, 50).map(change))
    const all = await changesAfter(storage.database, { after: 0, prove: false, limit: 100 })
    const old = all.slice(0, 30).map(({ nr }) => nr)
    await query(`update endring set skrevet_at = now() - interval '401 days' where nr <= $1`, [old.at(-1)])
    // One that is old among those that are not stays until they go: the log has no hole.
    await query(`update endring set skrevet_at = now() - interval '401 days' where nr = $1`, [all[40]?.nr])
    const tidy = () => tidyChanges(storage.database, { ...policy.lookWork, atOnce: 20 })
    expect(await tidy()).toBe(true)
    expect(await tidy()).toBe(false)
    const left = await changesAfter(storage.database, { after: 0, prove: false, limit: 100 })
    expect(left.map(({ nr }) => nr)).toEqual(all.slice(30).map(({ nr }) => nr))
    expect((await logEnds(storage.database)).goneTo).toBe(old.at(-1))
  })

  test('is taken from what unwatched companies were, and from events that brought nothing', async () => {
    await seen(A, 'enhet', NOON)
    await seen(B, 'enhet', NOON)
    await query(`update grunnlag set gjelder_til = now() - interval '1 second' where orgnr = $1`, [Number(A)])
    await query(
      `insert into registerhendelse values ($1, 'enhet', 'enheter:1', now(), now() - interval '8 days'),
         ($2, 'enhet', 'enheter:2', now(), now())`,
      [Number(A), Number(B)],
    )
    await workAt(NOON).tidy(AbortSignal.timeout(60_000))
    expect(await query('select orgnr from grunnlag')).toEqual([{ orgnr: Number(B) }])
    expect(await query('select orgnr from registerhendelse')).toEqual([{ orgnr: Number(B) }])
  })
})

describe('P119: from when each source of a watched company is followed', () => {
  const HOUR_MS = 60 * 60_000
  const coverage = async (orgnr: string, now: Date, since = NOON) => {
    const found = coverageOf(
      await readCoverage(storage.database, { orgnr, prove: false }, now),
      { since, now },
      policy.lookWork,
    )
    return new Map(found.map(({ source, from, expected }) => [source, { from, expected }]))
  }

  test('is told, and when what nobody has seen yet is likely to be: only the announcements wait for their turn', async () => {
    await watch(numbers)
    const last = numbers.at(-1) ?? ''
    expect((await coverage(A, NOON)).get('kunngjoringer')).toEqual({
      from: null,
      expected: new Date(NOON.getTime() + 2000),
    })
    // One a second: two hundred of them.
    expect((await coverage(last, NOON)).get('kunngjoringer')).toEqual({
      from: null,
      expected: new Date(NOON.getTime() + 200_000),
    })
    expect((await coverage(last, NOON)).get('enhet')?.expected).toEqual(new Date(NOON.getTime() + 68_000))
    const seenAt = new Date(NOON.getTime() + 5000)
    await seen(last, 'enhet', seenAt)
    expect((await coverage(last, seenAt)).get('enhet')).toEqual({ from: seenAt, expected: null })
    // Known from before somebody began to watch, it is told from then on.
    expect((await coverage(last, seenAt, new Date(seenAt.getTime() + 1000))).get('enhet')?.from).toEqual(
      new Date(seenAt.getTime() + 1000),
    )
  })

  test('and a look of the day that is late says so, with when it is likely to come; a sub-unit has itself alone', async () => {
    await watch([A, B])
    await seen(A, 'kunngjoringer', NOON)
    await query('update blikk set neste_at = $1, sene_at = $1', [NOON])
    const late = new Date(NOON.getTime() + 2 * HOUR_MS)
    expect((await coverage(A, new Date(NOON.getTime() + 1000))).get('kunngjoringer')).toEqual({
      from: NOON,
      expected: null,
    })
    expect((await coverage(A, late)).get('kunngjoringer')).toEqual({
      from: NOON,
      expected: new Date(late.getTime() + 2000),
    })
    expect((await looksBehind(storage.database)).sene_at).toBeGreaterThan(0)
    await seen(B, 'underenhet', NOON)
    expect([...(await coverage(B, NOON)).keys()]).toEqual(['underenhet'])
  })
})
