import { policy } from '#config/policy.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { logEnds } from '#src/storage/changes/change-log.ts'
import { answerName, findKnownAnswers } from '#src/storage/changes/known-answers.ts'
import { takeDueLooks, watchedAmong } from '#src/storage/changes/looks.ts'
import { watchedChangesAfter } from '#src/storage/changes/read-watched.ts'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'
import { type Aim, median } from '../row.ts'
import { readAll } from '../rows/readings.ts'
import type { Stage } from '../stage.ts'
import { areLookedAt } from './delay.ts'
import { rename, until } from './events.ts'
import { openReceiver } from './told.ts'
import { lookedAt, makeWatchers, untouchedNumbers, watch } from './watchers.ts'

export type MillionsCourse = {
  keys: number
  /** Companies each key watches, first and then. */
  few: number
  many: number
}

const TOUCHED = 100
const TIMES = 30
/** Each waits for the next look at the feed. */
const WAYS = 12

/**
 * So many watched companies that nothing happens to, beside a hundred that something does: what they take, and that no step takes
 * longer for their being there.
 */
export async function millionsRows(stage: Stage, { keys, few, many }: MillionsCourse): Promise<Aim[]> {
  const receiver = stage.keep(await openReceiver(), (thing) => thing.close())
  const named = { WEBHOOK_HOSTS: receiver.origin }
  const { address: front } = await stage.startFront({ env: named })
  const db = createDatabase({
    url: stage.storage.url,
    poolMax: 2,
    applicationName: 'bench',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 600_000,
  })
  stage.keep(db, (thing) => thing.close())
  const touched = stage.numbers.standard.slice(0, TOUCHED)
  const [model = ''] = touched
  const empty = await bytesOf(db)
  const [near = ''] = await makeWatchers(db, [{ numbers: touched, address: `${receiver.origin}/en` }])
  await readAll(stage, front, touched, 4)
  await until('the touched have been looked at', 60_000, () => areLookedAt(stage, TOUCHED))

  const owners = await makeWatchers(
    db,
    Array.from({ length: keys }, () => ({ numbers: [], address: null })),
  )
  const ground = { db, touched, receiver, near, far: owners[0] ?? '' }
  let watched = 0
  /** Each key watches so many more, that have been looked at. */
  async function watchMore(perKey: number): Promise<void> {
    const numbers = untouchedNumbers(watched, perKey * keys)
    watched += numbers.length
    for (const [key, owner] of owners.entries())
      await watch(db, owner, numbers.slice(key * perKey, (key + 1) * perKey), null)
    for (let from = 0; from < numbers.length; from += 50_000)
      await lookedAt(db, model, numbers.slice(from, from + 50_000))
    await db.query('vacuum analyze')
  }

  await watchMore(few)
  const withFew = await measure(stage, ground)
  await watchMore(many - few)
  const withMany = await measure(stage, ground)
  const bytes = (await bytesOf(db)) - empty
  const all = (many * keys).toLocaleString('en')
  return [
    {
      what: `${all} watched companies, ${keys} keys: PostgreSQL, ${Math.round(bytes / (many * keys))} bytes each`,
      found: bytes / 1e9,
      limit: Number.POSITIVE_INFINITY,
      unit: 'GB',
    },
    {
      what: `… memory of the worker, most (with few: ${Math.round(withFew.rssMb)} MB)`,
      found: withMany.rssMb,
      limit: Number.POSITIVE_INFINITY,
      unit: 'MB',
    },
    ...Object.entries(withMany.stepsMs).map(([step, ms]) => ({
      what: `… ${step}: ${ms.toFixed(2)} ms, against ${(withFew.stepsMs[step] ?? Number.NaN).toFixed(2)} ms with ${(few * keys).toLocaleString('en')}`,
      found: ms / (withFew.stepsMs[step] ?? Number.NaN),
      limit: 2,
      unit: '×',
    })),
  ]
}

type Ground = {
  db: Database
  touched: readonly string[]
  receiver: Awaited<ReturnType<typeof openReceiver>>
  /** Who watches the touched, and one of those who watch the others. */
  near: string
  far: string
}

/** One after the other, by a worker that has just been started, and then each step alone, by the service's own questions. */
async function measure(
  stage: Stage,
  ground: Ground,
): Promise<{ rssMb: number; stepsMs: Record<string, number> }> {
  const { touched, receiver } = ground
  const worker = stage.startWorker({ WEBHOOK_HOSTS: receiver.origin })
  const wayMs: number[] = []
  for (const orgnr of touched.slice(0, WAYS)) {
    const told = receiver.next(orgnr)
    const at = rename(stage, orgnr, `FORNYET ${Math.round(performance.now())}`)
    wayMs.push((await told) - at)
  }
  const { rssBytesMost } = await worker.usage()
  await worker.stop()
  return {
    rssMb: rssBytesMost / 1e6,
    stepsMs: {
      'event → webhook, median': median(wayMs),
      ...(await stepsOf(ground)),
    },
  }
}

/** Milliseconds of each, the median of so many. */
async function stepsOf({ db, touched, near, far }: Ground): Promise<Record<string, number>> {
  // As long a log both times.
  const { newest } = await logEnds(db)
  const now = new Date()
  const tomorrow = new Date(now.getTime() + 24 * 60 * 60_000)
  const page = [...touched, ...inventNumbers(1000 - touched.length)] as Organisasjonsnummer[]
  const places = touched.map((orgnr) => answerName({ orgnr, source: 'enhet' }))
  const read = (eier: string) =>
    watchedChangesAfter(
      db,
      { eier, prove: false },
      { after: newest, orgnr: null, types: null, limit: 100, throughMax: policy.changeLog.linesThroughMax },
    )
  const steps: Record<string, () => Promise<unknown>> = {
    'a change written': () => write(db, touched[0] ?? ''),
    'fan-out of a change': async () => fanOut(db, { changesMax: 100, deliveriesMax: 10_000 }),
    'what a feed’s page of 1,000 touches that is watched': () => watchedAmong(db, page),
    'a look for what is due': () =>
      takeDueLooks(db, now, { line: 'neste_at', limit: 100, nextAt: () => tomorrow, keptUntil: tomorrow }),
    'what is known of 100 places before a look': () => findKnownAnswers(db, places),
    'a page of the log, of who watches the touched': () => read(near),
    'a page of the log, of who watches the others': () => read(far),
  }
  const times = new Map<string, number[]>(Object.keys(steps).map((name) => [name, [] as number[]]))
  for (let time = 0; time < TIMES; time++)
    for (const [name, step] of Object.entries(steps)) {
      const at = performance.now()
      await step()
      times.get(name)?.push(performance.now() - at)
    }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]))
}

async function write(db: Database, orgnr: string): Promise<void> {
  const at = new Date()
  await writeInLog(db, changeOf(orgnr, { forrige: at, sett: at }))
}

async function bytesOf(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
  return Number(row?.bytes)
}
