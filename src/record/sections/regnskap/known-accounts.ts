import { type Static, Type } from 'typebox'
import { Filing, type RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { exactly, oneOf, orNull, Tekst } from '../../shape.ts'

const ArchivedFiling = exactly({
  regnskap: Filing,
  kilde: oneOf(['regnskapsregisteret', 'import']),
  hentet: Type.String({ description: 'When it was fetched or imported, ISO 8601.' }),
  felt: orNull(
    Type.Array(Tekst, {
      description: "The figures an imported file had columns for; null when it was the register's own shape.",
    }),
  ),
})
export type ArchivedFiling = Static<typeof ArchivedFiling>

/** All that is known of a company's accounts: what the register gives now, and what the service has kept. */
export const KnownAccounts = exactly({
  live: Type.Array(Filing, { description: "The register's answer, in its order, which means nothing." }),
  archived: Type.Array(ArchivedFiling, { description: 'Filings that are not in that answer.' }),
  isArchiveRead: Type.Boolean({
    description: 'False: the archive could not be read in time, so years may be missing.',
  }),
  withoutLive: orNull(
    oneOf(
      ['absent', 'unsupported', 'unsupported_uncertain'],
      "Why the register gives none itself: it has none, or it does not serve the company's kind of accounts.",
    ),
  ),
})
export type KnownAccounts = Static<typeof KnownAccounts>

/** One filing and where it is known from; `archived` is null for what the register gives now. */
export type KnownFiling = {
  filing: RegisterRegnskap
  archived: Omit<ArchivedFiling, 'regnskap'> | null
}

/** `replacedBy` is the id of the filing that holds instead; null for the one that holds. */
export type RankedFiling = KnownFiling & { replacedBy: number | null }

/**
 * All filings, newest period first. Of several for the same type and period, the one with the highest id holds; one that
 * was imported without an id never holds against one that has it.
 */
export function ranked({ live, archived }: Pick<KnownAccounts, 'live' | 'archived'>): RankedFiling[] {
  const all: KnownFiling[] = [
    ...live.map((filing) => ({ filing, archived: null })),
    ...archived.map(({ regnskap: filing, ...where }) => ({ filing, archived: where })),
  ]
  const newest = new Map<string, number>()
  for (const { filing } of all) {
    newest.set(accountOf(filing), Math.max(idOf(filing), newest.get(accountOf(filing)) ?? NO_ID))
  }
  return all
    .map((known) => {
      const highest = newest.get(accountOf(known.filing)) ?? NO_ID
      return { ...known, replacedBy: highest > idOf(known.filing) ? highest : null }
    })
    .sort((a, b) => newestFirst(a.filing, b.filing))
}

/** Sorts below every id of the register's. */
const NO_ID = -1

function idOf({ id }: RegisterRegnskap): number {
  return id ?? NO_ID
}

/** What a resubmission replaces: the same kind of accounts for the same period. */
function accountOf({ regnskapstype, regnskapsperiode: { fraDato, tilDato } }: RegisterRegnskap): string {
  return JSON.stringify([regnskapstype, fraDato, tilDato])
}

function newestFirst(a: RegisterRegnskap, b: RegisterRegnskap): number {
  return (
    b.regnskapsperiode.tilDato.localeCompare(a.regnskapsperiode.tilDato) ||
    b.regnskapsperiode.fraDato.localeCompare(a.regnskapsperiode.fraDato) ||
    idOf(b) - idOf(a)
  )
}
