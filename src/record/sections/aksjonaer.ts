import { type Static, Type } from 'typebox'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { StoredHolder } from '#src/storage/shareholders/hidden-holders.ts'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { holderKind, holderKinds } from '../eierskap/holder-kind.ts'
import { inPercent, wholeOf } from '../eierskap/share-book.ts'
import { Antall, exactly, oneOf, orNull, Tekst } from '../shape.ts'

/** Who a holder is: what the holders of a year and those that came and went since have in common. */
export const hvem = {
  aksjonaerId: orNull(
    Type.String({
      description:
        'Samme person har samme id i hele tjenesten, kjent på navn og fødselsår; to kan ha begge felles. null: ikke en person, skjult, eller id-ene er ikke tilgjengelige nå.',
    }),
  ),
  navn: orNull(Tekst),
  type: oneOf(
    holderKinds,
    [
      'person: registeret oppgir fødselsår.',
      'foretak: registeret oppgir organisasjonsnummer.',
      'offentlig: staten, departement, kommune, fylkeskommune.',
      'forvalter: eier i eget navn for andre, gjenkjent på navnet; den egentlige eieren er ikke kjent.',
      'utenlandsk: utenlandsk landkode og ikke noe av dette; kan være en person.',
      'ukjent: registeret oppgir ikke nok til å si det.',
    ].join(' '),
  ),
  fodselsaar: orNull(Type.Integer()),
  organisasjonsnummer: orNull(Tekst),
  landkode: orNull(Type.String({ description: 'To bokstaver.' })),
  skjult: Type.Boolean({ description: 'true: innehaveren vises ikke. Aksjene er med.' }),
}

export const Aksjonaer = exactly({
  plass: Type.Integer({ minimum: 1, description: '1 har flest aksjer.' }),
  ...hvem,
  aksjer: Type.Integer({ minimum: 0, description: 'Over alle klasser.' }),
  klasser: Type.Array(
    exactly({
      klasse: Type.String({ description: 'Slik selskapet har oppgitt den; tom når den ikke er oppgitt.' }),
      aksjer: Antall,
    }),
  ),
  prosent: orNull(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'Av selskapets aksjer over alle klasser. null når totalen mangler eller aksjonærene har mer enn 150 % av den.',
    }),
  ),
})
export type Aksjonaer = Static<typeof Aksjonaer>

const avvikskoder = ['total_mangler', 'sum_over_total', 'sum_over_150_prosent', 'sum_under_total'] as const

/** What is said of a company's share book one year, besides who holds. */
export const Aksjeboktall = {
  aksjerTotalt: orNull(
    Type.Integer({
      minimum: 0,
      description: 'Slik selskapet oppga det, over alle klasser; null når det mangler eller er null.',
    }),
  ),
  aksjerSum: Type.Integer({ minimum: 0, description: 'Det aksjonærene har til sammen.' }),
  innehavere: Type.Integer({ minimum: 0, description: 'Antall aksjonærer; hver telles én gang.' }),
  avvik: Type.Array(Type.Enum(avvikskoder), {
    description: [
      'Sumkontroll; tom når summen er totalen.',
      'total_mangler: ingen andeler.',
      'sum_over_total: aksjonærene har 100–150 % av totalen; andelene er av summen, så de blir 100 %.',
      'sum_over_150_prosent: boken er gal, og ingen andeler vises.',
      'sum_under_total: noen aksjer er uten oppgitt aksjonær.',
    ].join(' '),
  }),
}

export type Avvikskode = (typeof avvikskoder)[number]

/** Whether the holders' shares add up to the company's (P20: percent is never made up from a broken book). */
export function avvikOf({
  aksjerTotalt,
  aksjerSum,
}: Pick<StoredBook, 'aksjerTotalt' | 'aksjerSum'>): Avvikskode[] {
  if (aksjerTotalt === null || aksjerTotalt <= 0) return ['total_mangler']
  if (wholeOf(aksjerTotalt, aksjerSum) === null) return ['sum_over_150_prosent']
  if (aksjerSum === aksjerTotalt) return []
  return [aksjerSum > aksjerTotalt ? 'sum_over_total' : 'sum_under_total']
}

/** @param first the place of the first of them in the whole book, from 1 */
export function holdersShown(
  holders: readonly StoredHolder[],
  book: Pick<StoredBook, 'aksjerTotalt' | 'aksjerSum' | 'klasser'>,
  first = 1,
): Aksjonaer[] {
  const whole = wholeOf(book.aksjerTotalt, book.aksjerSum)
  return holders.map((holder, index) => {
    const aksjer = sharesOf(holder)
    return {
      plass: first + index,
      ...hvemOf(holder),
      aksjer,
      klasser: holder.aksjer.map(([klasse, antall]) => ({
        klasse: book.klasser[klasse] ?? '',
        aksjer: antall,
      })),
      prosent: whole === null ? null : inPercent(aksjer / whole.shares),
    }
  })
}

export function sharesOf({ aksjer }: StoredHolder): number {
  return aksjer.reduce((sum, [, shares]) => sum + shares, 0)
}

export function hvemOf({
  navn,
  fodselsaar,
  orgnr,
  land,
  skjult,
}: StoredHolder): Pick<Aksjonaer, keyof typeof hvem> {
  const isHidden = skjult !== null
  return {
    // Given when it is shown: see identifyHolders.
    aksjonaerId: null,
    navn,
    type: holderKind({
      navn,
      ...(fodselsaar === null ? {} : { fodselsaar }),
      ...(orgnr === null ? {} : { orgnr }),
      ...(land === null ? {} : { land }),
      aksjer: 0,
      skjult: isHidden,
    }),
    fodselsaar,
    organisasjonsnummer: orgnr === null ? null : nineDigits(orgnr),
    landkode: land,
    skjult: isHidden,
  }
}

export const holderForbehold =
  'Aksjer, ikke stemmer: registeret viser ikke stemmerett. Beholdningen er den selskapene selv oppga per 31. desember, og kan ha feil eller mangler.'
