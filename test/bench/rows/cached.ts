import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadOrder } from '../load/order.ts'
import type { Child } from '../process/child.ts'
import type { Aim, Results } from '../row.ts'
import { IN_BULK } from '../servers/in-bulk.ts'
import { startNginx } from '../servers/nginx.ts'
import type { Front, Stage } from '../stage.ts'
import {
  type Contestant,
  type Course,
  type Measured,
  measureInTurns,
  serverRow,
  times,
} from './contestant.ts'
import { bringToRedis, NO_SHARED_ANSWERS, readAll, TINY_MEMORY } from './readings.ts'

/**
 * As many at once as for what is held, which it is compared with; fewer a second where p99 is measured. Whoever waits for Redis gives
 * up after 25 ms: in a queue longer than that it would not be Redis that is measured.
 */
export const PATIENT = { connections: 32, perSecond: 500 }
/** Asked in turn: a cache with a single entry would be too easy. */
const HELD = 100
/** Many times what the tiny memory holds. */
export const IN_REDIS = 1000
/** Lists take their time: what is under way for one key is bounded. */
const FEW = { connections: 8, perSecond: 2000 }

/** What a company is asked for here: a record of 24 kB, and where a list of 500 of them stands. */
export const CACHED = { standard: IN_REDIS, large: IN_BULK }

/** Our own service, as `npm start` and `npm run server` start it, beside its peers. */
export async function cachedRows(stage: Stage, course: Course): Promise<Pick<Results, 'servers' | 'notes'>> {
  const notes: string[] = []
  const contestants = await startAll(stage, notes)
  const measured = await measureInTurns(stage, contestants, course)
  return {
    servers: contestants.map(({ name }) => ({
      ...serverRow(measured, name, SMALL.has(name) ? BARE_SMALL : BARE),
      aims: aimsOf(name, measured),
    })),
    notes,
  }
}

async function startAll(stage: Stage, notes: string[]): Promise<Contestant[]> {
  const front = await stage.startFront()
  const whole = await stage.startWhole()
  const forgetful = await stage.startFront({ imports: [TINY_MEMORY] })
  const alone = await stage.startFront({ imports: [TINY_MEMORY, NO_SHARED_ANSWERS] })
  const { standard, large } = stage.numbers
  const held = pathsOf(large.slice(0, HELD))
  const small = pathsOf(standard.slice(0, HELD))
  await bringToRedis(stage, forgetful.address, standard)
  await readAll(stage, whole.address, large, 4)
  await readAll(stage, front.address, [...large, ...standard.slice(0, HELD)], 4)
  const record = await save(stage, front.address, held[0], 'record.json')
  const smallRecord = await save(stage, front.address, small[0], 'small.json')

  const peer = (name: string, file: string, script: string): Promise<Contestant> =>
    peerOf(stage, name, stage.startPeer(script, file), held)
  const us = (name: string, child: Front, order: Partial<LoadOrder>): Contestant =>
    ours(stage, name, child, held, order)
  const nginx = await startNginx({ ...stage, record: record.bytes })
  if (nginx === null) notes.push('nginx is not on this machine: its row is left out.')
  else stage.keep(nginx, (thing) => thing.stop())

  return [
    await peer(BARE, record.file, 'bare'),
    await peer(BARE_IN_TURN, record.file, 'bare-in-turn'),
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
            order: { ...question(stage, held), addresses: [nginx.address] },
          },
        ]),
    us(HIT, front, {}),
    us(HIT_WHOLE, whole, {}),
    us(NOT_MODIFIED, front, NOT_CHANGED),
    await bareNotModified(stage, record.file, held),
    ...ENCODINGS.map((encoding) => us(PACKED(encoding), front, packedAs(stage, encoding))),
    us(PART, front, { paths: partsOf(held) }),
    { ...us(BULK, front, bulkOf(large)), ...inBulk },
    await bareList(stage, record.file, large),
    await peer(BARE_SMALL, smallRecord.file, 'bare'),
    us(HIT_SMALL, front, { paths: small }),
    { ...us(FROM_REDIS, forgetful, fromRedis(standard)), load: PATIENT },
    {
      ...us(FROM_REDIS_PACKED, forgetful, { ...packedAs(stage, 'gzip'), ...fromRedis(standard) }),
      load: PATIENT,
    },
    { ...us(FROM_REDIS_MADE, alone, fromRedis(standard)), load: PATIENT },
  ]
}

/** What a 304 costs by itself. */
export async function bareNotModified(stage: Stage, recordFile: string, held: string[]): Promise<Contestant> {
  const peer = await peerOf(stage, BARE_304, stage.startPeer('bare-304', recordFile), held)
  return { ...peer, order: { ...peer.order, ...NOT_CHANGED } }
}

export const NOT_CHANGED = { isConditional: true, status: 304 } as const

/** What the bytes of a list cost by themselves. */
export async function bareList(
  stage: Stage,
  recordFile: string,
  large: readonly string[],
): Promise<Contestant> {
  const peer = await peerOf(stage, BARE_BULK, stage.startPeer('bare-list', recordFile), [])
  return { ...peer, order: { ...peer.order, ...bulkOf(large) }, ...inBulk }
}

