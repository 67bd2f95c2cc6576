import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { openQueue } from '#src/queue/open-queue.ts'
import { eventually } from '../support/eventually.ts'
import { handlersOf } from '../support/job-handlers.ts'
import { startPostgres } from '../support/postgres.ts'
import { everyLane } from '../support/register-paces.ts'

test('P37: attack: PostgreSQL crashes among the first jobs a lane ever had: none is lost, and none stands in the place of another', async () => {
  const postgres = await startPostgres()
  const queue = openQueue({
    redisUrl: null,
    databaseUrl: postgres.url,
    waitingMax: 100,
    policy: policy.queue,
    onFault: () => {},
  })
  const ask = (...orders: string[]) =>
    queue.enqueue(
      'follow-order',
      orders.map((gjelder) => ({ gjelder })),
    )
  const [before, after] = [
    ['fore000001', 'fore000002', 'fore000003'],
    ['etter00001', 'etter00002', 'etter00003'],
  ]
  const done: string[] = []
  try {
    // The lane is made with the first, and what it is numbered by.
    for (const order of before) await ask(order)
    await postgres.kill('SIGKILL')
    await postgres.start()
    await eventually('they are asked for', async () => (await ask(...after).catch(() => null)) !== null)
    const working = queue.work(
      handlersOf({ 'follow-order': async ({ gjelder }) => void done.push(gjelder) }),
      {
        registers: everyLane({ atOnce: 1, callsPerSecond: 1000 }),
        erasure: { atOnce: 1 },
        sales: { atOnce: 1 },
        batches: { atOnce: 1 },
        push: { endpointsAtOnce: 1, endpointsApartAtOnce: 1 },
      },
    )
    try {
      await eventually('all are done', () => done.length >= 6)
      expect(done.sort()).toEqual([...after, ...before])
      const keys = await postgres.database.query('select dedup_id from bullmq.dedup')
      expect(keys).toEqual([])
    } finally {
      await working.close()
    }
  } finally {
    await queue.close()
    await postgres.close()
  }
})
