import { join } from 'node:path'
import { startRedis } from '#test/support/redis.ts'
import type { LoadOrder } from '../load/order.ts'
import type { Results } from '../row.ts'
import type { Front, Stage } from '../stage.ts'
import { fromRedis, ours, PATIENT, packedAs, pathsOf, peerOf, save } from './cached.ts'
import { type Course, measureInTurns, serverRow, times } from './contestant.ts'
import { bringToRedis, NO_SHARED_ANSWERS, readAll, TINY_MEMORY } from './readings.ts'

const BARE = 'bare `node:http`, a small record'
const HELD = 'held in memory'

/** What lies in Redis, asked of this checkout and of another one in the same turns; each has a Redis of its own. */
export async function againstRedisRows(
  stage: Stage,
  course: Course,
  root: string,
): Promise<Pick<Results, 'servers'>> {
  const { standard } = stage.numbers
  const held = pathsOf(standard.slice(0, 100))
  const front = await stage.startFront()
  await readAll(stage, front.address, standard.slice(0, 100), 4)
  const record = await save(stage, front.address, held[0], 'small.json')
  const sides = [
    { side: 'this', from: {}, redis: stage.cacheRedis.url },
    { side: 'other', from: { root }, redis: stage.keep(await startRedis(), (thing) => thing.close()).url },
  ]
  const asked: { what: string; side: string; child: Front; order: Partial<LoadOrder> }[] = []
  for (const { side, from, redis } of sides) {
    const its = (file: string) => ('root' in from ? join(root, 'test/bench/process', file) : null)
    const tiny = its('tiny-memory.ts') ?? TINY_MEMORY
    const unshared = its('no-shared-answers.ts') ?? NO_SHARED_ANSWERS
    const options = { ...from, env: { CACHE_REDIS_URL: redis } }
    const forgetful = await stage.startFront({ ...options, imports: [tiny] })
    const alone = await stage.startFront({ ...options, imports: [tiny, unshared] })
    await bringToRedis(stage, forgetful.address, standard, redis)
    const order = fromRedis(standard)
    asked.push(
      { what: 'from Redis', side, child: forgetful, order },
      {
        what: 'from Redis, as `gzip`',
        side,
        child: forgetful,
        order: { ...packedAs(stage, 'gzip'), ...order },
      },
      { what: 'from Redis, put together', side, child: alone, order },
    )
  }
  const named = (what: string, side: string) => `${what}, ${side}`
  const contestants = [
    await peerOf(stage, BARE, stage.startPeer('bare', record.file), held),
    ours(stage, HELD, front, held, {}),
    ...asked
      .toSorted((a, b) => a.what.localeCompare(b.what))
      .map(({ what, side, child, order }) => ({
        ...ours(stage, named(what, side), child, held, order),
        load: PATIENT,
      })),
  ]
  const measured = await measureInTurns(stage, contestants, course)
  const aim = (what: string, name: string, other: string, limit: number) => ({
    what,
    found: times(measured, name, other),
    limit,
    unit: '×',
  })
  return {
    servers: contestants.map(({ name }) => {
      const what = asked.find((each) => named(each.what, 'this') === name)?.what
      return {
        ...serverRow(measured, name, BARE),
        aims:
          what === undefined
            ? []
            : [aim('of the other', name, named(what, 'other'), 1), aim('of what is held', name, HELD, 3)],
      }
    }),
  }
}
