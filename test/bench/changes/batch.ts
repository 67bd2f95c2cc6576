import { constants, setPriority } from 'node:os'
import { registerBudgets } from '#src/sources/lanes.ts'
import type { Aim } from '../row.ts'
import { readAll } from '../rows/readings.ts'
import type { Stage } from '../stage.ts'
import { areLookedAt } from './delay.ts'
import { mostCalls, rename, until } from './events.ts'
import { openReceiver } from './told.ts'
import { makeWatchers } from './watchers.ts'

export type BatchCourse = { events: number; keys: number; readMs: number }

/** Many events at once, each of a company that somebody watches, while readers read. */
export async function batchRows(stage: Stage, { events, keys, readMs }: BatchCourse): Promise<Aim[]> {
  const receiver = stage.keep(await openReceiver(), (thing) => thing.close())
  const named = { WEBHOOK_HOSTS: receiver.origin }
  const { address: front } = await stage.startFront({ env: named })
  const { standard, large } = stage.numbers
  const changed = standard.slice(0, events)
  const wanted = Array.from({ length: keys }, (_, key) => ({
    numbers: changed.filter((_each, index) => index % keys === key),
    address: `${receiver.origin}/${key}`,
  }))
  await makeWatchers(stage.storage.database, wanted)
  // Looked at as they are read: to have the worker look first is to wait for its budget.
  await readAll(stage, front, changed, 4)
  await until('all have been looked at', 60_000, () => areLookedAt(stage, events))
  await stage.storage.database.query(`update blikk set neste_at = now() + interval '12 hours'`)
  await readAll(stage, front, large, 4)
  goesFirst(stage.load.pid)
  const read = async () => {
    const { latenciesMs } = await stage.load.run({
      addresses: [front],
      paths: large.map((orgnr) => `/api/bedrift/${orgnr}`),
      headers: stage.headers,
      connections: 20,
      status: 200,
      pace: { durationMs: readMs, perSecond: READS_PER_SECOND },
    })
    return latenciesMs
  }
  stage.startWorker(named)
  await until(
    'the worker follows the feed',
    60_000,
    () => stage.register.calls.count('oppdateringer/enheter') > 0,
  )
  const before = await read()
  // A minute of it: what comes now and then is in it as it is in what follows.
  before.push(...(await read()), ...(await read()))

  stage.register.calls.reset()
  const at = performance.now()
  for (const orgnr of changed) rename(stage, orgnr, 'FORNYET')
  const during: number[] = []
  const spans: number[] = []
  while (receiver.arrived.size < events) {
    if (performance.now() - at > GIVEN_UP_MS) throw new Error(`${receiver.arrived.size} of ${events} came`)
    const span = await read()
    during.push(...span)
    spans.push(p99(span))
    console.error(`p99 ${p99(span).toFixed(1)} ms, ${receiver.arrived.size} delivered`)
  }
  const tookMs = performance.now() - at
  const [beforeMs, duringMs] = [p99(before), p99(during)]
  return [
    {
      what: `${events.toLocaleString('en')} events in one batch, all watched, ${keys.toLocaleString('en')} keys: the last webhook delivered after`,
      found: tookMs / 1000,
      limit: 300,
      unit: 's',
    },
    {
      what: '… calls to Enhetsregisteret a second, the most over any ten seconds',
      found: mostCalls(stage),
      limit: budget,
      unit: '',
    },
    {
      what: `… readers’ p99 of ${during.length} reads beside it (${duringMs.toFixed(1)} ms; of the worst ${readMs / 1000} s ${Math.max(...spans).toFixed(1)} ms) against ${before.length} before (${beforeMs.toFixed(1)} ms)`,
      found: duringMs / beforeMs,
      limit: 2,
      unit: '×',
    },
    {
      what: '… messages sent beside one for each',
      found: receiver.count() - events,
      limit: 0,
      unit: '',
    },
  ]
}

/**
 * Whoever holds the clock is not to wait for its core: it shares it with PostgreSQL, Redis, the registers and the receivers, and what
 * it waits there no reader of a service does. Only root may have it so.
 */
function goesFirst(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH)
  } catch {
    console.error('not root: the readers share a core with all that is not measured, and wait for it')
  }
}

function p99(latenciesMs: readonly number[]): number {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  return sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN
}

/** Calls a second. */
const budget = registerBudgets.enhetsregisteret.callsPerSecond
const READS_PER_SECOND = 300
const GIVEN_UP_MS = 1_200_000
