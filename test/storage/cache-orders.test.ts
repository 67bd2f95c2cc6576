import { afterAll, beforeAll, expect, it } from 'vitest'
import { cacheOrdersAfter, giveCacheOrder, newestCacheOrders } from '#src/storage/cache-orders.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const BEFORE_ALL = { number: 0, at: '' }
const order = (company: string) => ({ company, sections: null, isHard: true })

it('an order is not seen before one with a lower number, however long that takes: nobody passes over it', async () => {
  const { database } = storage
  const read = async () => (await cacheOrdersAfter(database, BEFORE_ALL, 10)).map(({ company }) => company)
  let second: Promise<void> = Promise.resolve()
  await database.transaction(async (connection) => {
    await giveCacheOrder(connection, order('901012121'))
    second = giveCacheOrder(database, order('905123456'))
    await eventually('the second waits, or is there', async () => {
      const [waiting] = await database.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
      return waiting !== undefined || (await read()).length > 0
    })
    expect(await read()).toEqual([])
  })
  await second
  expect(await read()).toEqual(['901012121', '905123456'])
  expect(await newestCacheOrders(database)).toMatchObject({ newest: { number: 2 }, pastWaiting: BEFORE_ALL })
})

it('P193: attack: orders of a database that was set back, under numbers that were obeyed already, are heard of', async () => {
  const { database } = storage
  await giveCacheOrder(database, order('901012121'))
  const all = await cacheOrdersAfter(database, BEFORE_ALL, 10)
  const { newest } = await newestCacheOrders(database)
  expect(await cacheOrdersAfter(database, newest, 10)).toEqual([])
  expect(await cacheOrdersAfter(database, { ...newest, number: newest.number + 1 }, 10)).toEqual(all)
  // Its number is another's since.
  expect(await cacheOrdersAfter(database, { ...newest, at: '1' }, 10)).toEqual(all)
})
