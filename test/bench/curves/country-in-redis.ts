import { Redis } from 'ioredis'
import type { Entry } from '#src/cache/entry.ts'
import { pack, unpack } from '#src/cache/packing.ts'
import { STORED_SCHEMA_VERSION } from '#src/record/stored-answer.ts'
import type { LoadOrder } from '../load/order.ts'
import { keepPlot } from '../plot.ts'
import { bringToRedis, TINY_MEMORY } from '../rows/readings.ts'
import type { Front, Stage } from '../stage.ts'

/** Companies as the service itself keeps them, of which the others are made. */
export const TEMPLATES = 300
/** Of what is held so many are read, spread over all of it. */
const READ = 3000
const CONNECTIONS = 8
const PER_SECOND = 500
const IN_ONE_GO = 500
const FRESH_MS = 6 * 60 * 60 * 1000

type Template = { orgnr: string; sections: [string, Entry][] }
type Point = {
  companies: number
  bytes: number
  firstMicroseconds: number
  againMicroseconds: number
  againP99Ms: number
}

/**
 * What it costs to hold a country in Redis, and to read from it what memory does not hold. The companies are copies of some
 * hundred that the service has read and kept itself, each under a number of its own, packed by the cache's own packing.
 */
export async function countryInRedis(stage: Stage, counts: readonly number[]): Promise<Point[]> {
  const redis = new Redis(stage.cacheRedis.url)
  try {
    const { mixed } = stage.numbers
    const front = await stage.startFront({ imports: [TINY_MEMORY] })
    await bringToRedis(stage, front.address, mixed.slice(0, TEMPLATES))
    const templates = await templatesIn(redis, mixed.slice(0, TEMPLATES))
    const points: Point[] = []
    let filled = 0
    let bytes = 0
    for (const companies of counts) {
      const numbers = mixed.slice(TEMPLATES, TEMPLATES + companies)
      // Whole answers come and go beside them: what the companies take is what filling takes.
      const before = await usedBytes(redis)
      await fill(redis, templates, numbers.slice(filled))
      bytes += (await usedBytes(redis)) - before
      filled = numbers.length
      points.push({ companies, bytes, ...(await readSome(stage, front, numbers)) })
      console.error(points.at(-1))
    }
    return points
  } finally {
    redis.disconnect()
  }
}

export function plotCountry(points: readonly Point[]): Promise<string[]> {
  const over = (of: (point: Point) => number) => points.map((each) => [each.companies, of(each)] as const)
  return Promise.all([
    keepPlot('redis-memory', {
      title: 'Redis, by the companies it holds',
      x: 'companies',
      y: 'MB',
      series: [{ name: 'memory used', points: over(({ bytes }) => bytes / 1024 ** 2) }],
    }),
    keepPlot('redis-reading', {
      title: 'A record from Redis, by the companies it holds',
      x: 'companies',
      y: 'CPU µs a request',
      series: [
        { name: 'put together', points: over(({ firstMicroseconds }) => firstMicroseconds) },
        { name: 'as it lies there', points: over(({ againMicroseconds }) => againMicroseconds) },
      ],
    }),
    keepPlot('redis-p99', {
      title: `A record from Redis at ${PER_SECOND} a second, by the companies it holds`,
      x: 'companies',
      y: 'p99, ms',
      series: [{ name: 'as it lies there', points: over(({ againP99Ms }) => againP99Ms) }],
    }),
  ])
}

async function templatesIn(redis: Redis, numbers: readonly string[]): Promise<Template[]> {
  const all = await Promise.all(
    numbers.map(async (orgnr) => {
      const fields = await redis.hgetallBuffer(keyOf(orgnr))
      const sections = Object.entries(fields).flatMap(([section, packed]): [string, Entry][] => {
        const entry = section.startsWith('!') ? null : unpack(packed, STORED_SCHEMA_VERSION)
        return entry === null ? [] : [[section, entry]]
      })
      return { orgnr, sections }
    }),
  )
  return all.filter(({ sections }) => sections.length > 0)
}

async function fill(redis: Redis, templates: readonly Template[], numbers: readonly string[]): Promise<void> {
  for (let from = 0; from < numbers.length; from += IN_ONE_GO) {
    const now = Date.now()
    const pipeline = redis.pipeline()
    for (const [index, orgnr] of numbers.slice(from, from + IN_ONE_GO).entries()) {
      const template = templates[(from + index) % templates.length]
      if (template === undefined) throw new Error('there is nothing to make companies of')
      const fields = template.sections.flatMap(([section, entry]) => [
        section,
        pack(copyOf(entry, template.orgnr, orgnr, now), STORED_SCHEMA_VERSION),
      ])
      pipeline.hset(keyOf(orgnr), ...fields)
      pipeline.pexpire(keyOf(orgnr), 30 * 24 * 60 * 60 * 1000)
    }
    await pipeline.exec()
  }
}

/** Of another company, fetched now, and fresh for as long as it takes to measure. */
function copyOf(entry: Entry, from: string, to: string, now: number): Entry {
  const later = now - entry.fetchedAt
  const isLimit = entry.staleUntil <= entry.fetchedAt
  const freshUntil = isLimit ? now + FRESH_MS : entry.freshUntil + later
  return {
    ...entry,
    body: Buffer.from(entry.body.toString().replaceAll(from, to)),
    fetchedAt: now,
    freshUntil,
    staleUntil: isLimit ? now : entry.staleUntil + later,
    keepUntil: Math.max(entry.keepUntil + later, freshUntil),
  }
}

async function readSome({ load, headers }: Stage, front: Front, numbers: readonly string[]) {
  const step = Math.max(1, Math.floor(numbers.length / READ))
  const some = numbers.filter((_, index) => index % step === 0).slice(0, READ)
  const order = {
    addresses: [front.address],
    paths: some.map((orgnr) => `/api/bedrift/${orgnr}`),
    headers,
    status: 200 as const,
    headHas: 'detail=redis',
    wrongShareMax: 0.2,
  } satisfies Omit<LoadOrder, 'pace' | 'connections'>
  const once = async () => {
    const before = (await front.usage()).cpuMs
    const pace = { durationMs: 120_000, total: some.length }
    const { answered } = await load.run({ ...order, connections: CONNECTIONS, pace })
    return (((await front.usage()).cpuMs - before) * 1000) / answered
  }
  const firstMicroseconds = await once()
  // Whatever is put together twice is left for the next.
  await once()
  const againMicroseconds = await once()
  const pace = { durationMs: (some.length * 1000) / PER_SECOND, perSecond: PER_SECOND }
  const { p99Ms } = await load.run({ ...order, connections: 2 * CONNECTIONS, pace })
  return { firstMicroseconds, againMicroseconds, againP99Ms: p99Ms }
}

function keyOf(orgnr: string): string {
  return `bo:${STORED_SCHEMA_VERSION}:${orgnr}`
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}
