import { hash } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { applyPending } from '#src/search/keep.ts'
import { readQuestion } from '#src/search/question.ts'
import { believeEnhet } from '#src/sources/enhetsregisteret/believe-unit.ts'
import type { Answer } from '#src/sources/source.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { isBuildLeft, noteBuildFailure, readIndexState } from '#src/storage/search/build-state.ts'
import { noteEarlierChanges } from '#src/storage/search/changes.ts'
import { forgetCompanies } from '#src/storage/search/forget.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { buildFrom, bulkOf } from './built-index.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const COUNT = 1200
const unit = (index: number) => ({
  organisasjonsnummer: String(800_000_000 + index),
  navn: `LYNGHEI NUMMER ${index} AS`,
  organisasjonsform: { kode: 'AS' },
  respons_klasse: 'Enhet',
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
})
const bulk = { enheter: Array.from({ length: COUNT }, (_, index) => unit(index)), underenheter: [] }
const find = async (q: string) =>
  (await findAny(readQuestion(q), noFilters, { db: storage.database, limitMs: 60_000 })).hits.map(
    ({ orgnr }) => orgnr,
  )

/** The files, but the process is killed after so many units, or something else happens then. */
function brokenAfter(
  units: number,
  happens = async (): Promise<unknown> => {
    throw new Error('killed')
  },
) {
  const whole = bulkOf(bulk)
  return {
    ...whole,
    units: async (...asked: Parameters<typeof whole.units>) => {
      const { etag, batches } = await whole.units(...asked)
      async function* some() {
        let read = 0
        for await (const batch of batches) {
          yield batch
          read += batch.length
          if (read >= units) await happens()
        }
      }
      return { etag, batches: some() }
    },
  }
}

/** Reads what waits to be read, of a register that knows these. @returns how many were read */
async function readPending(units: readonly { organisasjonsnummer: string }[]): Promise<number> {
  const asked = async (orgnr: string): Promise<Answer<Unit>> => {
    const found = units.find(({ organisasjonsnummer }) => organisasjonsnummer === orgnr)
    return { outcome: 'found', ...believeEnhet('enhet', found), fetchedAt: new Date() }
  }
  return applyPending({
    database: storage.database,
    ask: { enhet: asked, underenhet: asked },
    remove: async () => {},
    clock: systemClock,
    log: { warn() {} },
    signal: new AbortController().signal,
    policy: { changesAtOnce: 100, changesDeadlineMs: 10_000 },
  })
}

it('P79: a build that is killed goes on where it ended, and readers never see a part of it', async () => {
  await expect(buildFrom(storage.url, bulk, { bulk: brokenAfter(700) })).rejects.toThrow('killed')
  const { live, build } = await readIndexState(storage.database)
  expect([live, build?.phase, build?.read]).toEqual([null, 'enheter', 500])
  expect(await find('lynghei nummer 3')).toEqual([])
  expect(await buildFrom(storage.url, bulk)).toBe('bygget')
  expect((await readIndexState(storage.database)).live).toMatchObject({ units: COUNT, subUnits: 0 })
  expect((await find('lynghei nummer 3'))[0]).toBe(800_000_003)
  expect((await find('lynghei nummer 1111'))[0]).toBe(800_001_111)
})

it('P79: a build that does not move is left, but not as soon as it was told that it failed', async () => {
  const own = await createTestDatabase()
  const minutes = (count: number) => count * 60_000
  const isLeft = () => isBuildLeft(own.database, { leftAfterMs: minutes(1), failedAfterMs: minutes(5) })
  const aMinuteLater = () =>
    own.database.query(
      `update sok_bygg set flyttet_at = flyttet_at - interval '61 s', feil_at = feil_at - interval '61 s'`,
    )
  expect(await isLeft()).toBe(false)
  await expect(buildFrom(own.url, bulk, { bulk: brokenAfter(700) })).rejects.toThrow('killed')
  expect(await isLeft()).toBe(false)
  await aMinuteLater()
  expect(await isLeft()).toBe(true)
  await noteBuildFailure(own.database, '25006')
  for (let since = 0; since < 5; since += 1) {
    expect(await isLeft()).toBe(false)
    await aMinuteLater()
  }
  expect(await isLeft()).toBe(true)
  expect(await buildFrom(own.url, bulk)).toBe('bygget')
  await aMinuteLater()
  expect(await isLeft()).toBe(false)
  await own.close()
})

