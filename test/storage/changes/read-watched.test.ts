import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { changesOf } from '#src/storage/changes/change-log.ts'
import { latestWatched, ownersWithChanges, watchedChangesAfter } from '#src/storage/changes/read-watched.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const { linesThroughMax: throughMax } = policy.changeLog
const A = '923609016'
const B = '974760673'
const REMOVED = '971524960'
const WANTED = 'foretak.konkurs.apnet'
/** Two pages of what nobody wants before what is wanted. */
const UNWANTED = 2 * throughMax

let storage: TestDatabase
let wanted: number

beforeAll(async () => {
  storage = await createTestDatabase()
  const { database } = storage
  const at = new Date('2026-10-19T09:00:00Z')
  for (const [eier, typer] of [
    ['alleSlagTilE', null],
    ['ettSlagTilHe', [WANTED]],
  ] as const) {
    await putWatches(database, { eier, prove: false }, [{ orgnr: A, navn: null, typer, epost: null }], {
      max: 1,
      at,
    })
  }
  await writeInLog(database, changeOf(A, { type: 'foretak.navn.endret' }))
  await database.query(
    `insert into endring (orgnr, seksjon, type, felt, forrige_at, sett_at, prove)
     select orgnr, seksjon, type, felt, forrige_at, sett_at, prove from endring, generate_series(2, $1::integer)`,
    [UNWANTED],
  )
  await writeInLog(database, changeOf(A, { type: WANTED }))
  const [last] = await database.query<{ nr: string }>('select max(nr) as nr from endring')
  wanted = Number(last?.nr)
})
afterAll(() => storage.close())

const page = (eier: string, after: number, types: readonly string[] | null) =>
  watchedChangesAfter(
    storage.database,
    { eier, prove: false },
    { after, orgnr: null, types, limit: 10, throughMax },
  )

test('P193: the end of the log is where it is, also for who has seen another', async () => {
  expect(await ownersWithChanges(storage.database, wanted + 1, [])).toMatchObject({ newest: wanted })
})

describe('P191: one who wants what hardly ever happens', () => {
  test.each([
    ['asks for it', 'alleSlagTilE', [WANTED]],
    ['watches for it', 'ettSlagTilHe', null],
  ])('and %s has so much of the log gone through at a time, and skips none', async (_, eier, types) => {
    const first = await page(eier, 0, types)
    expect(first).toMatchObject({ changes: [], isFull: true, last: { nr: wanted - throughMax - 1 } })
    const second = await page(eier, first.last?.nr ?? 0, types)
    expect(second).toMatchObject({ changes: [], isFull: true, last: { nr: wanted - 1 } })
    const third = await page(eier, second.last?.nr ?? 0, types)
    expect([third.changes.map(({ nr }) => nr), third.isFull]).toEqual([[wanted], false])
  })

  test('is told of as many as there is room for, before all are gone through', async () => {
    const { changes, isFull, last } = await page('alleSlagTilE', 0, null)
    expect([changes.length, isFull, last?.nr]).toEqual([10, true, changes.at(-1)?.nr])
  })

  test('sees the last of them among the last that may be gone through', async () => {
    const latest = await latestWatched(
      storage.database,
      { eier: 'ettSlagTilHe', prove: false },
      { limit: 10, throughMax },
    )
    expect(latest.map(({ nr }) => nr)).toEqual([wanted])
  })
})

test('P120: attack: from its burial on no line names a removed company, though nobody has erased it yet', async () => {
  const { database } = storage
  const eier = 'beggeToTilE'
  const watches = [B, REMOVED].map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null }))
  await putWatches(database, { eier, prove: false }, watches, { max: 2, at: new Date() })
  const revisor = { felt: '/roller/data/revisor', for: null, etter: { organisasjonsnummer: REMOVED } }
  await writeInLog(
    database,
    changeOf(B),
    changeOf(B, { felt: [revisor], nevner: [Number(REMOVED)] }),
    changeOf(REMOVED),
  )
  const told = async () => {
    const { changes, last } = await page(eier, wanted, null)
    const latest = await latestWatched(database, { eier, prove: false }, { limit: 10, throughMax })
    const all = { before: null, prove: false, limit: 10 }
    const own = await Promise.all([B, REMOVED].map((orgnr) => changesOf(database, orgnr, all)))
    const numbers = (lines: readonly { nr: number }[]) => lines.map(({ nr }) => nr - wanted).sort()
    return [numbers(changes), (last?.nr ?? 0) - wanted, numbers(latest), ...own.map(numbers)]
  }
  expect(await told()).toEqual([[1, 2, 3], 3, [1, 2, 3], [1, 2], [3]])
  await buryCompanies(database, [{ organisasjonsnummer: REMOVED, slettedato: null, at: new Date() }])
  expect(await told()).toEqual([[1], 1, [1], [1], []])
})

test('P121: attack: who waits is told after a pause in which one company that thousands watch changed thousands of times', async () => {
  const { database } = storage
  // As many pairs of a line and a watcher as PostgreSQL does not go through in the time of a statement.
  await database.query(
    `insert into overvaking (eier, orgnr, prove, fra_nr, opprettet_at)
     select 'venter' || nr, $1, false, 0, now() from generate_series(1, 5000) nr`,
    [Number(B)],
  )
  await database.query(
    `insert into endring (orgnr, seksjon, type, felt, forrige_at, sett_at, prove)
     select $1, seksjon, type, felt, forrige_at, sett_at, prove from endring where nr = $2`,
    [Number(B), wanted],
  )
  for (let doubled = 0; doubled < 13; doubled++)
    await database.query(
      `insert into endring (orgnr, seksjon, type, felt, forrige_at, sett_at, prove)
       select orgnr, seksjon, type, felt, forrige_at, sett_at, prove from endring where nr > $1`,
      [wanted],
    )
  const found = await ownersWithChanges(database, wanted, ['venter1', 'venter5000', 'alleSlagTilE'])
  expect([...found.owners].sort()).toEqual(['venter1', 'venter5000'])
  const all = await ownersWithChanges(
    database,
    wanted,
    Array.from({ length: 5000 }, (_, nr) => `venter${nr + 1}`),
  )
  expect(all.owners.size).toBe(5000)
  expect(all.newest).toBe(found.newest)
})