export const inBulk = { load: FEW, companies: IN_BULK }

export function fromRedis(numbers: readonly string[]): Partial<LoadOrder> {
  return {
    paths: pathsOf(numbers),
    headHas: 'detail=redis',
    // On a machine that pauses Redis is now and then too late, and the registers are asked, which costs more.
    wrongShareMax: 0.2,
  }
}

export const BARE = 'bare `node:http`, one constant buffer'
const BARE_IN_TURN = 'bare `node:http`, a hundred such records in turn'
const BENTO = 'Fastify + bentocache'
export const HIT = '**ours: 1. cached record**, `npm run server`'
const HIT_WHOLE = '**ours: 1. cached record**, `npm start`'
export const NOT_MODIFIED = '**ours: 2. 304**'
export const ENCODINGS = ['br', 'zstd', 'gzip'] as const
export const PACKED = (encoding: (typeof ENCODINGS)[number]) => `**ours: 7. as \`${encoding}\`**`
export const PART = '**ours: 8. a part, `felt=roller`**'
export const BULK = `**ours: 8. ${IN_BULK} in one list, per company**`
const BARE_304 = 'bare `node:http`, 304'
const BARE_BULK = `bare \`node:http\`, ${IN_BULK} such records in one answer, per company`
const BARE_SMALL = 'bare `node:http`, a small record'
const HIT_SMALL = 'ours: cached record, a small one'
const FROM_REDIS = '**ours: 3. from Redis, a small one**'
const FROM_REDIS_PACKED = '**ours: 3. from Redis, a small one**, as `gzip`'
const FROM_REDIS_MADE = 'ours: from Redis, a small one, put together of its sections'
const SMALL = new Set([BARE_SMALL, HIT_SMALL, FROM_REDIS, FROM_REDIS_PACKED, FROM_REDIS_MADE])

function aimsOf(name: string, measured: Measured): Aim[] {
  const aim = (other: string, what: string, limit: number): Aim => ({
    what,
    found: times(measured, name, other),
    limit,
    unit: '×',
  })
  const aims: Record<string, () => Aim[]> = {
    [HIT]: () => [aim(BARE, 'of bare', 1.25), aim(BENTO, 'of Fastify + bentocache', 0.3)],
    [HIT_WHOLE]: () => [aim(BARE, 'of bare', 1.25)],
    [NOT_MODIFIED]: () => [aim(HIT, 'of 1', 0.75)],
    ...Object.fromEntries(ENCODINGS.map((each) => [PACKED(each), () => [aim(HIT, 'of 1', 1.05)]])),
    [PART]: () => [aim(HIT, 'of 1', 1.3)],
    [BULK]: () => [aim(HIT, 'of 1', 0.4)],
    [FROM_REDIS]: () => [aim(HIT_SMALL, 'of 1', 3)],
    [FROM_REDIS_PACKED]: () => [aim(HIT_SMALL, 'of 1', 3)],
  }
  return aims[name]?.() ?? []
}

/** A peer that is asked the same; whatever is asked for, it sends its one record. */
export async function peerOf(stage: Stage, name: string, child: Child, held: string[]): Promise<Contestant> {
  const order = { ...question(stage, held), addresses: [await child.listening()] }
  return { name, cpuMs: async () => (await child.usage()).cpuMs, order }
}

/** A question of ours about what is held. */
export function ours(
  stage: Stage,
  name: string,
  child: Front,
  held: string[],
  order: Partial<LoadOrder>,
): Contestant {
  return {
    name,
    cpuMs: async () => (await child.usage()).cpuMs,
    order: {
      ...question(stage, held),
      addresses: [child.address],
      headHas: 'bedriftsoppslag; hit',
      ...order,
    },
  }
}

function question({ headers }: Stage, paths: string[]) {
  return { paths, headers, status: 200 } as const
}

export function packedAs({ headers }: Stage, encoding: string): Partial<LoadOrder> {
  return { headers: { ...headers, 'accept-encoding': encoding }, headHas: `content-encoding: ${encoding}` }
}

export function partsOf(paths: readonly string[]): string[] {
  return paths.map((path) => `${path}?felt=roller`)
}

/** A list says nothing of a cache: it is many answers in one. */
export function bulkOf(numbers: readonly string[]): Partial<LoadOrder> {
  const body = JSON.stringify({ organisasjonsnumre: numbers.slice(0, IN_BULK) })
  return { paths: ['/api/bedrift/oppslag'], body, headHas: 'application/x-ndjson' }
}

export function pathsOf(numbers: readonly string[]): string[] {
  return numbers.map((orgnr) => `/api/bedrift/${orgnr}`)
}

/** The bytes of ours for a company, for peers to send. */
export async function save(
  { headers, folder }: Stage,
  address: string,
  path: string | undefined,
  name: string,
) {
  const answer = await fetch(`${address}${path}`, { headers: { ...headers, 'accept-encoding': 'identity' } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const file = join(folder, name)
  await writeFile(file, bytes)
  return { file, bytes }
}
