import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { FAILED_KEPT } from '#src/queue/jobs.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { openQuickQueue, paceOf } from '#test/support/quick-queue.ts'
import { startRedis } from '#test/support/redis.ts'

const REMOVED = '900000001'
const OTHER = '900000002'
const LANE = 'regnskap'
/** Of each that failed: about as much as is kept of one with its four stacks. */
const KEPT_BYTES = 2000

test('P11: attack: a company is removed while a thousand jobs are kept that failed: Redis looks through them, and sends none', async () => {
  const server = await startRedis()
  const redis = new Redis(server.url)
  const queue = openQuickQueue(server.url, { waitingMax: 2 * FAILED_KEPT.count })
  const failed = async () => (await queue.depths()).find(({ lane }) => lane === LANE)?.failed
  const sentBytes = async () => Number(/^total_net_output_bytes:(\d+)/m.exec(await redis.info('stats'))?.[1])
  try {
    const board = await queue.board()
    const lane = board[(await queue.depths()).findIndex((each) => each.lane === LANE)]
    // Of no section there is: what is not understood fails at once, for good.
    const jobOf = (organisasjonsnummer: string) => ({
      name: 'refresh-company' as const,
      data: { organisasjonsnummer, seksjon: 'x'.repeat(KEPT_BYTES) as 'enhet' },
    })
    await lane?.addBulk(Array.from({ length: FAILED_KEPT.count - 1 }, () => jobOf(OTHER)))
    await lane?.addBulk([jobOf(REMOVED)])
    const working = queue.work(
      handlersOf({}, async () => {}),
      paceOf(100_000),
    )
    await eventually('all have failed', async () => (await failed()) === FAILED_KEPT.count, 60_000)
    await working.close()

    const before = await sentBytes()
    await queue.forget(REMOVED)
    expect((await sentBytes()) - before).toBeLessThan(FAILED_KEPT.count * 100)
    expect(await failed()).toBe(FAILED_KEPT.count - 1)
  } finally {
    await queue.close()
    redis.disconnect()
    await server.close()
  }
}, 90_000)
