import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadOrder } from '../load/order.ts'
import { type Aim, median, type Results, type ServerRow } from '../row.ts'
import { startNginx } from '../servers/nginx.ts'
import type { Stage } from '../stage.ts'
import { bringToRedis, readAll, TINY_MEMORY } from './readings.ts'

export type CachedCourse = { rounds: number; closedMs: number; openMs: number }

/** A server, and what is asked of it. */
type Contestant = {
  name: string
  cpuMs(): Promise<number>
  order: Omit<LoadOrder, 'pace' | 'connections'>
  load?: typeof USUAL
}

/** In the closed loop so many ask at once, in the open one so many questions come a second. */
const USUAL = { connections: 32, perSecond: 2000 }
/** Whoever waits for Redis gives up after 25 ms: in a queue longer than that it would not be Redis that is measured. */
const PATIENT = { connections: 8, perSecond: 500 }
/** Asked in turn: a cache with a single entry would be too easy. */
const HELD = 100
/** Many times what the tiny memory holds. */
export const IN_REDIS = 1000

/**
 * Our own service beside its peers. All run at the same time, each is driven in turn, and the rounds are repeated: what
 * disturbs the machine disturbs all of them. CPU time and throughput come from a closed loop, p99 from an open one.
 */
export async function cachedRows(
  stage: Stage,
  course: CachedCourse,
): Promise<Pick<Results, 'servers' | 'notes'>> {
  const notes: string[] = []
  const contestants = await startAll(stage, notes)
  const measured = new Map(contestants.map(({ name }) => [name, [] as Measure[]]))
  for (const contestant of contestants) await measureAtLast(stage, contestant, course)
  for (let round = 0; round < course.rounds; round++) {
    for (const contestant of contestants)
      measured.get(contestant.name)?.push(await measureAtLast(stage, contestant, course))
  }
  return { servers: contestants.map(({ name }) => rowOf(name, measured)), notes }
}

async function startAll(stage: Stage, notes: string[]): Promise<Contestant[]> {
  const ours = await stage.startFront()
  const forgetful = await stage.startFront({ imports: [TINY_MEMORY] })
  const { address } = ours
  const { standard, large } = stage.numbers
  const held = pathsOf(standard.slice(0, HELD))
  const inRedis = pathsOf(standard)
  const heldLarge = pathsOf(large)
  await bringToRedis(stage, forgetful.address, standard)
  await readAll(stage, address, [...standard.slice(0, HELD), ...large], 4)
  const record = await save(stage, address, held[0], 'record.json')
  const largeRecord = await save(stage, address, heldLarge[0], 'large.json')

  const question = { paths: held, headers: stage.headers, status: 200 } as const
  const peer = async (name: string, file: string, script: string): Promise<Contestant> => {
    const child = stage.startPeer(script, file)
    return {
      name,
      cpuMs: async () => (await child.usage()).cpuMs,
      order: { ...question, addresses: [await child.listening()] },
    }
  }
  const us = (name: string, child: typeof ours, order: Partial<Contestant['order']>): Contestant => ({
    name,
    cpuMs: async () => (await child.usage()).cpuMs,
    order: { ...question, addresses: [address], headHas: 'bedriftsoppslag; hit', ...order },
  })
  const nginx = await startNginx({ ...stage, record: record.bytes })
  if (nginx === null) notes.push('nginx is not on this machine: its row is left out.')
  else stage.keep(nginx, (thing) => thing.stop())

  return [
    await peer(BARE, record.file, 'bare'),
    await peer('Fastify, key from a map', record.file, 'fastify'),
    await peer(BENTO, record.file, 'bentocache'),
    await peer('Fastify + async-cache-dedupe', record.file, 'async-cache-dedupe'),
    await peer('Express + apicache', record.file, 'apicache'),
    ...(nginx === null
      ? []
      : [
          {
            name: 'nginx, `proxy_cache` and cached `auth_request`',
            cpuMs: nginx.cpuMs,
            order: { ...question, addresses: [nginx.address] },
          },
        ]),
    us(HIT, ours, {}),
    us(NOT_MODIFIED, ours, { isConditional: true, status: 304 }),
    {
      ...us(FROM_REDIS, forgetful, {
        addresses: [forgetful.address],
        paths: inRedis,
        headHas: 'detail=redis',
        // On a machine that pauses Redis is now and then too late, and the registers are asked, which costs more.
        wrongShareMax: 0.2,
      }),
      load: PATIENT,
    },
    await peer(BARE_LARGE, largeRecord.file, 'bare'),
    us(HIT_LARGE, ours, { paths: heldLarge }),
  ]
}

