import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectForLong } from '#src/storage/long-connection.ts'
import { type BreakableConnection, createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { onServer } from '#test/support/database-server.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase
let way: BreakableConnection

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(async () => {
  way = await createBreakableConnection(storage.url)
})
afterEach(() => way.close())

const NAME = 'oppslag prøve'
const connect = (url: string, silentMs = 300) =>
  connectForLong(url, { name: NAME, lookEveryMs: 20, silentMs })
/** So patient that a busy machine is not taken for a silent server. */
const patiently = (url: string) => connect(url, 2000)
const open = async () => {
  const [row] = await storage.database.query<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity where application_name = $1',
    [NAME],
  )
  return row?.count
}

describe('P200: what takes long', () => {
  it('P200: a statement breaks where PostgreSQL has fallen silent, on open connections and on new ones', async () => {
    const client = await connect(way.url)
    const asked = client.query('select pg_sleep(3600)').catch((error: unknown) => error)
    way.silence()
    expect(await asked).toBeInstanceOf(Error)
    await client.end()
  })

  it('P200: nothing is left of one that had nothing to do when it fell silent, and was told to end', async () => {
    const client = await connect(way.url)
    way.silence()
    await client.end()
  })

  it('P200: a statement that says nothing for longer than that is waited for while PostgreSQL answers others', async () => {
    const client = await patiently(way.url)
    await client.query('select pg_sleep(2.2)')
    await client.end()
    await eventually('what was asked beside it is gone too', async () => (await open()) === 0)
  })

  it('P200: attack: and while one of those that ask beside it is lost on its way', async () => {
    const client = await patiently(way.url)
    way.silenceNext()
    await client.query('select pg_sleep(2.2)')
    await client.end()
  })

  it('P200: and while it turns all others away', async () => {
    const client = await patiently(way.url)
    const name = new URL(storage.url).pathname.slice(1)
    const server = new URL('/postgres', storage.url).href
    await onServer(server, `alter database ${name} allow_connections false`)
    try {
      await client.query('select pg_sleep(2.2)')
    } finally {
      await onServer(server, `alter database ${name} allow_connections true`)
      await client.end()
    }
  })
})
