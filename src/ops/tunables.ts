import { InputError } from '#src/core/errors.ts'
import type { ReadersBudgets } from '#src/sources/descriptor.ts'
import {
  type CompanySource,
  type KeptSource,
  keptOf,
  keptSources,
  sourceOf,
  sparingSources,
} from '#src/sources/index.ts'
import { type RegisterLane, registerBudgets, registerLanes } from '#src/sources/lanes.ts'
import type { LifetimesNow, NamedLifetime } from '#src/sources/lifetime.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S

/** Each lifetime that operators may tune, in the order its sources are listed, and the sections of the cache it is about. */
export const tunedLifetimes: readonly (NamedLifetime & { about: string; sections: readonly KeptSource[] })[] =
  lifetimesFor(keptSources)

function lifetimesFor(sources: readonly KeptSource[]) {
  const found = new Map<string, NamedLifetime & { about: string; sections: KeptSource[] }>()
  for (const source of sources) {
    const { lifetimes } = keptOf(source)
    for (const lifetime of new Set([lifetimes.found, lifetimes.season?.lifetime])) {
      if (lifetime === undefined || lifetime.about === null) continue
      const known = found.get(lifetime.name)
      if (known === undefined)
        found.set(lifetime.name, { ...lifetime, about: lifetime.about, sections: [source] })
      else known.sections.push(source)
    }
  }
  return [...found.values()]
}

/** Calls a second over all processes: in the background, and what readers may ask of what is asked sparingly. */
type TunedBudget = RegisterLane | `${CompanySource}_lesere`
type Budget = { name: TunedBudget; about: string; most: number; standardOf(defaults: ReadersBudgets): number }
const tunedBudgets: readonly Budget[] = [
  ...registerLanes.map((name) => ({
    name,
    about: `Bakgrunnskall til ${registerBudgets[name].about}`,
    most: 100,
    standardOf: () => registerBudgets[name].callsPerSecond,
  })),
  ...sparingSources.map((source) => {
    const { about = '', callsPerSecond = () => 0 } = sourceOf(source).sparing ?? {}
    return {
      name: `${source}_lesere` as const,
      about: `Leseres kall til ${about}, for alle prosesser til sammen`,
      most: 1000,
      standardOf: callsPerSecond,
    }
  }),
]

type TunableName = `${string}.${'fersk' | 'foreldet'}` | `${TunedBudget}.kall`
export type Tunable = {
  name: TunableName
  about: string
  unit: 's' | 'kall/s'
  /** What the program has when nothing is tuned. */
  standard: number
  least: number
  most: number
  /** Decimals a value may have: one call in two seconds is 0.5 a second. */
  decimals: 0 | 2
}

/** What differs from the program's own values. */
export type Tuning = Readonly<Partial<Record<TunableName, number>>>

/** Lifetimes in milliseconds under their names, and calls a second. */
export type Tuned = { lifetimes: LifetimesNow; budgets: Record<TunedBudget, number> }

/** Everything that can be tuned, in the order it is shown. */
export function tunablesOf(defaults: ReadersBudgets): readonly Tunable[] {
  const times = tunedLifetimes.flatMap(({ name, about, freshMs, staleMs }): Tunable[] => [
    {
      name: `${name}.fersk`,
      about: `${about}: fersk`,
      unit: 's',
      standard: freshMs / 1000,
      // Less would ask a register for what it said a minute ago; more would outlive what the feeds may miss.
      least: MINUTE_S,
      most: 90 * DAY_S,
      decimals: 0,
    },
    {
      name: `${name}.foreldet`,
      about: `${about}: vises deretter som utdatert`,
      unit: 's',
      standard: staleMs / 1000,
      // Without any, a register that is down for a minute would be seen by readers.
      least: HOUR_S,
      most: 365 * DAY_S,
      decimals: 0,
    },
  ])
  const budgets = tunedBudgets.map(
    ({ name, about, most, standardOf }): Tunable => ({
      name: `${name}.kall`,
      about,
      unit: 'kall/s',
      standard: standardOf(defaults),
      // Fewer would not end a day's work in a day; a register that is to be left alone is switched off.
      least: 0.1,
      decimals: 2,
      most,
    }),
  )
  return [...times, ...budgets]
}

/**
 * Reads a stored or proposed tuning. Names that are not known are left out: a newer release may have set them.
 *
 * @throws InputError for a value that is no number, has too many decimals, or is out of its bounds
 */
export function readTuning(found: unknown, tunables: readonly Tunable[]): Tuning {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new InputError('ugyldig_stilling', 'verdier', {
      norsk: 'Stillingen er ikke en liste av navn og tall.',
      english: 'The tuning is no list of names and numbers.',
    })
  }
  const read: Partial<Record<TunableName, number>> = {}
  for (const tunable of tunables) {
    const value = (found as Record<string, unknown>)[tunable.name]
    if (value !== undefined) read[tunable.name] = readTunedValue(tunable, value)
  }
  return read
}

/** @throws InputError for a value that is no number, has too many decimals, or is out of its bounds */
export function readTunedValue({ name, least, most, unit, decimals }: Tunable, value: unknown): number {
  const isOne = typeof value === 'number' && value >= least && value <= most
  if (isOne && Number(value.toFixed(decimals)) === value) return value
  throw new InputError('ugyldig_verdi', name, {
    norsk:
      decimals === 0
        ? `${name} er et helt tall fra ${least} til ${most} (${unit}).`
        : `${name} er et tall fra ${String(least).replace('.', ',')} til ${most} med høyst ${decimals} desimaler (${unit}).`,
    english:
      decimals === 0
        ? `${name} is a whole number from ${least} to ${most} (${unit}).`
        : `${name} is a number from ${least} to ${most} with at most ${decimals} decimals (${unit}).`,
  })
}

/** The tuning put over what the program has. */
export function applyTuning(tuning: Tuning, defaults: ReadersBudgets): Tuned {
  const ms = (name: TunableName, standardMs: number) => {
    const seconds = tuning[name]
    return seconds === undefined ? standardMs : seconds * 1000
  }
  const lifetimes = tunedLifetimes.map(({ name, freshMs, staleMs, keepMs }) => [
    name,
    { freshMs: ms(`${name}.fersk`, freshMs), staleMs: ms(`${name}.foreldet`, staleMs), keepMs },
  ])
  const budgets = tunedBudgets.map(({ name, standardOf }) => [
    name,
    tuning[`${name}.kall`] ?? standardOf(defaults),
  ])
  return {
    lifetimes: Object.fromEntries(lifetimes),
    budgets: Object.fromEntries(budgets) as Tuned['budgets'],
  }
}

/** The same tuning with some values changed; null takes one back to what the program has. */
export function changedTuning(
  tuning: Tuning,
  changes: Readonly<Partial<Record<string, number | null>>>,
  tunables: readonly Tunable[],
): Tuning {
  const changed: Record<string, number | undefined> = { ...tuning }
  for (const [name, value] of Object.entries(changes)) {
    const tunable = tunables.find((each) => each.name === name)
    if (tunable === undefined) {
      throw new InputError('ukjent_verdi', 'navn', {
        norsk: `Dette kan stilles: ${tunables.map((each) => each.name).join(', ')}.`,
        english: `These can be tuned: ${tunables.map((each) => each.name).join(', ')}.`,
      })
    }
    if (value === null || value === undefined || value === tunable.standard) delete changed[name]
    else changed[name] = value
  }
  return readTuning(changed, tunables)
}
