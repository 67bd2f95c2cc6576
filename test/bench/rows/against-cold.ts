import { type Aim, median } from '../row.ts'
import type { Stage } from '../stage.ts'
import { oneByOne, SOURCE_DELAY_MS, WARMING } from './cold.ts'
import { readAll } from './readings.ts'

/** Companies in one turn of a side. */
const IN_TURN = 10

/** What nobody asked for before, asked of this checkout and of another one in turns. */
export async function againstColdRows(
  stage: Stage,
  { records }: { records: number },
  root: string,
): Promise<Aim[]> {
  const sides = [
    { side: 'this', front: await stage.startFront(), laterMs: [] as number[], cpuMs: 0 },
    { side: 'other', front: await stage.startFront({ root }), laterMs: [] as number[], cpuMs: 0 },
  ]
  const fresh = stage.numbers.large.values()
  for (const { front } of sides) await readAll(stage, front.address, Array.from(fresh.take(WARMING)), 4)
  stage.register.setFault('alle', { kind: 'delay', ms: SOURCE_DELAY_MS })
  for (let turn = 0; turn < records / IN_TURN; turn++) {
    for (const each of sides) {
      const before = (await each.front.usage()).cpuMs
      const times = await oneByOne(stage, each.front.address, Array.from(fresh.take(IN_TURN)))
      each.cpuMs += (await each.front.usage()).cpuMs - before
      each.laterMs.push(...times.map(({ sourceMs, recordMs }) => recordMs - sourceMs))
    }
  }
  stage.register.clearFaults()
  return sides.flatMap(({ side, laterMs, cpuMs }) => [
    {
      what: `a cold record, ${side}: slowest source + (median)`,
      found: median(laterMs),
      limit: 5,
      unit: 'ms',
    },
    { what: `… CPU for each, ${side}`, found: cpuMs / laterMs.length, limit: 10, unit: 'ms' },
  ])
}

/** Companies that this uses up. */
export function againstColdCompanies({ records }: { records: number }): number {
  return 2 * (WARMING + records + IN_TURN)
}
