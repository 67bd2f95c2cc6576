import { keepPlot } from '../plot.ts'
import type { Front, Stage } from '../stage.ts'

const SOURCE_DELAY_MS = 20
const CONNECTIONS = 16
const WARMING = 100

type Point = { processes: number; perSecond: number; cpuMilliseconds: number; p99Ms: number }

/** Records nobody has asked for before, from more and more processes over one Redis; every source is 20 ms late. */
export async function coldByProcesses(
  stage: Stage,
  counts: readonly number[],
  records: number,
): Promise<Point[]> {
  const fresh = stage.numbers.mixed.values()
  const fronts: Front[] = []
  const points: Point[] = []
  for (const processes of counts) {
    while (fronts.length < processes) fronts.push(await stage.startFront())
    // A process that has only begun may be too late for some.
    await read(stage, fronts, Array.from(fresh.take(WARMING * processes)), 1)
    stage.register.setFault('alle', { kind: 'delay', ms: SOURCE_DELAY_MS })
    points.push({ processes, ...(await read(stage, fronts, Array.from(fresh.take(records)))) })
    stage.register.clearFaults()
    console.error(points.at(-1))
  }
  return points
}

/** Companies this takes. */
export function coldMix(counts: readonly number[], records: number): number {
  return counts.reduce((sum, processes) => sum + WARMING * processes + records, 0)
}

export function plotCold(points: readonly Point[]): Promise<string[]> {
  const over = (of: (point: Point) => number) => points.map((each) => [each.processes, of(each)] as const)
  return Promise.all([
    keepPlot('cold-per-second', {
      title: `Cold records, ${CONNECTIONS} at once, sources ${SOURCE_DELAY_MS} ms late; all processes on one core`,
      x: 'processes',
      y: 'records a second',
      series: [{ name: 'records a second', points: over(({ perSecond }) => perSecond) }],
    }),
    keepPlot('cold-cost', {
      title: 'A cold record by the number of processes',
      x: 'processes',
      y: 'ms',
      series: [
        { name: 'CPU of all processes', points: over(({ cpuMilliseconds }) => cpuMilliseconds) },
        { name: 'p99', points: over(({ p99Ms }) => p99Ms) },
      ],
    }),
  ])
}

async function read(
  { load, headers }: Stage,
  fronts: readonly Front[],
  numbers: readonly string[],
  wrongShareMax = 0.05,
) {
  const used = async () => {
    const usages = await Promise.all(fronts.map((front) => front.usage()))
    return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  }
  const before = await used()
  const { answered, elapsedMs, p99Ms } = await load.run({
    addresses: fronts.map(({ address }) => address),
    paths: numbers.map((orgnr) => `/api/bedrift/${orgnr}`),
    headers,
    connections: CONNECTIONS,
    status: 200,
    wrongShareMax,
    pace: { durationMs: 300_000, total: numbers.length },
  })
  return {
    perSecond: (answered * 1000) / elapsedMs,
    cpuMilliseconds: ((await used()) - before) / answered,
    p99Ms,
  }
}
