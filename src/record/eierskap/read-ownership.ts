import { policy } from '#config/policy.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import { climb } from './climb.ts'
import { type EierI, type Eierskap, ownershipForbehold, regler } from './eierskap.ts'
import { isPublicOwner } from './holder-kind.ts'
import type { OwnershipLimits } from './limits.ts'
import { below } from './nedover.ts'
import { oppover } from './oppover.ts'
import type { Edge, ShareBook } from './share-book.ts'

export type { Edge, Holder, ShareBook } from './share-book.ts'

/** Both answer for one delivery of one year, in any order; a company without a share book, or without holdings, is left out. */
export type OwnershipPorts = {
  books(orgnrs: readonly number[]): Promise<ShareBook[]>
  owns(orgnrs: readonly number[]): Promise<Edge[]>
}

export type OwnershipQuestion = {
  aar: number
  retning: 'opp' | 'ned' | 'begge'
  /** Levels in each direction; bounded by policy, which also says how many when it is left out. */
  dybde?: number | undefined
  /** Companies looked up in each direction; the same. */
  noder?: number | undefined
  /** The company's own name where the caller knows it: a public owner has no share book that would tell. */
  navn?: string | null | undefined
}

/**
 * Who owns a company and what it owns, computed from share books: upwards to the ultimate owners with direct and effective
 * percent, downwards to subsidiaries and associates. At most one call of each port for every level.
 *
 * Pure but for the ports, and in turns of the event loop; the same books give the same answer to the letter. Rejects with what a port
 * rejects with.
 */
export async function readOwnership(
  orgnr: number,
  { aar, retning, dybde, noder, navn }: OwnershipQuestion,
  ports: OwnershipPorts,
  limits: OwnershipLimits = policy.eierskap,
): Promise<Eierskap> {
  const companies = Math.min(noder ?? limits.companiesMax, limits.companiesMax)
  const levels = (usual: number) => Math.min(dybde ?? usual, limits.levelsMax)
  const [climbed, lower, own] = await Promise.all([
    retning === 'ned'
      ? null
      : climb(orgnr, { levels: levels(limits.levelsUp), companies }, ports.books, limits),
    retning === 'opp'
      ? null
      : below(
          orgnr,
          { levels: levels(limits.levelsDown), companies, isPublic: isPublicOwner(navn ?? null) },
          ports.owns,
          limits,
        ),
    retning === 'ned' ? ports.books([orgnr]) : null,
  ])
  const upper = climbed === null ? null : await oppover(orgnr, climbed, limits)
  const books = [...(climbed?.books.values() ?? [])]
  const book = climbed?.books.get(orgnr)?.book ?? own?.[0] ?? null
  return {
    organisasjonsnummer: nineDigits(orgnr),
    navn: book?.navn ?? navn ?? (await nameAsOwner(orgnr, lower?.eierI ?? null, ports)),
    aar,
    gjelderPer: `${aar}-12-31`,
    harAksjebok: book !== null,
    oppover: upper,
    nedover: lower?.nedover ?? null,
    eierI: lower?.eierI ?? null,
    flagg: {
      avkortet: (upper?.avkortet ?? false) || (lower?.nedover.avkortet ?? false),
      sirkulaer: (climbed?.shares.circles.length ?? 0) > 0 || (lower?.isCircular ?? false),
      ubestemt:
        books.some(({ whole }) => whole === null) ||
        (climbed?.shares.undetermined.size ?? 0) > 0 ||
        (lower?.isUndetermined ?? false),
      justert: books.some(({ isAdjusted }) => isAdjusted) || (lower?.isAdjusted ?? false),
    },
    regel: { ...regler, terskelProsent: limits.floorPercent },
    forbehold: ownershipForbehold,
  }
}

/** A company without a share book of its own is named in those of the companies it owns. */
async function nameAsOwner(
  orgnr: number,
  eierI: EierI | null,
  ports: Pick<OwnershipPorts, 'books'>,
): Promise<string | null> {
  const owned = (eierI?.andeler ?? []).slice(0, BOOKS_FOR_A_NAME)
  if (owned.length === 0) return null
  const books = await ports.books(owned.map(({ organisasjonsnummer }) => Number(organisasjonsnummer)))
  const names = books.flatMap(({ storste }) => storste.filter((holder) => holder.orgnr === orgnr))
  return names.find(({ navn }) => navn !== null)?.navn ?? null
}

/** The largest parts first: there it is among the holders that are listed. */
const BOOKS_FOR_A_NAME = 5
