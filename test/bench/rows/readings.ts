import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import type { Stage } from '../stage.ts'

/** Loaded before a front, it forgets so fast that whoever asks in turn finds everything in Redis. */
export const TINY_MEMORY = fileURLToPath(new URL('../process/tiny-memory.ts', import.meta.url))

/** Loaded before a front beside that, it puts every one of them together of its sections. */
export const NO_SHARED_ANSWERS = fileURLToPath(new URL('../process/no-shared-answers.ts', import.meta.url))

export const LARGE_MEMORY = fileURLToPath(new URL('../process/large-memory.ts', import.meta.url))

/** Each company once, by so many readers. */
export async function readAll(
  { load, headers }: Stage,
  address: string,
  numbers: readonly string[],
  readers: number,
): Promise<void> {
  await load.run({
    addresses: [address],
    paths: numbers.map((orgnr) => `/api/bedrift/${orgnr}`),
    headers,
    connections: readers,
    status: 200,
    // A machine that pauses may have the main register answer too late.
    wrongShareMax: 0.05,
    pace: { durationMs: 1_800_000, total: numbers.length },
  })
}

/**
 * Has a forgetful front read these companies until they are in Redis. Slowly, and more than once: a service without a moment
 * to spare does not wait for Redis, and something is not written.
 */
export async function bringToRedis(
  stage: Stage,
  address: string,
  numbers: readonly string[],
  url: string = stage.cacheRedis.url,
): Promise<void> {
  const redis = new Redis(url)
  try {
    for (let tries = 1; ; tries++) {
      await readAll(stage, address, numbers, 2)
      const missing = await missingSections(redis, numbers)
      if (missing <= numbers.length / 100) return
      if (tries === TRIES_MAX) throw new Error(`${missing} sections did not reach Redis`)
    }
  } finally {
    redis.disconnect()
  }
}

/** Six sources a company, none of which is ever silent; beside its sections a company's hash has its generation. */
async function missingSections(redis: Redis, numbers: readonly string[]): Promise<number> {
  const keys = await redis.keys('bo:*')
  const byCompany = new Map(keys.map((key) => [key.split(':').at(-1), key]))
  let missing = 0
  for (const orgnr of numbers) {
    const key = byCompany.get(orgnr)
    const fields = key === undefined ? [] : await redis.hkeys(key)
    missing += Math.max(0, SECTIONS - fields.filter((field) => /^[a-z]{5,}$/.test(field)).length)
  }
  return missing
}

const SECTIONS = 6
const TRIES_MAX = 8
