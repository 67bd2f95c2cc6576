import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { registerBudgets } from '#src/sources/lanes.ts'
import type { Child } from '../process/child.ts'
import type { Aim } from '../row.ts'
import type { Stage } from '../stage.ts'
import { readAll } from './readings.ts'

export type FeedCourse = { uncachedEvents: number; burstEvents: number; burstCompanies: number }

/** How the cache keeps up with the registers' feed: a front that serves, and a worker process that follows. */
export async function feedRows(stage: Stage, course: FeedCourse): Promise<Aim[]> {
  const { address: front } = await stage.startFront()
  const { mixed, standard } = stage.numbers
  for (let index = 0; index < course.uncachedEvents; index++)
    publish(stage, mixed[index % mixed.length] ?? '', '/navn')
  const worker = stage.startWorker()
  const readMs = await timeToCatchUp(worker)
  const burst = await burstOf(stage, front, standard.slice(0, course.burstCompanies), course.burstEvents)
  return [
    {
      what: `6. ${course.uncachedEvents.toLocaleString('en')} events of uncached companies`,
      found: readMs / 1000,
      limit: 2,
      unit: 's',
    },
    {
      what: `6. ${course.burstEvents.toLocaleString('en')} events that touch ${course.burstCompanies} cached companies: the last change is served after`,
      found: burst.lagMs / 1000,
      limit: 60,
      unit: 's',
    },
    {
      what: '6. … calls to Enhetsregisteret a second, while it lasts',
      found: burst.callsPerSecond,
      limit: budget,
      unit: '',
    },
  ]
}

function publish({ register }: Stage, organisasjonsnummer: string, path: string): void {
  const endringer = [{ op: 'replace', path, value: '2025' }]
  register.publish('enheter', { organisasjonsnummer, endringstype: 'Endring', endringer })
}

/** From taking up the feed of units to the word that there was no more. */
async function timeToCatchUp(worker: Child): Promise<number> {
  let beganAt = 0
  const caughtUp = Promise.withResolvers<number>()
  worker.onFeed((at, report) => {
    const { progress } = report as { progress?: { feed: string; isFollowing: boolean; isCaughtUp: boolean } }
    if (progress?.feed !== 'enheter' || !progress.isFollowing) return
    if (beganAt === 0) beganAt = at
    if (progress.isCaughtUp) caughtUp.resolve(at)
  })
  const tooLong = once(AbortSignal.timeout(CATCH_UP_MS_MAX), 'abort').then(() =>
    Promise.reject(new Error(`the worker had not read its feed after ${CATCH_UP_MS_MAX} ms`)),
  )
  return (await Promise.race([caughtUp.promise, tooLong])) - beganAt
}

/** Every company is in the burst several times; half of the events are of new accounts, which are fetched as well. */
async function burstOf(stage: Stage, front: string, numbers: string[], events: number) {
  const { register, companies, headers } = stage
  await readAll(stage, front, numbers, 4)

  register.calls.reset()
  const publishedAt = performance.now()
  for (const orgnr of numbers) companies.get(orgnr)?.rename(ENDING)
  for (let index = 0; index < events; index++) {
    const at = index % numbers.length
    publish(stage, numbers[at] ?? '', at % 2 === 0 ? '/navn' : '/sisteInnsendteAarsregnskap')
  }
  let firstCallAt = Number.NaN
  // From the front, one by one: a company that is not yet served anew holds up the look at the next.
  for (const orgnr of numbers) {
    while (!(await isServedAnew(front, headers, orgnr))) {
      const now = performance.now()
      if (now - publishedAt > LAG_MS_MAX) throw new Error(`${orgnr} is not served anew`)
      if (Number.isNaN(firstCallAt) && register.calls.count('enhet') > 0) firstCallAt = now
      await pause(LOOK_EVERY_MS)
    }
  }
  const endedAt = performance.now()
  // The first second's share comes at its beginning, so there is one share more than there are seconds.
  const calls = register.calls.count('enhet') - budget
  const callsPerSecond = (calls * 1000) / (endedAt - firstCallAt)
  return { lagMs: endedAt - publishedAt, callsPerSecond }
}

async function isServedAnew(front: string, headers: Record<string, string>, orgnr: string): Promise<boolean> {
  const answer = await fetch(`${front}/api/bedrift/${orgnr}`, { headers })
  const { navn } = (await answer.json()) as { navn?: string }
  return navn?.endsWith(ENDING) === true
}

/** Calls a second. */
const budget = registerBudgets.enhetsregisteret.callsPerSecond
const ENDING = 'FORNYET'
const CATCH_UP_MS_MAX = 60_000
const LAG_MS_MAX = 180_000
const LOOK_EVERY_MS = 100
