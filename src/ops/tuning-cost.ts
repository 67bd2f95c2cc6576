import { InputError } from '#src/core/errors.ts'
import { HOUR_MS } from '#src/core/units.ts'
import { type Estimate, estimate } from './estimate.ts'
import { readMinute, sumOfMinutes } from './minute.ts'
import { readTunedValue, type Tunable, type Tuning, tunedLifetimes } from './tunables.ts'

export type TuningCost = { hours: number; estimates: (Estimate & { kilde: string })[] }

/**
 * What the last day would have cost had one value been another, from what all processes counted. A budget and a stale time
 * change no number of calls: a budget only holds them back, a stale time only decides how long a copy covers for its source.
 *
 * @throws InputError for a name that is none, or a value it can not have
 */
export function costOfTuning(
  rows: readonly { minutt: Date; verdier: unknown }[],
  { name, value, tuning, now }: { name: string; value: number; tuning: Tuning; now: Date },
  tunables: readonly Tunable[],
): TuningCost {
  const tunable = tunables.find((each) => each.name === name)
  if (tunable === undefined) {
    throw new InputError('ugyldig_verdi', 'navn', {
      norsk: 'Dette kan ikke stilles.',
      english: 'This can not be tuned.',
    })
  }
  readTunedValue(tunable, value)
  const minutes = rows.flatMap(({ verdier }) => readMinute(verdier) ?? [])
  const since = rows[0]?.minutt.getTime() ?? now.getTime()
  const hours = Math.min(24, Math.max(0, (now.getTime() - since) / HOUR_MS))
  const [group = '', what] = name.split('.')
  const tuned = tunedLifetimes.find((each) => each.name === group)
  if (what === 'kall' || tuned === undefined) return { hours, estimates: [] }
  const fresh = tunables.find((each) => each.name === `${group}.fersk`)?.standard ?? value
  const freshNowS = tuning[`${tuned.name}.fersk`] ?? fresh
  const { kilder } = sumOfMinutes(minutes)
  const estimates = tuned.sections.map((kilde) => {
    const counted = kilder[kilde]
    const lives = {
      first: counted?.forste ?? 0,
      replaced: (counted?.erstattet ?? []).map((count) => count ?? 0),
      agesS: (counted?.alderS ?? []).map((sum) => sum ?? 0),
    }
    const freshProposedS = what === 'fersk' ? value : freshNowS
    return { kilde, ...estimate(lives, { freshNowS, freshProposedS, hours, olderThanS: freshNowS }) }
  })
  return { hours, estimates }
}
