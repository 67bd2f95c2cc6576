import type { StandInSource } from './source.ts'

/**
 * The ways a register can fail or be slow, as words a test can say:
 *
 * - `delay`: the right answer, later. `hold`: the right answer as it was when asked for, when the promise settles.
 * - `hang`: nothing, until the client leaves or the stand-in closes.
 * - `refuse`: the connection is reset before a byte is answered; for `alle` even before a request can be sent.
 *   `reset`: the same in the middle of the body.
 * - `drip`: the right answer in tiny chunks, each soon enough that no wait between bytes looks like a failure.
 * - `status`: any status, headers and text. `html`: 200 and somebody's outage page. `redirect`: 302 to another path.
 * - `truncated`: the first half, ended as if it were whole. `huge`: the right answer behind this many spaces.
 * - `wrongShape`: the right names with values of other types. `wrongCompany`: the answer is about somebody else.
 *
 * An empty 404 has nothing that could be cut, changed or renumbered: those faults leave it as it is.
 */
export type Fault =
  | { kind: 'delay'; ms: number }
  | { kind: 'hold'; until: Promise<unknown> }
  | { kind: 'hang' }
  | { kind: 'refuse' }
  | { kind: 'reset' }
  | { kind: 'drip'; chunkBytes?: number; everyMs?: number }
  | { kind: 'status'; code: number; headers?: Record<string, string>; body?: string }
  | { kind: 'html' }
  | { kind: 'redirect' }
  | { kind: 'truncated' }
  | { kind: 'huge'; bytes: number }
  | { kind: 'wrongShape' }
  | { kind: 'wrongCompany' }

/** `orgnr`: only calls about this company. `times`: only the next so many calls, then all is well again. */
type FaultScope = { orgnr?: string; times?: number }

export type Faults = {
  /** The closest one counts: source and company, then source, then everything and company, then everything. */
  setFault(source: StandInSource | 'alle', fault: Fault, scope?: FaultScope): void
  clearFaults(): void
}

/** @returns the faults, `meets` for one call (which uses up a `times`), and `refusesEverything` for a new connection. */
export function createFaults(): Faults & {
  meets(source: StandInSource, orgnr: string | null): Fault | null
  refusesEverything(): boolean
} {
  const set = new Map<string, { fault: Fault; left: number }>()

  return {
    setFault(source, fault, { orgnr, times = Number.POSITIVE_INFINITY } = {}) {
      set.set(faultKey(source, orgnr), { fault, left: times })
    },
    clearFaults: () => set.clear(),
    meets(source, orgnr) {
      const about = orgnr ?? undefined
      const keys = [faultKey(source, about), faultKey(source), faultKey('alle', about), faultKey('alle')]
      const key = keys.find((candidate) => set.has(candidate))
      const met = key === undefined ? undefined : set.get(key)
      if (key === undefined || met === undefined) return null
      met.left -= 1
      if (met.left <= 0) set.delete(key)
      return met.fault
    },
    refusesEverything: () => set.get(faultKey('alle'))?.fault.kind === 'refuse',
  }
}

function faultKey(source: string, orgnr = 'alle'): string {
  return `${source} ${orgnr}`
}
