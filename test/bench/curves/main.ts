import { parseArgs } from 'node:util'
import { drawn } from '../plot.ts'
import { leaveMeasuredCore, machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { staged } from '../stage.ts'
import { coldByProcesses, coldMix, plotCold } from './cold-by-processes.ts'
import { countryInRedis, plotCountry, TEMPLATES } from './country-in-redis.ts'
import { HELD, HELD_MAX, heldCurves, OF_EVERY_SIZE, plotHeld } from './held-record.ts'

/**
 * Door: curves where a point says too little. `--only redis|processes|held` draws one of them, `--companies` says how many Redis
 * is filled with at most: a country has 1.2 million, which take eight minutes and 3 GB of memory. Without it a fiftieth. Only a
 * whole country is kept; `--held 100000` has so many held in memory, which take five minutes, and its curves are kept by themselves.
 */
const COUNTRY = 1_200_000
/** Shown, and held against nothing. */
const NONE = Number.POSITIVE_INFINITY
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    companies: { type: 'string', default: String(COUNTRY / 50) },
    records: { type: 'string', default: '1500' },
    held: { type: 'string', default: '10000' },
  },
})
const companies = Number(values.companies)
const records = Number(values.records)
const held = Number(values.held)
const isWhole = companies >= COUNTRY
const PROCESSES = [1, 2, 4]
const COUNTS = [...new Set([0.01, 0.1, 0.4, 1].map((share) => Math.max(1000, Math.round(share * companies))))]

leaveMeasuredCore()
const facts = machineFacts()
const rest: Aim[] = []
if (values.only === undefined || values.only === 'redis') {
  const points = await staged({ mixed: TEMPLATES + companies }, (stage) => countryInRedis(stage, COUNTS))
  await (isWhole ? plotCountry(points) : undefined)
  for (const { companies: held, bytes, ...costs } of points) {
    const what = `${held.toLocaleString('en')} companies in Redis, ${Math.round(bytes / 1024 ** 2)} MB`
    rest.push(
      { what: `${what}: a company`, found: bytes / held, limit: 2000, unit: 'bytes' },
      { what: '… put together of its sections', found: costs.firstMicroseconds, limit: NONE, unit: 'CPU µs' },
      { what: '… as it lies there', found: costs.againMicroseconds, limit: NONE, unit: 'CPU µs' },
      { what: '… the same, p99', found: costs.againP99Ms, limit: NONE, unit: 'ms' },
    )
  }
}
if (values.only === undefined || values.only === 'processes') {
  const points = await staged({ mixed: coldMix(PROCESSES, records) }, (stage) =>
    coldByProcesses(stage, PROCESSES, records),
  )
  await (isWhole ? plotCold(points) : undefined)
  for (const { processes, perSecond, cpuMilliseconds, p99Ms } of points) {
    const what = `${processes} processes, cold records: ${Math.round(perSecond)} a second`
    rest.push(
      { what: `${what}; CPU of all`, found: cpuMilliseconds, limit: NONE, unit: 'ms' },
      { what: '… p99', found: p99Ms, limit: NONE, unit: 'ms' },
    )
  }
}
if (values.only === undefined || values.only === 'held') {
  const curves = await staged({ standard: held, large: HELD, mixed: OF_EVERY_SIZE }, (stage) =>
    heldCurves(
      stage,
      [1000, 3000, 10_000, 30_000, 100_000].filter((count) => count <= held),
    ),
  )
  await (held >= HELD_MAX ? plotHeld(curves) : undefined)
  for (const { name, points } of curves)
    for (const { at, ours, bare } of points)
      rest.push({
        what: `${name}, ${at.toLocaleString('en')}: ${ours.toFixed(1)} CPU µs`,
        found: ours / bare,
        limit: NONE,
        unit: '× bare',
      })
}
const results = { servers: [], rest, notes: drawn }
console.log(tableOf(facts, results))
if (isWhole && values.only === undefined) await keep(facts, results, 'curves')