it('P79: attack: whose PostgreSQL goes away in the middle is told that it did, however it went', async () => {
  const way = await createBreakableConnection(storage.url)
  try {
    await expect(buildFrom(way.url, bulk, { bulk: brokenAfter(COUNT / 2, way.cut) })).rejects.toThrow(
      StorageUnavailableError,
    )
  } finally {
    await way.close()
  }
  await expect(
    buildFrom(storage.url, bulk, {
      bulk: brokenAfter(COUNT / 2, () => storage.database.query(OTHERS_ENDED)),
    }),
  ).rejects.toThrow(StorageUnavailableError)
  await buildFrom(storage.url, bulk)
})

it('P105: attack: an index is built whatever form PostgreSQL was told to write times in', async () => {
  const told = await createTestDatabase()
  await told.database.query(
    `alter database ${new URL(told.url).pathname.slice(1)} set datestyle = 'German, DMY'`,
  )
  await expect(buildFrom(told.url, bulk, { bulk: brokenAfter(700) })).rejects.toThrow('killed')
  expect(await buildFrom(told.url, bulk)).toBe('bygget')
  expect((await readIndexState(told.database)).live).toMatchObject({ units: COUNT })
  await told.close()
})

it('P11: a bulk file made before a removal does not bring the company back', async () => {
  await buryCompanies(storage.database, [
    { organisasjonsnummer: '800000007', slettedato: null, at: new Date() },
  ])
  expect(await buildFrom(storage.url, bulk)).toBe('bygget')
  expect(await find('lynghei nummer 7')).not.toContain(800_000_007)
  expect(await storage.database.query('select 1 from sok_navn where orgnr = 800000007')).toEqual([])
})

describe('P11: attack: of a company that is removed not a word of its own is left', () => {
  const orgnr = 800_000_500
  const called = (navn: string) => ({ ...unit(500), navn })
  const among = (navn: string) => ({
    ...bulk,
    enheter: bulk.enheter.map((each) => (Number(each.organisasjonsnummer) === orgnr ? called(navn) : each)),
  })
  const words = async () => {
    const asked = ['kvitveis', 'trollnes', 'tindelia', 'lynghei']
    const rows = await storage.database.query<{ ord: string }>(
      'select ord from sok_ord where ord = any($1) order by ord',
      [asked],
    )
    return rows.map(({ ord }) => ord)
  }
  const erase = () => storage.database.transaction((connection) => forgetCompanies(connection, [orgnr]))

  it('which a build had called otherwise than it was when its index took its place', async () => {
    const catchUp = async () => {
      await noteEarlierChanges(storage.database, [{ orgnr, isSubUnit: false, at: new Date() }])
      await readPending([called('LYNGHEI TINDELIA AS')])
    }
    expect(await buildFrom(storage.url, among('LYNGHEI KVITVEIS TROLLNES AS'), { catchUp })).toBe('bygget')
    expect(await words()).toEqual(['lynghei', 'tindelia'])
    await erase()
    expect(await words()).toEqual(['lynghei'])
  })

  it('right before an index takes its place', async () => {
    const removal = { organisasjonsnummer: String(orgnr), slettedato: null, at: new Date() }
    const catchUp = () => buryCompanies(storage.database, [removal])
    expect(await buildFrom(storage.url, among('LYNGHEI KVITVEIS TROLLNES AS'), { catchUp })).toBe('bygget')
    await erase()
    expect(await words()).toEqual(['lynghei'])
  })
})

