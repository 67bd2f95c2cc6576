import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cacheOrdersAfter, newestCacheOrders } from '#src/storage/cache-orders.ts'
import { hidePerson, listHiddenPersons, showPerson } from '#src/storage/shareholders/hidden-persons.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(() => storage.database.query('truncate skjult_person'))

const KARI = { navn: 'KARI ØST', fodselsaar: 1980, orgnr: null }

test('a person is hidden once, in whatever spelling; in one company is another thing than everywhere', async () => {
  const { database } = storage
  expect(await hidePerson(database, KARI)).toBe(true)
  expect(await hidePerson(database, { ...KARI, navn: ' kari  øst' })).toBe(false)
  expect(await hidePerson(database, { ...KARI, orgnr: '910000004' })).toBe(true)
  expect(await hidePerson(database, { ...KARI, fodselsaar: 1950 })).toBe(true)
  expect(await listHiddenPersons(database, 2)).toMatchObject([
    { ...KARI, fodselsaar: 1950 },
    { ...KARI, orgnr: '910000004' },
  ])
  expect(await showPerson(database, { ...KARI, navn: 'Kari Øst' })).toBe(true)
  expect(await showPerson(database, KARI)).toBe(false)
  expect(await listHiddenPersons(database, 10)).toHaveLength(2)
})

test('P21: every process is told to forget what it holds of holders, each time', async () => {
  const { database } = storage
  const { newest: before } = await newestCacheOrders(database)
  await hidePerson(database, KARI)
  await hidePerson(database, KARI)
  await showPerson(database, KARI)
  const order = { company: '', sections: ['aksjonaerer', 'eierskap'], isHard: true }
  expect(await cacheOrdersAfter(database, before, 10)).toMatchObject([order, order, order])
})

test('P59: who was about to do something about a person while another did is noted after that one, as it is done', async () => {
  const { database } = storage
  await hidePerson(database, KARI)
  const noted: [string, number][] = []
  const note = (what: string) => async (at: Date) => void noted.push([what, at.getTime()])
  type Begins = Pick<typeof database, 'transaction'>
  /** Begun, and then passed by another. */
  const passedBy = (other: () => Promise<unknown>): Begins => ({
    transaction: (work) =>
      database.transaction(async (connection) => {
        await connection.query('select pg_sleep(0.01)')
        await other()
        return work(connection)
      }),
  })
  const hide = (by: Begins = database) => hidePerson(by, KARI, note('hidden'))
  const show = (by: Begins = database) => showPerson(by, KARI, note('shown'))
  await hide(passedBy(() => show()))
  await show(passedBy(() => show().then(() => hide())))
  expect(noted.map(([what]) => what)).toEqual(['shown', 'hidden', 'shown', 'hidden', 'shown'])
  expect(noted.map(([, at]) => at)).toEqual(noted.map(([, at]) => at).sort((one, other) => one - other))
})
