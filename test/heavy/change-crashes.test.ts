import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBreakableConnection } from '../support/breakable-connection.ts'
import { changeDeaths, openChangeWorld } from '../support/change-crashes.ts'
import { eventually } from '../support/eventually.ts'
import { pairwise } from '../support/outages.ts'
import { startRedis } from '../support/redis.ts'
import type { Conduct } from '../support/webhook-receiver.ts'

type World = Awaited<ReturnType<typeof openChangeWorld>>

const cases = Object.entries(changeDeaths).flatMap(([name, death]) =>
  (['cut', 'killed'] as const).flatMap((manner) =>
    ([1, 2] as const).map((workers) => ({ name, death, manner, workers })),
  ),
)

describe('P135: workers die at every step between the register’s event and the receiver’s yes', () => {
  let world: World
  beforeAll(async () => {
    world = await openChangeWorld(cases.length)
    await world.begin()
  })
  afterAll(() => world.close())

  it.each(cases.map((each, index) => ({ ...each, index })))(
    '$name, $workers worker(s), $manner',
    async ({ death, manner, workers, index }) => {
      const orgnr = world.numbers[index] ?? ''
      world.rename(orgnr, `FØR NUMMER ${index} AS`)
      const doomed = await Promise.all(
        Array.from({ length: workers }, () => world.startWorker(death, manner)),
      )
      await Promise.race(doomed.map(({ died }) => died))
      world.rename(orgnr, `ETTER NUMMER ${index} AS`)
      // Who died in this process takes long to close, without all it was cut off from.
      for (const each of doomed) void each.end()
      await world.leasesRunOut()
    },
  )

  it('after all of them: each change is told of once, in order, by the log and by webhooks under one id', async () => {
    await world.startWorker(null)
    await world.holds()
  })
})

describe('P135: whatever the receiver does', () => {
  const conducts: Record<string, Conduct> = {
    'hangs until it is left': 'hang',
    'sends on to another address': { status: 301, headers: { location: '/annet' } },
    'says that it is too much': { status: 429, headers: { 'retry-after': '2' } },
    'breaks off': 'reset',
    'lies about the length': 'too-short',
    'answers without end': 'endless',
    'says no': { status: 500 },
  }
  let world: World
  beforeAll(async () => {
    world = await openChangeWorld(Object.keys(conducts).length)
    await world.begin()
    await world.startWorker(null)
  })
  afterAll(() => world.close())

  it.each(Object.entries(conducts))(
    '%s: all is taken in the end, in order, under one id',
    async (name, conduct) => {
      const index = Object.keys(conducts).indexOf(name)
      const orgnr = world.numbers[index] ?? ''
      world.conduct(conduct, 1)
      const before = world.receiver.arrived.length
      world.rename(orgnr, `FØRST ${index} AS`)
      await eventually('it has been tried', () => world.receiver.arrived.length > before)
      world.rename(orgnr, `DERETTER ${index} AS`)
      await world.holds()
      expect(world.receiver.arrived.some(({ path }) => path === '/annet')).toBe(false)
    },
  )

  it('is gone: nothing more is sent; switched on again, what was missed is sent when it is asked for', async () => {
    const orgnr = world.numbers[0] ?? ''
    world.conduct({ status: 410 })
    const from = new Date(Date.now() - 1000)
    world.rename(orgnr, 'BORTE AS')
    await eventually('it is switched off', async () => {
      const rows = await world.database.query('select 1 from endepunkt where av_grunn is not null')
      return rows.length === 1
    })
    world.conduct({ status: 200 })
    await world.sendAgain(from)
    await world.holds()
  })
})

describe('P135: clocks that jump', () => {
  const jumps = { 'an hour ahead': 60, 'an hour behind': -60, 'three days ahead': 4320, 'right again': 0 }
  let offsetMs = 0
  let world: World
  beforeAll(async () => {
    world = await openChangeWorld(2)
    await world.begin()
    await world.startWithClock({ now: () => new Date(Date.now() + offsetMs) })
  })
  afterAll(() => world.close())

  it.each(Object.entries(jumps))('%s: all is told of once, in order', async (name, minutes) => {
    for (const orgnr of world.numbers) world.rename(orgnr, `FØR ${name} AS`.toUpperCase())
    offsetMs = minutes * 60_000
    await world.holds()
    for (const orgnr of world.numbers) world.rename(orgnr, `ETTER ${name} AS`.toUpperCase())
    await world.holds()
  })
})

describe('P135: PostgreSQL and both Redis go and come back, in some orders', () => {
  let world: World
  const closing: (() => Promise<unknown>)[] = []
  let stores: Record<
    'postgresql' | 'cache' | 'queue',
    { stop(): Promise<unknown>; start(): Promise<unknown> }
  >
  beforeAll(async () => {
    const [cache, queue] = await Promise.all([startRedis(), startRedis()])
    world = await openChangeWorld(pairwise.length, {
      CACHE_REDIS_URL: cache.url,
      QUEUE_REDIS_URL: queue.url,
    })
    await world.begin()
    const way = await createBreakableConnection(world.databaseUrl)
    stores = { postgresql: { stop: way.cut, start: way.restore }, cache, queue }
    closing.push(way.close, cache.close, queue.close)
    await world.startWorker(null, 'cut', { DATABASE_URL: way.url })
  })
  afterAll(async () => {
    await world.close()
    for (const close of closing) await close()
  })

  it.each(pairwise.map((each, index) => ({ ...each, index })))(
    '$going go, $coming come',
    async ({ going, coming, index }) => {
      const orgnr = world.numbers[index] ?? ''
      let times = 0
      const rename = () => world.rename(orgnr, `NAVN ${index} NUMMER ${times++} AS`)
      rename()
      for (const store of going) {
        await stores[store].stop()
        rename()
      }
      for (const store of coming) {
        await stores[store].start()
        rename()
      }
      await world.holds({ isLong: true })
    },
  )
})
