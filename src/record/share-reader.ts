import { type Static, Type } from 'typebox'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Guard } from '#src/sources/guard.ts'
import type { ArchiveSource } from '#src/sources/index.ts'
import { SourceError } from '#src/sources/source.ts'
import type { Eierskap } from './eierskap/eierskap.ts'
import type { OwnershipQuestion } from './eierskap/read-ownership.ts'
import { type HolderCursor, writeCursor } from './holder-cursor.ts'
import { identifyHolders } from './person-ids.ts'
import { Aksjeboktall, Aksjonaer, avvikOf, holderForbehold, holdersShown } from './sections/aksjonaer.ts'
import { Leveranse } from './sections/aksjonaerhistorikk.ts'
import { Dato, exactly, orNull, Tekst } from './shape.ts'
import type { ShareRegister } from './share-register.ts'
import type { createTombstones } from './tombstones.ts'

/** A page of all a company's holders of one year. */
export const Aksjonaerside = exactly({
  organisasjonsnummer: Tekst,
  aar: Type.Integer(),
  gjelderPer: Dato,
  leveranse: orNull(Leveranse),
  ...Aksjeboktall,
  aksjonaerer: Type.Array(Aksjonaer, {
    description: 'Størst først; ved likt antall i filens rekkefølge. Tom etter den siste.',
  }),
  neste: orNull(
    Type.String({
      description:
        'Verdien av etter for neste side; null på den siste. Gjelder så lenge året ikke importeres på nytt: da 409 foreldet_peker.',
    }),
  ),
  forbehold: Tekst,
})
export type Aksjonaerside = Static<typeof Aksjonaerside>

type Without =
  | { outcome: 'removed'; slettedato: string | null }
  | { outcome: 'not_imported'; aar: number | null }
  | { outcome: 'not_in_register'; aar: number }

export type ShareReader = ReturnType<typeof createShareReader>

/**
 * Reads the shareholder register for whoever asks for more of it than a record shows: straight from the archive, within the
 * guard that bounds how much of the database it may take.
 *
 * Both throw SourceError when the archive can not be read, or it was not the caller's turn in time.
 */
export function createShareReader({
  register,
  guards,
  tombstones,
  untold,
  deadlineMs,
}: {
  register: Pick<ShareRegister, 'holders' | 'ownership' | 'leveranseOf' | 'personIds'>
  guards: Record<ArchiveSource, Pick<Guard, 'run'>>
  tombstones: Pick<ReturnType<typeof createTombstones>, 'isErased' | 'slettedatoOf'>
  /** Another word for each set of companies and people that are not to be told of. */
  untold: () => string
  deadlineMs: number
}) {
  /** A company may be erased while it is being read, or while one is that it owns, or is owned by; and a holder be hidden. */
  async function unlessErased<T>(
    source: ArchiveSource,
    orgnr: string,
    read: () => Promise<T>,
  ): Promise<T | Without> {
    const answer = await madeAsOfNow(
      () => untold(),
      async () =>
        tombstones.isErased(orgnr)
          ? { outcome: 'removed' as const, slettedato: tombstones.slettedatoOf(orgnr) }
          : read(),
    )
    if (answer === null)
      throw new SourceError(source, 'opptatt', 'others were removed, or hidden, whenever it was read')
    return answer
  }

  const call = (about: string, caller: string) => ({
    signal: AbortSignal.timeout(deadlineMs),
    turn: { of: caller, rank: 0 },
    about,
  })

  return {
    /** `replaced`: the page before was of another delivery of that year. @param etter where the page before ended */
    holders(
      orgnr: Organisasjonsnummer,
      { aar, etter, size }: { aar: number | null; etter: HolderCursor | null; size: number },
      { caller }: { caller: string },
    ): Promise<Without | { outcome: 'replaced' } | { outcome: 'found'; side: Aksjonaerside }> {
      const after = etter?.after ?? 0
      return unlessErased('aksjonaerer', orgnr, async () => {
        const page = await guards.aksjonaerer.run(
          'front',
          () => register.holders(orgnr, { aar, from: etter?.delivery ?? null, after, limit: size }),
          call(orgnr, caller),
        )
        if (page.outcome !== 'found') return page
        const { delivery, value: book } = page
        if (book === null) return { outcome: 'not_in_register', aar: delivery.aar }
        const read = after + book.holders.length
        const hasMore = book.holders.length > 0 && read < book.innehavere
        const side: Aksjonaerside = {
          organisasjonsnummer: orgnr,
          aar: delivery.aar,
          gjelderPer: `${delivery.aar}-12-31`,
          leveranse: register.leveranseOf(delivery.id),
          aksjerTotalt: book.aksjerTotalt,
          aksjerSum: book.aksjerSum,
          innehavere: book.innehavere,
          avvik: avvikOf(book),
          aksjonaerer: identifyHolders(holdersShown(book.holders, book, after + 1), register.personIds()),
          neste: hasMore ? writeCursor({ delivery: delivery.id, orgnr: Number(orgnr), after: read }) : null,
          forbehold: holderForbehold,
        }
        return { outcome: 'found', side }
      })
    },

    ownership(
      orgnr: Organisasjonsnummer,
      question: { aar: number | null } & Omit<OwnershipQuestion, 'aar'>,
      { caller }: { caller: string },
    ): Promise<Without | { outcome: 'found'; eierskap: Eierskap }> {
      return unlessErased('eierskap', orgnr, async () => {
        const year = await guards.eierskap.run(
          'front',
          () => register.ownership(orgnr, question),
          call(orgnr, caller),
        )
        if (year.outcome !== 'found') return year
        if (year.value === null) return { outcome: 'not_in_register', aar: year.delivery.aar }
        return { outcome: 'found', eierskap: year.value }
      })
    },
  }
}
