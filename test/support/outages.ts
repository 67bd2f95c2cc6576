import { expect } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Readiness } from '#src/ops/readiness.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { createBreakableConnection } from './breakable-connection.ts'
import { eventually } from './eventually.ts'
import { freePorts } from './free-ports.ts'
import { startProcess } from './processes.ts'
import { startRedis } from './redis.ts'
import { startSurroundings } from './surroundings.ts'

const stores = ['postgresql', 'cache', 'queue'] as const
type Store = (typeof stores)[number]

/** Every order in which they can go, or come. */
export const orders: readonly (readonly Store[])[] = stores.flatMap((first) =>
  stores
    .filter((each) => each !== first)
    .map((second) => [first, second, ...stores.filter((each) => each !== first && each !== second)]),
)

/**
 * Some of them: of any two stores each goes first once while it comes first and once while it comes last, since an order and
 * its reverse between them have every two both ways.
 */
export const pairwise = [stores, stores.toReversed()].flatMap((going) =>
  [stores, stores.toReversed()].map((coming) => ({ going, coming })),
)

/**
 * A front and a worker as processes of their own, over stores that can be taken away and given back.
 *
 * @param cold companies that the registers know, and nobody has asked for yet
 */
export async function startOverStores(cold: readonly Organisasjonsnummer[]) {
  const [around, cache, queue] = await Promise.all([
    startSurroundings({ copies: cold }),
    startRedis(),
    startRedis(),
  ])
  const { register } = around
  const way = await createBreakableConnection(around.storage.url)
  const variables = around.variables({
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
  const readiness = () => Promise.all(ready.map(readinessOf))

  async function ask(
    orgnr: string,
    key = around.token,
  ): Promise<{ status: number; roller: string | undefined }> {
    const answer = await fetch(`${front.address}/api/bedrift/${orgnr}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const body = (await answer.json()) as { roller?: { tilstand: string } }
    return { status: answer.status, roller: body.roller?.tilstand }
  }

  const areWhole = async () => (await readiness()).every(isWhole)

  return {
    /** What was held is served all the while, and everything works again when all are back. Nobody is restarted. */
    async comeAndGo(going: readonly Store[], coming: readonly Store[], cold: string): Promise<void> {
      await eventually('both have all they use', areWhole, 60_000)
      expect((await ask(SAMPLE.healthy)).status).toBe(200)
      for (const store of going) {
        await stop[store]()
        expect((await ask(SAMPLE.healthy)).status, `without ${store}`).toBe(200)
      }
      await eventually(
        'the worker is not ready, and the front says why not',
        async () => {
          const [ofFront, ofWorker] = await readiness()
          expect(ofFront?.status).toBe(200)
          return ofFront?.body.mangler.length === 2 && ofWorker?.status === 503
        },
        20_000,
      )
      expect((await fetch(`${front.address}/health/live`)).status).toBe(200)
      for (const store of coming) {
        await start[store]()
        expect((await ask(SAMPLE.healthy)).status, `with ${store} back`).toBe(200)
      }
      await eventually('both have all they use again', areWhole, 60_000)
      expect((await ask(cold, await around.issue())).status).toBe(200)
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
      await Promise.all([around.close(), cache.close(), queue.close()])
      expect(codes, `${front.output()}\n${worker.output()}`).toEqual([0, 0])
    },
  }
}

type Asked = { status: number; body: Readiness }

/** Whether a process is ready, and what it does without. */
export async function readinessOf(url: string): Promise<Asked> {
  const answer = await fetch(url)
  return { status: answer.status, body: (await answer.json()) as Readiness }
}

export function isWhole({ status, body }: Asked): boolean {
  return status === 200 && body.mangler.length === 0
}
