import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nineDigits } from '#src/core/organisation-number.ts'
import { changesAfter, changesOf, logEnds, type NewChange } from '#src/storage/changes/change-log.ts'
import {
  countWatches,
  deleteWatches,
  findWatch,
  listWatches,
  putWatches,
} from '#src/storage/changes/watches.ts'
import type { Database } from '#src/storage/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate endring, overvaking, blikk, fjernet'))
afterAll(() => storage.close())

const A = '923609016'
const B = '089912340'
const C = '974760673'
const BEFORE = new Date('2026-10-19T08:00:00Z')
const SEEN = new Date('2026-10-19T09:00:00Z')

const change = (orgnr: string, facts: Partial<NewChange> = {}) =>
  changeOf(orgnr, {
    hendelse: { id: 'enheter:123456', at: BEFORE },
    forrige: BEFORE,
    sett: SEEN,
    ...facts,
  })
const write = (...changes: NewChange[]) => writeInLog(storage.database, ...changes)
const linesAfter = (nr: number, limit = 1000) =>
  changesAfter(storage.database, { after: nr, prove: false, limit })

describe('the log of changes', () => {
  test('says all that was written, oldest first, and of invented companies apart', async () => {
    await write(change(A), change(B, { type: 'foretak.navn.endret', hendelse: null }))
    await write(change('901401101', { prove: true }))
    const [first, second, ...others] = await linesAfter(0)
    expect(first).toEqual({ nr: expect.any(Number), ...change(A) })
    expect(second).toMatchObject({ orgnr: B, type: 'foretak.navn.endret', hendelse: null })
    expect(others).toEqual([])
    expect(await linesAfter(first?.nr ?? 0)).toEqual([second])
    expect(await changesAfter(storage.database, { after: 0, prove: true, limit: 9 })).toHaveLength(1)
    expect(await changesOf(storage.database, A, { before: null, prove: false, limit: 9 })).toEqual([first])
    expect((await logEnds(storage.database)).goneTo).toBe(0)
  })

  test('whoever reads on while twenty write skips none: numbers become visible in their order', async () => {
    const seen: number[] = []
    let isWriting = true
    const reading = (async () => {
      while (isWriting) seen.push(...(await linesAfter(seen.at(-1) ?? 0, 7)).map(({ nr }) => nr))
    })()
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let times = 0; times < 10; times++) await write(change(A), change(B))
      }),
    )
    isWriting = false
    await reading
    for (let last = -1; last !== seen.length; ) {
      last = seen.length
      seen.push(...(await linesAfter(seen.at(-1) ?? 0)).map(({ nr }) => nr))
    }
    expect(seen).toEqual((await linesAfter(0)).map(({ nr }) => nr))
    expect(seen).toHaveLength(400)
  })

  test('a line of a shape nobody knows is left out, and the others are read', async () => {
    await write(change(A), change(B))
    await storage.database.query(`update endring set felt = '{"some": "thing"}' where orgnr = $1`, [
      Number(A),
    ])
    expect((await linesAfter(0)).map(({ orgnr }) => orgnr)).toEqual([B])
  })
})

