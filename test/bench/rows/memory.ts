import { Redis } from 'ioredis'
import type { Aim } from '../row.ts'
import type { Stage } from '../stage.ts'
import { bringToRedis, readAll, TINY_MEMORY } from './readings.ts'

const MB = 1024 * 1024
/** The tiers' own bounds are 140 of them; the rest is what the process may need beside them. */
const RSS_MB_MAX = 400
const REDIS_BYTES_MAX = 2000

/** What records cost: the process that has had them all in its memory, and the Redis that keeps them. */
export async function memoryRows(
  stage: Stage,
  course: { throughMemory: number; inRedis: number },
): Promise<Aim[]> {
  const { mixed } = stage.numbers
  const redis = await inRedis(stage, mixed.slice(0, course.inRedis))
  const rss = await throughMemory(stage, mixed.slice(0, course.throughMemory))
  const count = course.throughMemory.toLocaleString('en')
  return [
    {
      what: `5. RSS at its highest, ${count} records through memory`,
      found: rss / MB,
      limit: RSS_MB_MAX,
      unit: 'MB',
    },
    { what: '5. Redis, per record of the mix', found: redis, limit: REDIS_BYTES_MAX, unit: 'bytes' },
  ]
}

/** From the first half of them to all: what Redis needs whatever it holds is not counted. */
async function inRedis(stage: Stage, numbers: string[]): Promise<number> {
  const child = await stage.startFront({ imports: [TINY_MEMORY] })
  const redis = new Redis(stage.cacheRedis.url)
  try {
    const half = numbers.length / 2
    await bringToRedis(stage, child.address, numbers.slice(0, half))
    const before = await usedBytes(redis)
    await bringToRedis(stage, child.address, numbers.slice(half))
    return ((await usedBytes(redis)) - before) / half
  } finally {
    redis.disconnect()
    await child.stop()
  }
}

/** A process of its own without Redis: what it keeps is in its memory. */
async function throughMemory(stage: Stage, numbers: string[]): Promise<number> {
  const child = await stage.startFront({ env: { CACHE_REDIS_URL: '' } })
  await readAll(stage, child.address, numbers, 16)
  const { rssBytesMost } = await child.usage()
  await child.stop()
  return rssBytesMost
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}