const BARE = 'bare `node:http`, one constant buffer'
const BENTO = 'Fastify + bentocache'
const HIT = '**ours: 1. cached record**'
const NOT_MODIFIED = '**ours: 2. 304**'
const FROM_REDIS = '**ours: 3. from Redis**'
const BARE_LARGE = 'bare `node:http`, 26 kB'
const HIT_LARGE = 'ours: cached record, 26 kB'

function pathsOf(numbers: readonly string[]): string[] {
  return numbers.map((orgnr) => `/api/bedrift/${orgnr}`)
}

async function save({ headers, folder }: Stage, address: string, path: string | undefined, name: string) {
  const answer = await fetch(`${address}${path}`, { headers: { ...headers, 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const file = join(folder, name)
  await writeFile(file, bytes)
  return { file, bytes }
}

type Measure = { cpuMicroseconds: number; perSecond: number; p99Ms: number }

/** A machine that pauses spoils a turn now and then: its answers are not as they must be, and it is repeated. */
async function measureAtLast(stage: Stage, contestant: Contestant, course: CachedCourse): Promise<Measure> {
  for (let tries = 1; ; tries++) {
    try {
      return await measure(stage, contestant, course)
    } catch (error) {
      if (tries === TURN_TRIES_MAX) throw error
      await pause(SPOILT_MS)
    }
  }
}

const TURN_TRIES_MAX = 8
/** Longer than Redis is left alone after it was too late. */
const SPOILT_MS = 3000

async function measure(
  { load }: Stage,
  { cpuMs, order, load: { connections, perSecond } = USUAL }: Contestant,
  { closedMs, openMs }: CachedCourse,
): Promise<Measure> {
  const before = await cpuMs()
  const closed = await load.run({ ...order, connections, pace: { durationMs: closedMs } })
  const usedMs = (await cpuMs()) - before
  const pace = { durationMs: openMs, perSecond }
  const open = await load.run({ ...order, connections: 2 * connections, pace })
  return {
    // The first questions of a conditional course fetch the tags: a hundred among tens of thousands.
    cpuMicroseconds: (usedMs * 1000) / closed.answered,
    perSecond: (closed.answered * 1000) / closed.elapsedMs,
    p99Ms: open.p99Ms,
  }
}

function rowOf(name: string, measured: ReadonlyMap<string, Measure[]>): ServerRow {
  const rounds = measured.get(name) ?? []
  const times = (other: string) => {
    const others = measured.get(other) ?? []
    return median(
      rounds.map(({ cpuMicroseconds }, round) => cpuMicroseconds / (others[round]?.cpuMicroseconds ?? 0)),
    )
  }
  const aim = (other: string, what: string, limit: number): Aim => ({
    what,
    found: times(other),
    limit,
    unit: '×',
  })
  const aims: Record<string, Aim[]> = {
    [HIT]: [aim(BARE, 'of bare', 1.2), aim(BENTO, 'of Fastify + bentocache', 0.4)],
    [NOT_MODIFIED]: [aim(HIT, 'of 1', 0.8)],
    [FROM_REDIS]: [aim(HIT, 'of 1', 3)],
  }
  return {
    name,
    cpuMicroseconds: median(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    timesBare: times(name === HIT_LARGE ? BARE_LARGE : BARE),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    aims: aims[name] ?? [],
  }
}