describe('what is watched', () => {
  const owner = { eier: 'kjede1234567', prove: false }
  const wish = (orgnr: string) => ({ orgnr, navn: null, typer: null, epost: null })
  const put = (orgnrs: string[], max = 10) =>
    putWatches(storage.database, owner, orgnrs.map(wish), { max, at: SEEN })

  test('P180: attack: of test keys there is room for so many, of each and of all, and the oldest give way', async () => {
    let nr = 0
    const of = (eier: string, ...orgnrs: string[]) =>
      putWatches(storage.database, { eier, prove: true }, orgnrs.map(wish), {
        max: 2,
        ofTestsMax: 3,
        at: new Date(SEEN.getTime() + nr++),
      })
    const watched = async () => {
      const rows = await storage.database.query<{ eier: string; orgnr: number }>(
        'select eier, orgnr from overvaking where prove',
      )
      return rows.map(({ eier, orgnr }) => `${eier} ${nineDigits(orgnr)}`).sort()
    }
    expect(await of('Prv000000001', A, B, C)).toEqual({ full: true })
    expect(await of('Prv000000001', A)).toMatchObject({ count: 1 })
    expect(await of('Prv000000002', A, B)).toMatchObject({ count: 2 })
    // What is watched already is changed, and needs no room.
    expect(await of('Prv000000001', A)).toMatchObject({ count: 1 })
    expect(await watched()).toEqual([`Prv000000001 ${A}`, `Prv000000002 ${A}`, `Prv000000002 ${B}`].sort())
    expect(await of('Prv000000003', A)).toMatchObject({ count: 1 })
    expect(await watched()).toEqual([`Prv000000002 ${A}`, `Prv000000002 ${B}`, `Prv000000003 ${A}`].sort())
    expect(await of('Prv000000004', A, B)).toMatchObject({ count: 2 })
    expect(await watched()).toEqual([`Prv000000003 ${A}`, `Prv000000004 ${A}`, `Prv000000004 ${B}`].sort())
    // Who has bought a key has room all the while, and gives way to none.
    expect(await put([A, B])).toMatchObject({ count: 2 })
    await Promise.all([of('Prv000000005', A, B), of('Prv000000006', A, B)])
    expect(await watched()).toHaveLength(3)
    expect(await countWatches(storage.database, owner.eier)).toBe(2)
  })

  test('P99: what a whole list is wanted of is sent once, however many companies are in it', async () => {
    const typer = Array.from({ length: 80 }, (_, nr) => `foretak.type${nr}`)
    const wishes = inventNumbers(100).map((orgnr) => ({ orgnr, navn: null, typer, epost: null }))
    let letters = 0
    const counted: Pick<Database, 'transaction'> = {
      transaction: (work) =>
        storage.database.transaction((connection) =>
          work({
            query(text, values) {
              letters += JSON.stringify(values ?? []).length
              return connection.query(text, values)
            },
          }),
        ),
    }
    await putWatches(counted, owner, wishes, { max: 100, at: SEEN })
    expect(letters).toBeLessThan(3 * JSON.stringify(typer).length + 100 * 100)
    expect(await findWatch(storage.database, owner.eier, wishes.at(-1)?.orgnr ?? '')).toMatchObject({ typer })
  })

  test('is told of what comes later; told again it keeps where it began', async () => {
    await write(change(A))
    const [{ nr } = { nr: 0 }] = await linesAfter(0)
    await put([A, B])
    await write(change(A))
    await putWatches(
      storage.database,
      owner,
      [{ orgnr: A, navn: 'Kunden', typer: ['foretak', 'roller.styre'], epost: 'daglig' }],
      { max: 10, at: new Date() },
    )
    expect(await listWatches(storage.database, owner.eier, { limit: 9 })).toEqual([
      { ...wish(B), eier: owner.eier, fra: nr, opprettet: SEEN },
      {
        orgnr: A,
        navn: 'Kunden',
        typer: ['foretak', 'roller.styre'],
        epost: 'daglig',
        eier: owner.eier,
        fra: nr,
        opprettet: SEEN,
      },
    ])
    expect(await storage.database.query('select orgnr from blikk order by 1')).toEqual([
      { orgnr: Number(B) },
      { orgnr: Number(A) },
    ])
  })

  test('is no more than an owner may have: all of a wish or nothing, also at once', async () => {
    const wishes = Array.from({ length: 8 }, (_, index) => put([String(910000000 + index)], 5))
    const outcomes = await Promise.all(wishes)
    expect(outcomes.filter((outcome) => 'full' in outcome)).toHaveLength(3)
    expect(await put([A, B], 5)).toEqual({ full: true })
    expect(await listWatches(storage.database, owner.eier, { limit: 9 })).toHaveLength(5)
    expect(await put(['910000000', '910000000'], 10)).toMatchObject({ count: expect.any(Number) })
  })

  test('ends, is one owner’s alone, and never names a removed company', async () => {
    await storage.database.query(
      `insert into fjernet (organisasjonsnummer, nummer, fjernet_at) values ($1, 1, now())`,
      [B],
    )
    await put([A, B])
    const line = { soon: SEEN, keptUntil: SEEN }
    expect(await findWatch(storage.database, owner.eier, B)).toBeNull()
    expect(await deleteWatches(storage.database, 'enannen12345', [A], line)).toEqual(new Set())
    expect(await deleteWatches(storage.database, owner.eier, [A, B], line)).toEqual(new Set([A]))
    expect(await findWatch(storage.database, owner.eier, A)).toBeNull()
  })
})
