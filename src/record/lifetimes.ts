import type { Lifetime } from '#src/core/lifetime.ts'
import { type KeptSource, keptOf } from '#src/sources/index.ts'
import type { LifetimesNow, NamedLifetime } from '#src/sources/lifetime.ts'
import type { StoredState } from './stored-answer.ts'

/** How long an answer of a source lives; null is never kept: a company that was removed is remembered by its tombstone alone. */
export function lifetimeOf(
  source: KeptSource,
  outcome: StoredState,
  at: Date,
  now: LifetimesNow,
): Lifetime | null {
  const declared = declaredFor(source, outcome, at)
  return declared === null ? null : (now[declared.name] ?? declared)
}

function declaredFor(source: KeptSource, outcome: StoredState, at: Date): NamedLifetime | null {
  const { lifetimes, removes } = keptOf(source)
  switch (outcome) {
    case 'found':
      return lifetimes.season?.isOn(at) === true ? lifetimes.season.lifetime : lifetimes.found
    case 'removed':
      return removes === 'company' ? null : lifetimes.absent
    default:
      return lifetimes[outcome]
  }
}
