import { hash } from '@node-rs/argon2'
import { mintKey } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { insertKey } from '#src/storage/keys.ts'
import type { LoadOrder } from '../load/order.ts'
import { keepPlot } from '../plot.ts'
import { median } from '../row.ts'
import { ours, pathsOf, save } from '../rows/cached.ts'
import { type Contestant, measureInTurns } from '../rows/contestant.ts'
import { LARGE_MEMORY, readAll } from '../rows/readings.ts'
import type { Front, Stage } from '../stage.ts'

/** CPU µs a request, of ours and of bare `node:http` asked the same way. */
type HeldPoint = { at: number; ours: number; bare: number }
export type HeldCurve = { name: keyof typeof CURVES; points: HeldPoint[] }

const COURSE = { rounds: 7, closedMs: 600, openMs: 0 }
const CONNECTIONS = [8, 32, 128, 512, 2000]
const KEYS = [1, 10, 100, 1000, 10_000]
/** From the shortest to one with two hundred on its board. */
export const OF_EVERY_SIZE = 200
/** Of the way from the shortest to the longest, by the logarithm. */
const SHARES = [0, 0.25, 0.5, 0.75, 1]
const OF_A_SIZE = 8
export const HELD = 100
/** A whole curve. */
export const HELD_MAX = 100_000

const CURVES = {
  'held-by-companies': {
    title: 'A held record by how many are held',
    x: 'companies held, each asked in turn',
  },
  'held-by-keys': { title: 'A held record by how many keys ask', x: 'keys, in turn' },
  'held-by-connections': { title: 'A held record by connections', x: 'connections, all asking at once' },
  'held-by-size': { title: 'A held record by its size', x: 'bytes of the record' },
} as const

/**
 * Row 1 against what grows: how many companies are held, how many keys ask, over how many connections, and how long the record
 * is. Bare `node:http` sends one constant buffer of the same size for each.
 */
export async function heldCurves(stage: Stage, companies: readonly number[]): Promise<HeldCurve[]> {
  const curves = [await byCompanies(stage, companies)]
  // As behind a proxy: else one client has a thousand connections at most.
  const front = await stage.startFront({ env: { TRUST_PROXY: '127.0.0.1/32' } })
  const { large } = stage.numbers
  await readAll(stage, front.address, large, 4)
  const { file } = await save(stage, front.address, pathsOf(large)[0], 'held.json')
  const bare = await peer(stage, file)
  const paths = pathsOf(large)
  const both = (at: number, order: Partial<LoadOrder>, connections = 32) => [
    asked(bare(`bare ${at}`, paths), connections, order),
    asked(held(ours(stage, `ours ${at}`, front, paths, {})), connections, order),
  ]
  curves.push(
    await curve(stage, 'held-by-connections', CONNECTIONS, (at) => both(at, {}, at)),
    await curve(stage, 'held-by-keys', KEYS, await byKeys(stage, front, both)),
    await bySize(stage, front),
  )
  return curves
}

export function plotHeld(curves: readonly HeldCurve[]): Promise<string[]> {
  const plots = curves.map(({ name, points }) => {
    const of = (which: 'ours' | 'bare') => points.map((each) => [each.at, each[which]] as const)
    return keepPlot(name, {
      ...CURVES[name],
      y: 'CPU µs a request',
      series: [
        { name: 'ours', points: of('ours') },
        { name: 'bare node:http', points: of('bare') },
      ],
    })
  })
  return Promise.all(plots)
}

/**
 * Small ones in more memory than a process has otherwise, so that all of them are held; with a shared tier, since a process that hears
 * of no changes relies on what it holds for half a minute.
 */
