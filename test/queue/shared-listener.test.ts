import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSharedListener } from '#src/queue/shared-listener.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { serverOf } from '#test/support/server-of.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'

const NAME = 'listens'
const LANES = 13

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

async function listening(): Promise<number[]> {
  const rows = await storage.database.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name = $1 and datname = current_database()',
    [NAME],
  )
  return rows.map(({ pid }) => pid)
}

test('P51: all lanes are told over one connection; when it breaks each hears so, and connects to another', async () => {
  const listener = createSharedListener({ connectionString: storage.url, application_name: NAME })
  const connected = async () => {
    const lanes = await Promise.all(Array.from({ length: LANES }, () => listener.connect()))
    await Promise.all(lanes.map((lane) => lane.query('listen jobs')))
    const told = lanes.map((lane) => once(lane as never, 'notification'))
    await storage.database.query("select pg_notify('jobs', 'a lane')")
    for (const [message] of await Promise.all(told)) expect(message.payload).toBe('a lane')
    return lanes
  }
  const lanes = await connected()
  const before = await listening()
  expect(before).toHaveLength(1)

  const lost = lanes.map((lane) => new Promise((resolve) => lane.on('error', resolve)))
  await storage.database.query('select pg_terminate_backend($1)', before)
  await Promise.all(lost)
  await expect(lanes[0]?.query('select 1')).rejects.toThrow()

  const others = await connected()
  // PostgreSQL says that it ends one before it counts it no more.
  await eventually(
    'the one that broke is gone',
    async () => !(await listening()).some((pid) => before.includes(pid)),
  )
  expect(await listening()).toHaveLength(1)
  expect(await listening()).not.toEqual(before)
  // Who has lost one has none to give back; the other is ended behind the last of those who have it.
  for (const lane of [...lanes, ...others.slice(1)]) lane.release()
  await others[0]?.query('select 1')
  others[0]?.release()
  await eventually('nobody listens', async () => (await listening()).length === 0)
})

test('P51: one that hangs is left by all who share it when one of them has asked in vain', async () => {
  const way = await startTcpProxy({ upstream: serverOf(storage.url) })
  const url = new URL(storage.url)
  url.host = `${way.host}:${way.port}`
  const listener = createSharedListener({
    connectionString: url.href,
    application_name: NAME,
    query_timeout: 500,
  })
  const [one, other] = await Promise.all([listener.connect(), listener.connect()])
  way.set({ kind: 'timeout', ms: 0 })
  const lost = new Promise((resolve) => other.on('error', resolve))
  await expect(one.query('select 1')).rejects.toThrow()
  await lost
  way.set()
  const next = await listener.connect()
  expect((await next.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  await listener.close()
  await way.close()
})

test('P51: who could not be connected is told why, and who comes after tries again', async () => {
  const way = await startTcpProxy({ upstream: serverOf(storage.url) })
  const url = new URL(storage.url)
  url.host = `${way.host}:${way.port}`
  const listener = createSharedListener({ connectionString: url.href, application_name: NAME })
  await way.down()
  for (const { status } of await Promise.allSettled([listener.connect(), listener.connect()]))
    expect(status).toBe('rejected')
  await way.up()
  const lane = await listener.connect()
  expect((await lane.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  await listener.close()
  await way.close()
})
