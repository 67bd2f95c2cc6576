import { parseArgs } from 'node:util'
import { leaveMeasuredCore, machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { staged } from '../stage.ts'
import { coldByProcesses, coldMix, plotCold } from './cold-by-processes.ts'
import { countryInRedis, plotCountry, TEMPLATES } from './country-in-redis.ts'
import { HELD, HELD_MAX, heldCurves, OF_EVERY_SIZE, plotHeld } from './held-record.ts'

/**
 * Door: curves where a point says too little. `--only redis|processes|held` draws one of them. `--companies` says how many Redis
 * is filled with at most: a country has 1.2 million, which take eight minutes and 3 GB of memory; without it a fiftieth. `--held`
 * says how many are held in memory: 100,000 take ten minutes; without it a tenth. What is whole is kept, each by itself.
 */
const COUNTRY = 1_200_000
const RECORDS_WHOLE = 1500
/** Shown, and held against nothing. */
const NONE = Number.POSITIVE_INFINITY
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    companies: { type: 'string', default: String(COUNTRY / 50) },
    records: { type: 'string', default: String(RECORDS_WHOLE) },
    held: { type: 'string', default: String(HELD_MAX / 10) },
  },
})
const companies = Number(values.companies)
const records = Number(values.records)
const held = Number(values.held)
const PROCESSES = [1, 2, 4]
const COUNTS = [...new Set([0.01, 0.1, 0.4, 1].map((share) => Math.max(1000, Math.round(share * companies))))]
const HELD_COUNTS = [1000, 3000, 10_000, 30_000, 100_000].filter((count) => count <= held)

/** Of a part: whether it is at its real size, and what is found. */
type Part = { isWhole: boolean; draw: (isWhole: boolean) => Promise<Drawn> }
type Drawn = { rest: Aim[]; notes: string[] }

const parts = {
  redis: { isWhole: companies >= COUNTRY, draw: drawRedis },
  processes: { isWhole: records >= RECORDS_WHOLE, draw: drawProcesses },
  held: { isWhole: held >= HELD_MAX, draw: drawHeld },
} satisfies Record<string, Part>

leaveMeasuredCore()
const facts = machineFacts()
for (const [name, { isWhole, draw }] of Object.entries(parts)) {
  if (values.only !== undefined && values.only !== name) continue
  const results = { servers: [], ...(await draw(isWhole)) }
  console.log(tableOf(facts, results))
  if (isWhole) await keep(facts, results, `curves-${name as keyof typeof parts}`)
}

async function drawRedis(isWhole: boolean): Promise<Drawn> {
  const points = await staged({ mixed: TEMPLATES + companies }, (stage) => countryInRedis(stage, COUNTS))
  const rest = points.flatMap(({ companies: held, bytes, ...costs }): Aim[] => {
    const what = `${held.toLocaleString('en')} companies in Redis, ${Math.round(bytes / 1024 ** 2)} MB`
    return [
      { what: `${what}: a company`, found: bytes / held, limit: 2000, unit: 'bytes' },
      { what: '… put together of its sections', found: costs.firstMicroseconds, limit: NONE, unit: 'CPU µs' },
      { what: '… as it lies there', found: costs.againMicroseconds, limit: NONE, unit: 'CPU µs' },
      { what: '… the same, p99', found: costs.againP99Ms, limit: NONE, unit: 'ms' },
    ]
  })
  return { rest, notes: isWhole ? await plotCountry(points) : [] }
}

async function drawProcesses(isWhole: boolean): Promise<Drawn> {
  const points = await staged({ mixed: coldMix(PROCESSES, records) }, (stage) =>
    coldByProcesses(stage, PROCESSES, records),
  )
  const rest = points.flatMap(({ processes, perSecond, cpuMilliseconds, p99Ms }): Aim[] => {
    const what = `${processes} processes, cold records: ${Math.round(perSecond)} a second`
    return [
      { what: `${what}; CPU of all`, found: cpuMilliseconds, limit: NONE, unit: 'ms' },
      { what: '… p99', found: p99Ms, limit: NONE, unit: 'ms' },
    ]
  })
  return { rest, notes: isWhole ? await plotCold(points) : [] }
}

async function drawHeld(isWhole: boolean): Promise<Drawn> {
  const curves = await staged({ standard: held, large: HELD, growing: OF_EVERY_SIZE }, (stage) =>
    heldCurves(stage, HELD_COUNTS),
  )
  const rest = curves.flatMap(({ name, points }) =>
    points.map(({ at, ours, bare }): Aim => {
      const what = `${name}, ${at.toLocaleString('en')}: ${ours.toFixed(1)} CPU µs`
      return { what, found: ours / bare, limit: NONE, unit: '× bare' }
    }),
  )
  return { rest, notes: isWhole ? await plotHeld(curves) : [] }
}
