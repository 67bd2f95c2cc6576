import type { Policy } from '#config/policy.ts'
import { InputError } from '#src/core/errors.ts'
import type { RegisterSource } from '#src/core/source-names.ts'
import type { RegisterLane } from '#src/queue/jobs.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Lifetimes that can be tuned: the name operators use, its place in the policy, and the sections of the cache it is about. */
export const tunedLifetimes = {
  enhet: { place: 'unit', sections: ['enhet', 'underenhet'], about: 'Enheter og underenheter' },
  roller: { place: 'roles', sections: ['roller'], about: 'Roller' },
  fullmakt: { place: 'authority', sections: ['signatur', 'prokura'], about: 'Signatur og prokura' },
  regnskap: { place: 'accounts', sections: ['regnskap'], about: 'Regnskap' },
  regnskap_sommer: {
    place: 'accountsInSummer',
    sections: ['regnskap'],
    about: 'Regnskap, juli til september',
  },
  kunngjoringer: { place: 'announcements', sections: ['kunngjoringer'], about: 'Kunngjøringer' },
  sok: { place: 'search', sections: ['sok'], about: 'Søk' },
} as const satisfies Record<
  string,
  { place: keyof Policy['lifetimes']; sections: readonly RegisterSource[]; about: string }
>
export type TunedLifetime = keyof typeof tunedLifetimes

/** Background calls a second over all processes, and what readers may ask of the announcements page in each process. */
const tunedBudgets = {
  enhetsregisteret: 'Bakgrunnskall til Enhetsregisteret',
  fullmakt: 'Bakgrunnskall til Fullmakt',
  regnskap: 'Bakgrunnskall til Regnskapsregisteret',
  kunngjoringer: 'Bakgrunnskall til kunngjøringene',
  kunngjoringer_lesere: 'Leseres kall til kunngjøringene, for hver prosess',
} as const satisfies Record<RegisterLane | 'kunngjoringer_lesere', string>
type TunedBudget = keyof typeof tunedBudgets

type TunableName = `${TunedLifetime}.${'fersk' | 'foreldet'}` | `${TunedBudget}.kall`
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

/** Lifetimes in milliseconds in the policy's shape, and calls a second. */
export type Tuned = { lifetimes: Policy['lifetimes']; budgets: Record<TunedBudget, number> }

type TuningDefaults = {
  lifetimes: Policy['lifetimes']
  registers: Record<RegisterLane, { callsPerSecond: number }>
  announcementsCallsPerSecond: number
}

/** Everything that can be tuned, in the order it is shown. */
export function tunablesOf({
  lifetimes,
  registers,
  announcementsCallsPerSecond,
}: TuningDefaults): readonly Tunable[] {
  const times = Object.entries(tunedLifetimes).flatMap(([name, { place, about }]): Tunable[] => [
    {
      name: `${name as TunedLifetime}.fersk`,
      about: `${about}: fersk`,
      unit: 's',
      standard: lifetimes[place].freshMs / 1000,
      // Less would ask a register for what it said a minute ago; more would outlive what the feeds may miss.
      least: MINUTE,
      most: 90 * DAY,
      decimals: 0,
    },
    {
      name: `${name as TunedLifetime}.foreldet`,
      about: `${about}: vises deretter som utdatert`,
      unit: 's',
      standard: lifetimes[place].staleMs / 1000,
      // Without any, a register that is down for a minute would be seen by readers.
      least: HOUR,
      most: 365 * DAY,
      decimals: 0,
    },
  ])
  const budgets = Object.entries(tunedBudgets).map(
    ([name, about]): Tunable => ({
      name: `${name as TunedBudget}.kall`,
      about,
      unit: 'kall/s',
      standard:
        name === 'kunngjoringer_lesere'
          ? announcementsCallsPerSecond
          : registers[name as keyof typeof registers].callsPerSecond,
      // Fewer would not end a day's work in a day; a register that is to be left alone is switched off.
      least: 0.1,
      decimals: 2,
      most: name === 'kunngjoringer_lesere' ? 1000 : 100,
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
export function applyTuning(tuning: Tuning, defaults: TuningDefaults): Tuned {
  const lifetimes: Record<string, Policy['lifetimes'][keyof Policy['lifetimes']]> = { ...defaults.lifetimes }
  for (const [name, { place }] of Object.entries(tunedLifetimes)) {
    const standard = defaults.lifetimes[place]
    const fresh = tuning[`${name as TunedLifetime}.fersk`]
    const stale = tuning[`${name as TunedLifetime}.foreldet`]
    lifetimes[place] = {
      ...standard,
      freshMs: fresh === undefined ? standard.freshMs : fresh * 1000,
      staleMs: stale === undefined ? standard.staleMs : stale * 1000,
    }
  }
  const budgets = Object.fromEntries(
    Object.keys(tunedBudgets).map((name) => [
      name,
      tuning[`${name as TunedBudget}.kall`] ??
        (name === 'kunngjoringer_lesere'
          ? defaults.announcementsCallsPerSecond
          : defaults.registers[name as keyof TuningDefaults['registers']].callsPerSecond),
    ]),
  ) as Tuned['budgets']
  return { lifetimes: lifetimes as Policy['lifetimes'], budgets }
}

/** The same tuning with some values changed; null takes one back to what the program has. */
export function changedTuning(
  tuning: Tuning,
  changes: Readonly<Partial<Record<string, number | null>>>,
  tunables: readonly Tunable[],
): Tuning {
  const changed: Record<string, number> = { ...tuning }
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
