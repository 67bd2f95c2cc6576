import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { leaveMeasuredCore, machineFacts } from './process/machine.ts'
import { keep, tableOf } from './report.ts'
import type { Results } from './row.ts'
import { againstRows } from './rows/against.ts'
import { againstColdCompanies, againstColdRows } from './rows/against-cold.ts'
import { againstRedisRows } from './rows/against-redis.ts'
import { atRestRows } from './rows/at-rest.ts'
import { CACHED, cachedRows, IN_REDIS } from './rows/cached.ts'
import { coldCompanies, coldRows } from './rows/cold.ts'
import { feedRows } from './rows/feed.ts'
import { memoryRows } from './rows/memory.ts'
import { outageCompanies, outageRows } from './rows/outages.ts'
import { startedRows } from './rows/started.ts'
import { IN_BULK } from './servers/in-bulk.ts'
import { staged } from './stage.ts'

/**
 * Door: everything side by side, in one run on one machine.
 *
 * A whole run takes about a quarter of an hour, is kept in `results/` and shown in `README.md` beside them. `--quick` takes
 * two minutes and shows whether something is badly off; `--only cached|started|rest|cold|memory|feed|outages` measures one
 * part; `--against FOLDER` measures what is held beside another checkout of the project, with `--only redis` what lies in Redis, with
 * `--only cold` what nobody has. None of these is kept.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
  },
})
const course = values.quick
  ? {
      cached: { rounds: 2, closedMs: 400, openMs: 300 },
      started: { rounds: 2, seconds: 1, closedMs: 400, openMs: 0 },
      rest: { restMs: 10_000 },
      cold: { records: 30, bursts: 2 },
      memory: { throughMemory: 3000, inRedis: 400 },
      feed: { uncachedEvents: 10_000, burstEvents: 1000, burstCompanies: 100 },
      outages: { revocations: 5, outages: 2 },
    }
  : {
      cached: { rounds: 5, closedMs: 800, openMs: 500 },
      started: { rounds: 11, seconds: 1, closedMs: 1000, openMs: 0 },
      rest: { restMs: 60_000 },
      cold: { records: 120, bursts: 5 },
      memory: { throughMemory: 100_000, inRedis: 4000 },
      feed: { uncachedEvents: 10_000, burstEvents: 5000, burstCompanies: 500 },
      outages: { revocations: 20, outages: 10 },
    }

const parts: Record<string, () => Promise<Partial<Results>>> = {
  cached: () => staged(CACHED, (stage) => cachedRows(stage, course.cached)),
  started: () => staged({ large: 100 }, (stage) => startedRows(stage, course.started)),
  rest: () => staged({ large: 100 }, async (stage) => ({ rest: await atRestRows(stage, course.rest) })),
  cold: () =>
    staged({ large: coldCompanies(course.cold) }, async (stage) => ({
      rest: await coldRows(stage, course.cold),
    })),
  memory: () =>
    staged({ mixed: course.memory.throughMemory }, async (stage) => ({
      rest: await memoryRows(stage, course.memory),
    })),
  feed: () =>
    staged({ standard: course.feed.burstCompanies, mixed: course.feed.uncachedEvents }, async (stage) => ({
      rest: await feedRows(stage, course.feed),
    })),
  outages: () =>
    staged({ standard: outageCompanies(course.outages) }, async (stage) => ({
      rest: await outageRows(stage, course.outages),
    })),
}
const against = values.against
if (against !== undefined) {
  const root = resolve(against)
  parts.against = () => staged({ large: IN_BULK }, (stage) => againstRows(stage, course.cached, root))
  parts.redis = () => staged({ standard: IN_REDIS }, (stage) => againstRedisRows(stage, course.cached, root))
  parts.cold = () =>
    staged({ large: againstColdCompanies(course.cold) }, async (stage) => ({
      rest: await againstColdRows(stage, course.cold, root),
    }))
}
const chosen = values.only?.split(',') ?? (against === undefined ? Object.keys(parts) : ['against'])

leaveMeasuredCore()
const facts = machineFacts()
const results: Results = { servers: [], rest: [], notes: [] }
for (const name of chosen) {
  const part = parts[name]
  if (part === undefined)
    throw new Error(`--only: expected one of ${Object.keys(parts).join(', ')}, found ${name}`)
  console.error(`${name} …`)
  const { servers = [], rest = [], notes = [] } = await part()
  results.servers.push(...servers)
  results.rest.push(...rest)
  results.notes.push(...notes)
}
console.log(tableOf(facts, results))
if (!values.quick && values.only === undefined && against === undefined) await keep(facts, results)
