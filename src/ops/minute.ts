import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { fetchedFrom } from './request-report.ts'

const Count = Type.Number({ minimum: 0 })
/** Empty ones at the end are left out. */
const Buckets = Type.Array(Type.Union([Count, Type.Null()]), { maxItems: 40 })

/** What one source was asked in a minute. Latencies and ages are by their bounds; empty buckets at the end are left out. */
const SourceMinute = Type.Object({
  svar: Count,
  feil: Count,
  /** Not asked, by our own decision. */
  avvist: Count,
  bakgrunn: Count,
  ms: Buckets,
  /** Fetched without a copy at hand, and in place of a copy so old. */
  forste: Count,
  erstattet: Buckets,
  alderS: Buckets,
})

const Minute = Type.Object({
  kilder: Type.Record(Type.String({ pattern: '^[a-z]{1,30}$' }), SourceMinute),
  mellomlager: Type.Object({
    minne: Count,
    redis: Count,
    utdatert: Count,
    vedFeil: Count,
    bom: Count,
    kastet: Count,
    kastetByte: Count,
  }),
  foresporsler: Type.Object({ alle: Count, feil: Count }),
  /** Companies that were answered, by where the answer came from and how long it took. */
  oppslag: Type.Object({
    svar: Buckets,
    minne: Buckets,
    redis: Buckets,
    register: Buckets,
    ved_feil: Buckets,
  }),
  jobber: Type.Object({ gjort: Count, feilet: Count, oppgitt: Count }),
})

export type SourceMinute = Static<typeof SourceMinute>
export type Minute = Static<typeof Minute>

const isMinute = Compile(Minute)

/** A minute as it is stored; null for what another release may have written. */
export function readMinute(stored: unknown): Minute | null {
  // The release before counted no answers by where they came from.
  const whole = typeof stored === 'object' ? { oppslag: emptyMinute().oppslag, ...stored } : stored
  return isMinute.Check(whole) ? whole : null
}

export function emptyMinute(): Minute {
  return {
    kilder: {},
    mellomlager: { minne: 0, redis: 0, utdatert: 0, vedFeil: 0, bom: 0, kastet: 0, kastetByte: 0 },
    foresporsler: { alle: 0, feil: 0 },
    oppslag: { svar: [], minne: [], redis: [], register: [], ved_feil: [] },
    jobber: { gjort: 0, feilet: 0, oppgitt: 0 },
  }
}

/** The minute of one source, begun if need be. */
export function addedMinute(kilder: Minute['kilder'], source: string): SourceMinute {
  const known = kilder[source]
  if (known !== undefined) return known
  const begun: SourceMinute = {
    svar: 0,
    feil: 0,
    avvist: 0,
    bakgrunn: 0,
    ms: [],
    forste: 0,
    erstattet: [],
    alderS: [],
  }
  kilder[source] = begun
  return begun
}

/** All of them as one. */
export function sumOfMinutes(minutes: readonly Minute[]): Minute {
  const sum = emptyMinute()
  for (const { kilder, mellomlager, foresporsler, oppslag, jobber } of minutes) {
    for (const [source, counted] of Object.entries(kilder)) {
      const all = addedMinute(sum.kilder, source)
      for (const name of ['svar', 'feil', 'avvist', 'bakgrunn', 'forste'] as const) all[name] += counted[name]
      for (const name of ['ms', 'erstattet', 'alderS'] as const) addBuckets(all[name], counted[name])
    }
    addNumbers(sum.mellomlager, mellomlager)
    addNumbers(sum.foresporsler, foresporsler)
    for (const from of fetchedFrom) addBuckets(sum.oppslag[from], oppslag[from])
    addNumbers(sum.jobber, jobber)
  }
  return sum
}

type Buckets = (number | null)[]

function addBuckets(all: Buckets, some: Buckets): void {
  for (const [index, count] of some.entries()) all[index] = (all[index] ?? 0) + (count ?? 0)
  for (let index = 0; index < all.length; index += 1) all[index] ??= 0
}

function addNumbers<T extends Record<string, number>>(all: T, some: T): void {
  for (const name of Object.keys(all) as (keyof T)[])
    all[name] = ((all[name] ?? 0) + (some[name] ?? 0)) as T[keyof T]
}

export function countOf(buckets: Buckets): number {
  return buckets.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

/** Below which value this share of a histogram is, evenly within a bucket; null when it is empty. */
export function quantile(buckets: Buckets, bounds: readonly number[], share: number): number | null {
  const all = countOf(buckets)
  if (all === 0) return null
  let below = 0
  for (const [index, count] of buckets.entries()) {
    const here = count ?? 0
    if (below + here >= share * all && here > 0) {
      const from = bounds[index - 1] ?? 0
      const to = bounds[index] ?? from
      return from + ((to - from) * (share * all - below)) / here
    }
    below += here
  }
  return bounds.at(-1) ?? null
}
