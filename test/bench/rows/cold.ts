import { Pool } from 'undici'
import type { StandInSource } from '#test/support/register-stand-in.ts'
import { startChild } from '../process/child.ts'
import { type Aim, median } from '../row.ts'
import type { Stage } from '../stage.ts'
import { readAll } from './readings.ts'

export const SOURCE_DELAY_MS = 100
const READERS = 1000
const SOURCES: StandInSource[] = ['enhet', 'roller', 'signatur', 'prokura', 'regnskap', 'kunngjoringer']

/** What nobody asked for before: every source is 100 ms late, and beside each record one source alone is asked as the yardstick. */
export async function coldRows(
  stage: Stage,
  { records, bursts }: { records: number; bursts: number },
): Promise<Aim[]> {
  const fronts = [await stage.startFront(), await stage.startFront()]
  const addresses = fronts.map((front) => front.address)
  const fresh = stage.numbers.large.values()
  // The first are slow for reasons of their own: code is compiled and connections are made.
  for (const address of addresses) await readAll(stage, address, Array.from(fresh.take(WARMING)), 4)
  stage.register.setFault('alle', { kind: 'delay', ms: SOURCE_DELAY_MS })
  const alone = await oneByOne(stage, addresses[0] ?? '', Array.from(fresh.take(records)))
  const bareMs = await bare(stage, Array.from(fresh.take(WARMING + records)))
  const crowds: Awaited<ReturnType<typeof crowd>>[] = []
  for (const orgnr of fresh.take(bursts)) crowds.push(await crowd(stage, addresses, orgnr))
  stage.register.clearFaults()

  const sourceMs = median(alone.map(({ sourceMs }) => sourceMs))
  const recordMs = median(alone.map(({ recordMs }) => recordMs))
  return [
    {
      what: '4. a cold record: slowest source + (median)',
      found: recordMs - sourceMs,
      limit: 10,
      unit: 'ms',
    },
    {
      what: '4. … beside what asks the same sources at once and does nothing else (median)',
      found: recordMs - bareMs,
      limit: 5,
      unit: 'ms',
    },
    {
      what: `4. ${READERS.toLocaleString('en')} readers of one cold company, over two processes: calls to any source (most)`,
      found: Math.max(...crowds.map(({ calls }) => calls)),
      limit: 1,
      unit: '',
    },
    {
      what: '4. … the last of them is answered after: slowest source + (median)',
      found: median(crowds.map(({ lastMs }) => lastMs)) - sourceMs,
      limit: 250,
      unit: 'ms',
    },
  ]
}

/** Companies that the two halves of this row use up. */
export function coldCompanies({ records, bursts }: { records: number; bursts: number }): number {
  return 3 * WARMING + 2 * records + bursts
}

export const WARMING = 50

export async function oneByOne(
  { headers, register }: Stage,
  address: string,
  numbers: string[],
): Promise<{ sourceMs: number; recordMs: number }[]> {
  const direct = new Pool(register.url, { connections: 1 })
  const service = new Pool(address, { connections: 1 })
  const times: { sourceMs: number; recordMs: number }[] = []
  for (const orgnr of numbers) {
    const sourceMs = await timed(direct, `/regnskapsregisteret/regnskap/${orgnr}`, {})
    const recordMs = await timed(service, `/api/bedrift/${orgnr}`, headers)
    if (sourceMs !== null && recordMs !== null) times.push({ sourceMs, recordMs })
  }
  await Promise.all([direct.close(), service.close()])
  // On a machine that pauses a source may be too late for its section; then nothing was measured.
  if (times.length < 0.9 * numbers.length) throw new Error('too many records came without a section')
  return times
}

/** What the register, the connections to it and the machine take when all sources are asked: nothing of it is the service's. */
async function bare(stage: Stage, numbers: string[]): Promise<number> {
  const peer = stage.keep(
    startChild({
      script: 'test/bench/servers/all-sources.ts',
      env: { BENCH_REGISTER: stage.register.url },
    }),
    (thing) => thing.stop(),
  )
  const address = await peer.listening()
  await oneByOne(stage, address, numbers.splice(0, WARMING))
  const times = await oneByOne(stage, address, numbers)
  return median(times.map(({ recordMs }) => recordMs))
}

/** Null when the answer was not whole. */
async function timed(pool: Pool, path: string, headers: Record<string, string>): Promise<number | null> {
  const from = performance.now()
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
  const answer = (await body.json()) as { komplett?: boolean }
  const elapsedMs = performance.now() - from
  return statusCode === 200 && answer.komplett !== false ? elapsedMs : null
}

async function crowd({ load, headers, register }: Stage, addresses: string[], orgnr: string) {
  register.calls.reset()
  const { lastMs } = await load.run({
    addresses,
    paths: [`/api/bedrift/${orgnr}`],
    headers,
    connections: READERS,
    status: 200,
    pace: { durationMs: 30_000, total: READERS },
  })
  return { lastMs, calls: Math.max(...SOURCES.map((source) => register.calls.count(source, orgnr))) }
}
