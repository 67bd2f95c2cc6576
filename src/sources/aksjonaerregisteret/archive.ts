import { policy } from '#config/policy.ts'
import type { Words } from '#src/core/language.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { KeptDescriptor, Provenance } from '../descriptor.ts'
import type { NamedLifetime } from '../lifetime.ts'

/**
 * The shareholder register is our own, and changes when a year is imported, which is told: the fresh time bounds what an
 * order that was not heard would cost. With PostgreSQL away for long, a holding of 31 December is still the newest there is.
 */
const lifetime: NamedLifetime = {
  name: 'arkiv',
  about: null,
  freshMs: DAY_MS,
  staleMs: 30 * DAY_MS,
  keepMs: DAY_MS,
}

const lisens = 'Vilkår følger uttrekket'

/** Who owns a company, year by year, as the files say. */
export const aksjonaerer = archiveSource(
  'aksjonaerer',
  { nb: 'Aksjonærer', en: 'Shareholders' },
  { kildeId: 'skatteetaten-aksjonaerregisteret', kilde: 'Skatteetaten, aksjonærregisteret', lisens },
)

/** Who owns whom through others, computed from them. */
export const eierskap = archiveSource(
  'eierskap',
  { nb: 'Eierskap', en: 'Ownership' },
  {
    kildeId: 'skatteetaten-aksjonaerregisteret-beregnet',
    kilde: 'Beregnet av Skatteetatens aksjonærregister',
    lisens,
  },
)

/** Behind a guard like any other source: it may not take the database from the keys. */
function archiveSource<Name extends string>(
  name: Name,
  title: Words,
  provenance: Provenance,
): KeptDescriptor<Name> {
  return {
    name,
    title,
    provenance,
    lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: lifetime, partial: lifetime },
    guard: { ...policy.guard, ...policy.shareholders },
    removes: 'answer',
    // Whom an answer may name is looked up as it is shown.
    withoutErased: null,
  }
}
