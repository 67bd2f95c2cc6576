import { expect, test } from 'vitest'
import { queueName } from '#src/queue/backend.ts'
import { createRedisBackend } from '#src/queue/redis-backend.ts'
import { listDeeds } from '#src/storage/operator-trail.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from '../support/operators.ts'
import { startRedis } from '../support/redis.ts'
import { startTestService } from '../support/service.ts'
import { startSurroundings } from '../support/surroundings.ts'

/** A server that is silent is waited for seconds, and what answers in its place is given some. */
const ANSWERS_WITHIN_MS = 15_000

/** A service whose jobs are in a Redis of its own, and an operator at its board. */
async function openBoard() {
  const [around, redis] = await Promise.all([startSurroundings(), startRedis()])
  const service = await startTestService(around.register, {
    workers: false,
    variables: { QUEUE_REDIS_URL: redis.url },
  })
  const { token } = await logIn(service.storage, service.opsAddress, { navn: 'Kari', rolle: 'skrive' })
  return {
    redis,
    async ask(method: 'GET' | 'PUT', path: string) {
      const answer = await fetch(`${service.opsAddress}/jobber/styr/api/queues${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
      })
      return [answer.status, ((await answer.json()) as { error?: string }).error]
    },
    async deeds() {
      return (await listDeeds(service.storage.database, { limit: 10 })).map(({ utfall }) => utfall)
    },
    async close() {
      await service.close()
      await Promise.all([around.close(), redis.close()])
    },
  }
}

test.each(['is away', 'is silent'] as const)(
  'P55: attack: jobs are looked at and changed while the queue’s Redis %s: the board says so in time, and the trail does not know how it ended',
  async (how) => {
    const { redis, ask, deeds, close } = await openBoard()
    const press = () => ask('PUT', `/${queueName('fullmakt')}/pause`)
    try {
      expect(await ask('GET', '')).toEqual([200, undefined])
      if (how === 'is away') await redis.stop()
      else redis.pause()
      const answers = await Promise.all([press(), ask('GET', ''), ask('GET', '?status=failed')])
      expect(answers).toEqual(Array(3).fill([503, 'ko_utilgjengelig']))
      expect(await deeds()).toEqual(['ko_utilgjengelig', 'begynt'])
    } finally {
      if (how === 'is away') await redis.start()
      else redis.resume()
    }
    await eventually('it goes on by itself', async () => (await press())[0] === 200)
    await close()
  },
)

test('P55: attack: a job that is not put off any more is brought forward: its operator is told of the job, and not that the queue is away', async () => {
  const { redis, ask, deeds, close } = await openBoard()
  const backend = createRedisBackend({ url: redis.url, deadlineMs: ANSWERS_WITHIN_MS })
  await backend.prove()
  const queue = backend.openQueue('utvisking')
  try {
    const [job] = await queue.addBulk([
      { name: 'erase-company', data: { organisasjonsnummer: '923609016' }, opts: {} },
    ])
    const answer = await ask('PUT', `/${queueName('utvisking')}/${job?.id}/promote`)
    expect(answer).toEqual([409, 'annen_tilstand'])
    expect(await deeds()).toEqual(['annen_tilstand', 'begynt'])
  } finally {
    await queue.close()
    await backend.close()
    await close()
  }
})
