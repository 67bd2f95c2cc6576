import type { IncomingHttpHeaders } from 'node:http'
import type { StandInSource } from './source.ts'

/** A request that reached the stand-in. `ukjent` is a path that no register has; following a redirect ends there. */
type Call = {
  source: StandInSource | 'ukjent'
  orgnr: string | null
  path: string
  headers: IncomingHttpHeaders
}

/** What was asked of the stand-in since the start, or since `reset`. */
export type Calls = {
  /** Calls to one source, or to all of them; for one company, or for all. */
  count(source?: Call['source'], orgnr?: string): number
  /** The most calls to the source that were open at one moment. */
  maxInFlight(source: Call['source']): number
  /** Calls to the source that are open now: arrived, not yet answered to the end. */
  inFlight(source: Call['source']): number
  /** The newest call to the source, to look at what was sent along. */
  last(source: Call['source']): Call | null
  /** When each call to these sources arrived, by `performance.now()`, in order. */
  moments(sources: ReadonlySet<Call['source']>): number[]
  reset(): void
}

/** @returns the counts, and `arrived`, which enters a call and returns what to call when it is over. */
export function createCalls(): { calls: Calls; arrived(call: Call): () => void } {
  const counts = new Map<string, number>()
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const newest = new Map<string, Call>()
  const moments: { source: Call['source']; at: number }[] = []

  return {
    calls: {
      count: (source, orgnr) => counts.get(countKey(source, orgnr)) ?? 0,
      maxInFlight: (source) => most.get(source) ?? 0,
      inFlight: (source) => open.get(source) ?? 0,
      last: (source) => newest.get(source) ?? null,
      moments: (sources) => moments.filter(({ source }) => sources.has(source)).map(({ at }) => at),
      reset() {
        counts.clear()
        moments.length = 0
        newest.clear()
        most.clear()
        // What is still open goes on counting towards the new maximum.
        for (const [source, number] of open) most.set(source, number)
      },
    },
    arrived(call) {
      const { source, orgnr } = call
      const keys = [countKey(), countKey(source)]
      if (orgnr !== null) keys.push(countKey(undefined, orgnr), countKey(source, orgnr))
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
      newest.set(source, call)
      moments.push({ source, at: performance.now() })
      const number = (open.get(source) ?? 0) + 1
      open.set(source, number)
      most.set(source, Math.max(most.get(source) ?? 0, number))
      return () => open.set(source, (open.get(source) ?? 0) - 1)
    },
  }
}

function countKey(source: string = 'alle', orgnr: string = 'alle'): string {
  return `${source} ${orgnr}`
}
