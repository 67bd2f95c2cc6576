import type { Policy } from '#config/policy.ts'
import type { Lifetime } from '#src/cache/entry.ts'
import type { Answer, SourceName } from '#src/sources/source.ts'

export type CachedSource = Exclude<SourceName, 'klass' | 'oppdateringer'>

/** How long an answer of a source lives; null is never kept: what was removed is remembered by its tombstone alone. */
export function lifetimeOf(
  source: CachedSource,
  outcome: Answer<unknown>['outcome'],
  now: Date,
  policy: Policy['lifetimes'],
): Lifetime | null {
  if (outcome === 'removed') return isUnit(source) ? null : policy.absent
  if (outcome === 'absent') return policy.absent
  switch (source) {
    case 'enhet':
    case 'underenhet':
      return policy.unit
    case 'roller':
      return policy.roles
    case 'signatur':
    case 'prokura':
      return policy.authority
    case 'regnskap':
      if (outcome === 'unsupported') return policy.accountsUnsupported
      return isSummer(now) ? policy.accountsInSummer : policy.accounts
    case 'kunngjoringer':
      return policy.announcements
    case 'sok':
      return policy.search
  }
}

export function isUnit(source: CachedSource): source is 'enhet' | 'underenhet' {
  return source === 'enhet' || source === 'underenhet'
}

/** July to September: the deadline for last year's accounts is 31 July, and the register loads them in the weeks after. */
function isSummer(now: Date): boolean {
  return now.getUTCMonth() >= 6 && now.getUTCMonth() <= 8
}
