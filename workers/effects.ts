import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { RoleChange, UnitChange } from '#src/sources/enhetsregisteret/changes.ts'
import { type CompanySource, companySources, sourceOf } from '#src/sources/index.ts'

export type FeedEvents =
  | { feed: 'enheter' | 'underenheter'; events: readonly UnitChange[] }
  | { feed: 'roller'; events: readonly RoleChange[] }

/** Sections of companies that are no longer as they were. */
export type Changes = ReadonlyMap<Organisasjonsnummer, ReadonlySet<CompanySource>>

/** What a page of events asks for. A company that is to be erased is not among the changes. */
type Effects = {
  changes: Changes
  /** Removed companies, and when that was published. The feed tells no date of deletion. */
  removals: readonly { organisasjonsnummer: Organisasjonsnummer; at: Date }[]
}

/**
 * Which sections of which companies a page of events touches (the register's documentation of the feeds). Each source says in
 * its descriptor what touches it; a deleted unit touches everything, and `Fjernet` is a request to forget the company. What a
 * patch changed is a hint, the unit is read anew.
 */
export function effectsOf(page: FeedEvents): Effects {
  const changes = new Map<Organisasjonsnummer, Set<CompanySource>>()
  const removals = new Map<Organisasjonsnummer, Date>()
  const touch = (organisasjonsnummer: Organisasjonsnummer, touched: readonly CompanySource[]) => {
    const known = changes.get(organisasjonsnummer)
    if (known === undefined) changes.set(organisasjonsnummer, new Set(touched))
    else for (const section of touched) known.add(section)
  }

  if (page.feed === 'roller') {
    for (const { organisasjonsnummer } of page.events) touch(organisasjonsnummer, afterRoles)
  } else {
    const unit = page.feed === 'enheter' ? 'enhet' : 'underenhet'
    for (const event of page.events) {
      if (event.kind === 'Fjernet') removals.set(event.organisasjonsnummer, event.at)
      else touch(event.organisasjonsnummer, touchedBy(event, unit))
    }
  }
  for (const organisasjonsnummer of removals.keys()) changes.delete(organisasjonsnummer)
  return {
    changes,
    removals: [...removals].map(([organisasjonsnummer, at]) => ({ organisasjonsnummer, at })),
  }
}

const afterRoles = companySources.filter((source) => sourceOf(source).touchedBy.roller)

function touchedBy(
  { kind, changedPaths }: UnitChange,
  unit: 'enhet' | 'underenhet',
): readonly CompanySource[] {
  if (kind === 'Sletting') return companySources
  return companySources.filter((source) => {
    const { enheter, underenheter } = sourceOf(source).touchedBy
    if (unit === 'underenhet') return underenheter
    // What is not told may have changed.
    return typeof enheter === 'boolean'
      ? enheter
      : changedPaths === null || changedPaths.some((path) => enheter.some((place) => isAbout(path, place)))
  })
}

/** The empty pointer is the whole document. */
function isAbout(path: string, place: string): boolean {
  return path === '' || path === place || path.startsWith(`${place}/`)
}
