import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type CompanySource, companySources } from '#src/core/source-names.ts'
import type { RoleChange, UnitChange } from '#src/sources/enhetsregisteret/changes.ts'

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
 * Which sections of which companies a page of events touches (the register's documentation of the feeds):
 *
 * - A unit's event touches the unit; a deleted one everything. What a patch changed is a hint, the unit is read anew.
 * - There is no feed of accounts: they are new when `sisteInnsendteAarsregnskap` changed, or when it is not told what did.
 * - There is no feed of mandates: they follow from the roles, so a change of roles touches them too.
 * - `Fjernet` is a request to forget the company.
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
    for (const { organisasjonsnummer } of page.events) touch(organisasjonsnummer, AFTER_ROLES)
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

const AFTER_ROLES: readonly CompanySource[] = ['roller', 'signatur', 'prokura']

function touchedBy(
  { kind, changedPaths }: UnitChange,
  unit: 'enhet' | 'underenhet',
): readonly CompanySource[] {
  if (kind === 'Sletting') return companySources
  // A sub-unit files no accounts.
  if (unit === 'underenhet') return ['underenhet']
  const mayHaveNewAccounts = changedPaths === null || changedPaths.some(isAboutAccounts)
  return mayHaveNewAccounts ? ['enhet', 'regnskap'] : ['enhet']
}

/** The empty pointer is the whole document. */
function isAboutAccounts(path: string): boolean {
  return (
    path === '' || path === '/sisteInnsendteAarsregnskap' || path.startsWith('/sisteInnsendteAarsregnskap/')
  )
}
