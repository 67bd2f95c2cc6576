import { setTimeout as pause } from 'node:timers/promises'
import type { LoadOrder } from '../load/order.ts'
import { median, type ServerRow } from '../row.ts'
import type { Stage } from '../stage.ts'

/** A server, and what is asked of it. */
export type Contestant = {
  name: string
  cpuMs(): Promise<number>
  order: Omit<LoadOrder, 'pace' | 'connections'>
  load?: typeof USUAL
  /** Companies in one request, where it is about more than one: each counts. */
  companies?: number
}

/** `openMs` 0: p99 is that of the closed loop. */
export type Course = { rounds: number; closedMs: number; openMs: number }

/** Per company that was answered. */
export type Measure = { cpuMicroseconds: number; perSecond: number; p99Ms: number }

/** In the closed loop so many ask at once, in the open one so many questions come a second. */
const USUAL = { connections: 32, perSecond: 2000 }

export type Measured = ReadonlyMap<string, readonly Measure[]>

/**
 * All run at the same time, each is driven in turn, and the rounds are repeated: what disturbs the machine disturbs all of
 * them. CPU time and throughput come from a closed loop, p99 from an open one.
 */
export async function measureInTurns(
  stage: Stage,
  contestants: readonly Contestant[],
  course: Course,
): Promise<Measured> {
  return inTurns(contestants, course.rounds, (contestant) => measureAtLast(stage, contestant, course))
}

/** Once each to be warm, then the rounds. */
export async function inTurns<C extends { name: string }>(
  contestants: readonly C[],
  rounds: number,
  measure: (contestant: C) => Promise<Measure>,
): Promise<Measured> {
  const measured = new Map(contestants.map(({ name }) => [name, [] as Measure[]]))
  for (const contestant of contestants) await measure(contestant)
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) measured.get(contestant.name)?.push(await measure(contestant))
  }
  return measured
}

/** CPU time of one against another's in the same rounds. */
export function times(measured: Measured, name: string, other: string): number {
  const others = measured.get(other) ?? []
  const rounds = measured.get(name) ?? []
  return median(
    rounds.map(({ cpuMicroseconds }, round) => cpuMicroseconds / (others[round]?.cpuMicroseconds ?? 0)),
  )
}

export function serverRow(measured: Measured, name: string, bare: string): Omit<ServerRow, 'aims'> {
  const rounds = measured.get(name) ?? []
  return {
    name,
    cpuMicroseconds: median(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    timesBare: times(measured, name, bare),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  }
}

/** The same for whoever measures others beside it in the same rounds. */
export function byOwnLoad(
  stage: Stage,
  contestant: Contestant,
  course: Course,
): { name: string; measure: () => Promise<Measure> } {
  return { name: contestant.name, measure: () => measureAtLast(stage, contestant, course) }
}

/** A machine that pauses spoils a turn now and then: its answers are not as they must be, and it is repeated. */
async function measureAtLast(stage: Stage, contestant: Contestant, course: Course): Promise<Measure> {
  for (let tries = 1; ; tries++) {
    try {
      return await measure(stage, contestant, course)
    } catch (error) {
      if (tries === TURN_TRIES_MAX) throw error
      await pause(SPOILT_MS)
    }
  }
}

const TURN_TRIES_MAX = 8
/** Longer than Redis is left alone after it was too late. */
const SPOILT_MS = 3000

async function measure(
  { load }: Stage,
  { cpuMs, order, load: { connections, perSecond } = USUAL, companies = 1 }: Contestant,
  { closedMs, openMs }: Course,
): Promise<Measure> {
  const before = await cpuMs()
  const closed = await load.run({ ...order, connections, pace: { durationMs: closedMs } })
  const usedMs = (await cpuMs()) - before
  const answered = closed.answered * companies
  const pace = { durationMs: openMs, perSecond: Math.ceil(perSecond / companies) }
  const open = openMs === 0 ? closed : await load.run({ ...order, connections: 2 * connections, pace })
  return {
    // The first questions of a conditional course fetch the tags: a hundred among tens of thousands.
    cpuMicroseconds: (usedMs * 1000) / answered,
    perSecond: (answered * 1000) / closed.elapsedMs,
    p99Ms: open.p99Ms,
  }
}