async function byCompanies(stage: Stage, counts: readonly number[]): Promise<HeldCurve> {
  const front = await stage.startFront({ imports: [LARGE_MEMORY] })
  const { standard } = stage.numbers
  const points: HeldPoint[] = []
  let read = 0
  for (const count of counts) {
    const more = standard.slice(read, count)
    await readAll(stage, front.address, more, 16)
    // What was not whole at first, on a machine that paused, is asked for again.
    await readAll(stage, front.address, more, 16)
    read = count
    const paths = pathsOf(standard.slice(0, count))
    const { file } = await save(stage, front.address, paths[0], 'small.json')
    const bare = await peer(stage, file)
    const { points: measured } = await curve(stage, 'held-by-companies', [count], (at) => [
      bare(`bare ${at}`, paths),
      held(ours(stage, `ours ${at}`, front, paths, {})),
    ])
    points.push(...measured)
  }
  await front.stop()
  return { name: 'held-by-companies', points }
}

/** Keys whose hashes cost nothing to prove: what is measured is the use of keys that are known. */
async function byKeys(
  { storage }: Stage,
  { address }: Front,
  both: (at: number, order: Partial<LoadOrder>) => Contestant[],
): Promise<(at: number) => Contestant[]> {
  const tokens: string[] = []
  for (let made = 0; made < Math.max(...KEYS); made++) {
    const { id, token } = mintKey('live')
    const utstedt = systemClock.now()
    const cheap = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 } as const
    await insertKey(storage.database, {
      ...{ id, miljo: 'live', epost: 'bench@example.com', hash: await hash(token, cheap) },
      ...{ utstedt, utloper: expiryOf(utstedt) },
    })
    const { status } = await fetch(`${address}/api/bedrift/status`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (status !== 200) throw new Error(`key ${made} is not known: ${status}`)
    tokens.push(token)
  }
  return (at) => both(at, { tokens: tokens.slice(0, at) })
}

async function bySize(stage: Stage, front: Front): Promise<HeldCurve> {
  const { growing } = stage.numbers
  await readAll(stage, front.address, growing, 16)
  const sized: { path: string; bytes: number }[] = []
  for (const path of pathsOf(growing)) {
    const answer = await fetch(`${front.address}${path}`, {
      headers: { ...stage.headers, 'accept-encoding': 'identity' },
    })
    sized.push({ path, bytes: (await answer.arrayBuffer()).byteLength })
  }
  const points: HeldPoint[] = []
  const lengths = sized.map(({ bytes }) => bytes)
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)]
  for (const share of SHARES) {
    const wanted = least * (most / least) ** share
    const off = ({ bytes }: { bytes: number }) => Math.abs(bytes - wanted)
    const nearest = sized.sort((one, other) => off(one) - off(other)).slice(0, OF_A_SIZE)
    const paths = nearest.map(({ path }) => path)
    const bare = await peer(stage, (await save(stage, front.address, paths[0], `${share}.json`)).file)
    const { points: measured } = await curve(
      stage,
      'held-by-size',
      [median(nearest.map(({ bytes }) => bytes))],
      (at) => [bare(`bare ${at}`, paths), held(ours(stage, `ours ${at}`, front, paths, {}))],
    )
    points.push(...measured)
  }
  return { name: 'held-by-size', points }
}

async function curve(
  stage: Stage,
  name: HeldCurve['name'],
  places: readonly number[],
  both: (at: number) => Contestant[],
): Promise<HeldCurve> {
  const measured = await measureInTurns(stage, places.flatMap(both), COURSE)
  const cpu = (of: string) => median((measured.get(of) ?? []).map(({ cpuMicroseconds }) => cpuMicroseconds))
  const points = places.map((at) => ({ at, ours: cpu(`ours ${at}`), bare: cpu(`bare ${at}`) }))
  console.error(name, points)
  return { name, points }
}

async function peer(stage: Stage, file: string) {
  const child = stage.startPeer('bare', file)
  const addresses = [await child.listening()]
  return (name: string, paths: string[]): Contestant => ({
    name,
    cpuMs: async () => (await child.usage()).cpuMs,
    order: { paths, headers: stage.headers, status: 200, addresses },
  })
}

/** On a machine that pauses a company is now and then looked up anew. */
function held(contestant: Contestant): Contestant {
  return { ...contestant, order: { ...contestant.order, wrongShareMax: 0.02 } }
}

function asked(contestant: Contestant, connections: number, order: Partial<LoadOrder>): Contestant {
  return { ...contestant, order: { ...contestant.order, ...order }, load: { connections, perSecond: 2000 } }
}
