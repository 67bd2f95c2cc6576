import { setTimeout as pause } from 'node:timers/promises'
import { policy } from '#config/policy.ts'
import { openQueue } from '#src/queue/open-queue.ts'
import { migrate } from '#src/storage/migrate.ts'
import { followNotifications } from '#src/storage/notifications.ts'
import { dropReplacedDeliveries } from '#src/storage/shareholders/replaced-deliveries.ts'
import { csv, importText } from '#test/imports/share-registers.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { everyLane } from '../register-paces.ts'
import { openTestPool } from '../test-pool.ts'

/**
 * A process that uses PostgreSQL in every way the service does, all the time, whatever becomes of it:
 * `node busy-process.ts <database>`. Asked by its parent it tells how often each way has worked. A fault of its own ends it, as
 * it would any process of the service.
 */
const [, , url = ''] = process.argv
process.on('disconnect', () => process.exit(1))
const database = openTestPool(url, 4)

/** Some of the companies scattered, so that rows are also sorted by PostgreSQL. */
const register = csv(
  Array.from({ length: 3000 }, (_, index) => {
    const orgnr = 910_000_000 + (index % 100 === 0 ? 1 : Math.floor(index / 30) + 2)
    return `${orgnr};SELSKAP AS;A;EIER ${index};1980;0484 OSLO;NO;${index + 1};0`
  }),
)

let told: () => void = () => {}
followNotifications({
  url,
  told: { stilling_endret: () => told() },
  retryMs: 20,
  heartbeatMs: 1000,
})

let worked: () => void = () => {}
const { queue: bounds, refresh } = policy
const queue = openQueue({
  redisUrl: null,
  databaseUrl: url,
  waitingMax: refresh.waitingMax,
  policy: { ...bounds, retryMs: 20, retryMsMax: 200 },
  onFault: () => {},
})
const atOnce = { atOnce: 1, callsPerSecond: 1000 }
queue.work(handlersOf({ 'follow-order': async () => worked() }), {
  registers: everyLane(atOnce),
  erasure: atOnce,
  sales: atOnce,
  batches: atOnce,
  push: { endpointsAtOnce: 2, endpointsApartAtOnce: 2 },
})

let number = 0
const ways: Record<string, () => Promise<unknown>> = {
  query: () => database.query('select 1'),
  async transaction() {
    await database.transaction(async (connection) => {
      await connection.query(`update migrering set utfort_at = utfort_at`)
      await connection.query('select pg_sleep(0.002)')
    })
  },
  'a connection of the pool': () => dropReplacedDeliveries(database, { graceMs: 0 }),
  async notification() {
    const heard = new Promise<void>((resolve) => {
      told = resolve
    })
    await database.query(`select pg_notify('stilling_endret', '1')`)
    await Promise.race([heard, late()])
  },
  import: () => importText(url, register, { isForced: true, isPatient: true }),
  migration: () => migrate({ url }),
  async job() {
    const done = new Promise<void>((resolve) => {
      worked = resolve
    })
    await queue.enqueue('follow-order', [{ gjelder: String(++number).padStart(10, '0') }])
    await Promise.race([done, late()])
  },
  depths: () => queue.depths(),
}

const times: Record<string, number> = Object.fromEntries(Object.keys(ways).map((way) => [way, 0]))
const failures: Record<string, string> = {}
process.on('message', () => process.send?.({ times, failures }))
for (const way of Object.keys(ways)) void again(way)

async function again(way: string): Promise<void> {
  while (true) {
    try {
      await ways[way]?.()
      times[way] = (times[way] ?? 0) + 1
    } catch (error) {
      failures[way] = String(error)
      await pause(20)
    }
  }
}

/** What was to be told, or done, was lost with the connection. */
async function late(): Promise<never> {
  await pause(500)
  throw new Error('nothing came of it')
}
