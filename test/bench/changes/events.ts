import { setTimeout as pause } from 'node:timers/promises'
import { companySources } from '#src/sources/index.ts'
import { laneOf } from '#src/sources/lanes.ts'
import type { Stage } from '../stage.ts'

/** The register has it under another name, and tells of it. @returns when */
export function rename({ register, companies }: Stage, orgnr: string, ending: string): number {
  companies.get(orgnr)?.rename(ending)
  const endringer = [{ op: 'replace', path: '/navn', value: ending }]
  register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring', endringer })
  return performance.now()
}

const ofRegister = companySources.filter((source) => laneOf(source) === 'enhetsregisteret')

/** Calls to Enhetsregisteret about companies so far: its feeds are not among them. */
function callsOf({ register }: Stage): number {
  return ofRegister.reduce((sum, source) => sum + register.calls.count(source), 0)
}

/**
 * Counts the calls each second until stopped. A second's share comes at its beginning, so there is one share more than there are
 * seconds.
 *
 * @param share calls of one second
 * @returns the most there were a second, over any ten seconds in a row
 */
export function countCalls(stage: Stage, share: number): () => number {
  const counts: number[] = [callsOf(stage)]
  const timer = setInterval(() => counts.push(callsOf(stage)), 1000)
  return () => {
    clearInterval(timer)
    counts.push(callsOf(stage))
    const over = Math.min(10, counts.length - 1)
    const spans = counts.slice(over).map((count, index) => (count - (counts[index] ?? 0) - share) / over)
    return Math.max(0, ...spans)
  }
}

/** Looks now and then until it holds. @throws Error with `what` when it takes too long */
export async function until(
  what: string,
  withinMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const end = performance.now() + withinMs; !(await holds()); await pause(200))
    if (performance.now() > end) throw new Error(`not within ${withinMs / 1000} s: ${what}`)
}
