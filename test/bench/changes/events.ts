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

const ofRegister = new Set(companySources.filter((source) => laneOf(source) === 'enhetsregisteret'))

/** The most calls to Enhetsregisteret about companies over any ten seconds, each second of them: its feeds are not among them. */
export function mostCalls({ register }: Stage): number {
  const moments = register.calls.moments(ofRegister)
  let first = 0
  let most = 0
  for (const [index, at] of moments.entries()) {
    while (at - (moments[first] ?? 0) >= 10_000) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most / 10
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
