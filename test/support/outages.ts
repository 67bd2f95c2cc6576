import { expect } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { createBreakableConnection } from './breakable-connection.ts'
import { createTestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { freePorts } from './free-ports.ts'
import { startProcess, variablesOf } from './processes.ts'
import { startRedis } from './redis.ts'
import type { RegisterStandIn } from './register-stand-in.ts'
import { loadIndustryCodes } from './service.ts'

export const stores = ['postgresql', 'cache', 'queue'] as const
export type Store = (typeof stores)[number]

/** Every order in which they can go, or come. */
export const orders: readonly (readonly Store[])[] = stores.flatMap((first) =>
  stores
    .filter((each) => each !== first)
    .map((second) => [first, second, ...stores.filter((each) => each !== first && each !== second)]),
)

/** A front and a worker as processes of their own, over stores that can be taken away and given back. */
export async function startOverStores(register: RegisterStandIn) {
  const [storage, cache, queue] = await Promise.all([createTestDatabase(), startRedis(), startRedis()])
  await loadIndustryCodes(storage, systemClock)
  const issue = () =>
    issueKey({ db: storage.database, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' })
  const { token } = await issue()
  const way = await createBreakableConnection(storage.url)
  const variables = variablesOf({
    register,
    databaseUrl: way.url,
    cacheRedisUrl: cache.url,
    queueRedisUrl: queue.url,
  })
  const [opsPort = 0] = await freePorts(1)
  const front = await startProcess('api', variables)
  const worker = await startProcess('worker', { ...variables, OPS_PORT: String(opsPort) })
  const stop = { postgresql: way.cut, cache: cache.stop, queue: queue.stop }
  const start = { postgresql: way.restore, cache: cache.start, queue: queue.start }
  const ready = [`${front.address}/health/ready`, `http://127.0.0.1:${opsPort}/health/ready`]

  async function ask(orgnr: string, key = token): Promise<{ status: number; roller: string | undefined }> {
    const answer = await fetch(`${front.address}/api/bedrift/${orgnr}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const body = (await answer.json()) as { roller?: { tilstand: string } }
    return { status: answer.status, roller: body.roller?.tilstand }
  }

  async function areReady(): Promise<boolean> {
    const answers = await Promise.all(ready.map((url) => fetch(url)))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    return answers.every(({ status }) => status === 200)
  }

  return {
    /** What was held is served all the while, and everything works again when all are back. Nobody is restarted. */
    async comeAndGo(going: readonly Store[], coming: readonly Store[], cold: string): Promise<void> {
      await eventually('both are ready', areReady, 60_000)
      expect((await ask(SAMPLE.healthy)).status).toBe(200)
      for (const store of going) {
        await stop[store]()
        expect((await ask(SAMPLE.healthy)).status, `without ${store}`).toBe(200)
      }
      await eventually('neither is ready', async () => !(await areReady()), 20_000)
      expect((await fetch(`${front.address}/health/live`)).status).toBe(200)
      for (const store of coming) {
        await start[store]()
        expect((await ask(SAMPLE.healthy)).status, `with ${store} back`).toBe(200)
      }
      await eventually('both are ready again', areReady, 60_000)
      expect((await ask(cold, (await issue()).token)).status).toBe(200)
      const before = register.calls.count('roller', SAMPLE.healthy)
      await orderSharedCache(cache.url, { company: SAMPLE.healthy, sections: null, isHard: false })
      await eventually(
        'what is stale is refreshed',
        async () =>
          (await ask(SAMPLE.healthy)).roller === 'fersk' &&
          register.calls.count('roller', SAMPLE.healthy) > before,
        60_000,
      )
    },

    async close(): Promise<void> {
      const codes = await Promise.all([front, worker].map((each) => each.end('SIGTERM')))
      await way.close()
      await Promise.all([storage.close(), cache.close(), queue.close()])
      expect(codes, `${front.output()}\n${worker.output()}`).toEqual([0, 0])
    },
  }
}
