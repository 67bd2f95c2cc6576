import type { Policy } from '#config/policy.ts'
import type { Lifetime } from '#src/cache/entry.ts'
import { type ArchiveSource, archiveSources, type KeptSource } from '#src/core/source-names.ts'
import type { StoredState } from './stored-answer.ts'

/** How long an answer of a source lives; null is never kept: what was removed is remembered by its tombstone alone. */
export function lifetimeOf(
  source: KeptSource,
  outcome: StoredState,
  now: Date,
  policy: Policy['lifetimes'],
): Lifetime | null {
  if (isArchive(source)) return policy.archive
  if (outcome === 'removed') return isUnit(source) ? null : policy.absent
  if (outcome === 'absent') return policy.absent
  if (outcome === 'partial') return policy.partial
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

export function isArchive(source: string): source is ArchiveSource {
  return archiveSources.some((name) => name === source)
}

export function isUnit(source: KeptSource): source is 'enhet' | 'underenhet' {
  return source === 'enhet' || source === 'underenhet'
}

/** July to September: the deadline for last year's accounts is 31 July, and the register loads them in the weeks after. */
function isSummer(now: Date): boolean {
  return now.getUTCMonth() >= 6 && now.getUTCMonth() <= 8
}
