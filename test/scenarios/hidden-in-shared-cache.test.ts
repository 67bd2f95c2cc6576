import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'
import { noteHiding } from '#src/storage/shareholders/hiding-journal.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { putYear } from '../support/share-books.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const KARI = { navn: 'KARI NORDMANN', fodselsaar: 1970, orgnr: null }
const DAY_MS = 24 * 60 * 60_000
const HIDE_KARI = ['person', 'skjul', '--navn', KARI.navn, '--fodselsaar', '1970', '--hvorfor', 'en prøve']

let around: Surroundings
let redis: TestRedis
let way: TcpProxy
let folder: string

beforeEach(async () => {
  ;[around, redis, folder] = await Promise.all([
    startSurroundings(),
    startRedis(),
    mkdtemp(join(tmpdir(), 'oppslag-skjult-')),
  ])
  way = await startTcpProxy({ upstream: redis })
  await putYear(around.storage.database, {
    aar: 2024,
    books: [{ orgnr: SAMPLE.healthy, holders: [{ n: KARI.navn, f: 1970, l: 'NO', a: [[0, 100]] }] }],
  })
  return async () => {
    await way.close()
    await Promise.all([redis.close(), around.close()])
    await rm(folder, { recursive: true, force: true })
  }
})

let open: Service | null = null
afterEach(() => open?.close())

const variables = () => ({
  ...around.variables({ cacheRedisUrl: `redis://${way.host}:${way.port}` }),
  DATA_DIR: folder,
})

/** The one process there is. */
async function startFront() {
  const service = await openService(
    readEnvironment({ ...variables(), PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' }),
    { workers: false },
  )
  open = service
  const address = await service.listen()
  const { cache } = service.tiers
  return {
    canAskRedis: () => cache.stats().redis?.isUsable === true,
    async shown(): Promise<(string | null)[]> {
      const answer = await fetch(`${address}/api/bedrift/${SAMPLE.healthy}`, {
        headers: { authorization: `Bearer ${around.token}` },
      })
      const { aksjonaerer } = (await answer.json()) as {
        aksjonaerer: { data: { storste: { navn: string | null }[] } | null }
      }
      return aksjonaerer.data?.storste.map(({ navn }) => navn) ?? []
    },
    forget: () => cache.purge(SAMPLE.healthy, { hard: true, sections: 'all' }),
    async close() {
      open = null
      await service.close()
    },
  }
}

describe('a person who is hidden, and copies that processes share', () => {
  it('P21: attack: is soon in none of them, where all who heard of it ended before Redis could be reached again', async () => {
    const before = await startFront()
    expect(await before.shown()).toEqual([KARI.navn])
    await way.down()
    const told = await runCommand(variables(), HIDE_KARI)
    expect(told.code).not.toBe(0)
    await before.close()
    const after = await startFront()
    await way.up()
    await eventually('Redis is there again', after.canAskRedis)
    await eventually('she is hidden', async () => (await after.shown())[0] === null)
  })

  it('P59: attack: is in none of them, where the one process there is finds out that the database was restored', async () => {
    const { database } = around.storage
    await hidePerson(database, KARI, (at) => noteHiding(folder, 'skjul', KARI, at))
    const before = await startFront()
    // From before it, beneath who runs.
    await database.query('truncate skjult_person, mellomlager_ordre restart identity')
    expect(await before.shown()).toEqual([KARI.navn])
    await before.close()
    const after = await startFront()
    expect(await after.shown()).toEqual([null])
  })

  it.each([
    ['was told something just before', 0, 0],
    ['was told nothing else for two days', 2 * DAY_MS, 0],
    ['is slow at first', 0, 60],
  ])(
    'P21: attack: is soon in none of them, where Redis is one again that had not heard of it, and %s',
    async (_, ageMs, slowMs) => {
      const front = await startFront()
      expect(await front.shown()).toEqual([KARI.navn])
      const client = new Redis(redis.url)
      const isHeld = async () => {
        const keys = await client.keys(`bo:*:${SAMPLE.healthy}`)
        const held = await Promise.all(keys.map((key) => client.hexists(key, 'aksjonaerer')))
        return held.includes(1)
      }
      const noted = () => client.get('bo-note:ordre')
      // What Redis was too late for is not sent again: it is brought anew.
      await eventually('Redis holds her', async () => {
        if (await isHeld()) return true
        await front.forget()
        await front.shown()
        return false
      })
      await eventually('what it was told is noted there', async () => (await noted()) !== null)
      const before = await noted()
      await client.pexpire('bo-note:ordre', Math.max(1, (await client.pttl('bo-note:ordre')) - ageMs))
      // As one has it that followed it, or that is read from a disk.
      await client.save()
      expect(await runCommand(variables(), HIDE_KARI)).toMatchObject({ code: 0 })
      await eventually('that it was told more is, too', async () => ![before, null].includes(await noted()))
      expect(await isHeld()).toBe(false)
      client.disconnect()
      await redis.stop()
      way.set({ kind: 'latency', ms: slowMs })
      await redis.start()
      await eventually('Redis is there again', front.canAskRedis)
      await eventually('it was asked twice how far it had come', () => wasAskedTwice(redis))
      way.set()
      await eventually('she is hidden', async () => (await front.shown())[0] === null)
    },
  )
})

async function wasAskedTwice({ url }: TestRedis): Promise<boolean> {
  const client = new Redis(url)
  const asked = /cmdstat_getrange:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0
  client.disconnect()
  return Number(asked) >= 2
}