it('P11: a sub-unit that is found by its number is known by whose it is: with that company it is shown no more', async () => {
  const underenhet = {
    organisasjonsnummer: '973160834',
    navn: 'LYNGHEI NUMMER 9 AVD LIA',
    organisasjonsform: { kode: 'BEDR' },
    respons_klasse: 'Underenhet',
    overordnetEnhet: '800000009',
  }
  expect(await buildFrom(storage.url, { ...bulk, underenheter: [underenhet] })).toBe('bygget')
  const { hits } = await findAny(readQuestion('973 160 834'), noFilters, {
    db: storage.database,
    limitMs: 60_000,
  })
  expect(hits).toMatchObject([{ orgnr: 973_160_834, parent: 800_000_009, why: { how: 'number' } }])
})

it('of two that build at once one builds, and the other is told', async () => {
  const outcomes = await Promise.all([buildFrom(storage.url, bulk), buildFrom(storage.url, bulk)])
  expect(outcomes.toSorted()).toEqual(['bygget', 'opptatt'])
})

it('P189: a unit that says what PostgreSQL can not keep is found as far as it can be, and holds up no other', async () => {
  const noise = Array.from({ length: 3000 }, (_, index) => hash('sha256', `${index}`)).join('')
  const strange = [
    { antallAnsatte: 3e9 },
    { antallAnsatte: 1e300 },
    { navn: 'LYNGHEI MERKELIG \ud800 NUL \u0000' },
    { navn: `LYNGHEI MERKELIG ${noise}` },
    { registreringsdatoEnhetsregisteret: '0000-01-01' },
    { historiskeNavn: [{ navn: `LYNGHEI MERKELIG ${noise}`, fraDato: '0000-01-01T00:00:00' }] },
    { organisasjonsform: { kode: noise, beskrivelse: `\udc00${noise}` } },
    { naeringskode1: { kode: `\ud800${noise}`, beskrivelse: noise } },
    { forretningsadresse: { kommune: '\ud800', kommunenummer: noise, poststed: '\u0000' } },
  ].map((strangeness, index) => ({ ...unit(2000 + index), navn: 'LYNGHEI MERKELIG AS', ...strangeness }))
  const units = [...strange, { ...unit(2100), navn: 'LYNGHEI VANLIG AS' }]
  expect(await buildFrom(storage.url, { enheter: units, underenheter: [] })).toBe('bygget')
  expect((await find('lynghei vanlig'))[0]).toBe(800_002_100)

  const { database } = storage
  await noteEarlierChanges(
    database,
    units.map(({ organisasjonsnummer }) => ({
      orgnr: Number(organisasjonsnummer),
      isSubUnit: false,
      at: new Date(),
    })),
  )
  const read = await readPending(units)
  expect(read).toBe(units.length)
  expect(await find('lynghei merkelig')).toHaveLength(strange.length)
})

it('P190: somebody who reads all of the index for long holds up no removal by it: it takes its place by a later attempt', async () => {
  const reading = new pg.Client({ connectionString: storage.url })
  await reading.connect()
  try {
    await reading.query('begin')
    await reading.query('lock table sok_foretak in access share mode')
    const building = buildFrom(storage.url, bulk).catch((error: unknown) => error)
    await eventually('it waits for its place', async () => {
      const waiting = await storage.database.query(
        `select from pg_locks where relation = 'sok_foretak'::regclass and not granted`,
      )
      return waiting.length > 0
    })
    // Within what a question to PostgreSQL may take (5 s).
    await buryCompanies(storage.database, [
      { organisasjonsnummer: '800000008', slettedato: null, at: new Date() },
    ])
    expect(await building).toMatchObject({ code: '55P03' })
  } finally {
    await reading.end()
  }
  expect(await buildFrom(storage.url, bulk)).toBe('bygget')
  expect(await find('lynghei nummer 8')).not.toContain(800_000_008)
})

const OTHERS_ENDED = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'oppslag import'`
