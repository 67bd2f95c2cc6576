import { type Static, Type } from 'typebox'
import type { UnderenhetIListe, Underenhetsliste } from '#src/sources/enhetsregisteret/sub-units.ts'
import { Dato, exactly, Kode, orNull, Tekst } from '../shape.ts'
import { Adresse, adresseOf } from './adresser.ts'
import { AntallAnsatte, antallAnsatteOf, kodeOf } from './foretak.ts'

export const Underenhet = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  organisasjonsform: orNull(Kode),
  naeringskode: orNull(Kode),
  antallAnsatte: AntallAnsatte,
  beliggenhetsadresse: orNull(Adresse),
  oppstartsdato: orNull(Dato),
  nedleggelsesdato: orNull(Dato),
  slettedato: orNull(Dato),
})
type Underenhet = Static<typeof Underenhet>

export const LARGEST = 10

export const Underenheter = exactly({
  antall: orNull(Type.Integer({ minimum: 0, description: 'Registerets eget antall.' })),
  storste: Type.Array(Underenhet, {
    maxItems: LARGEST,
    description: 'De ti med flest ansatte; de uten oppgitt antall til slutt.',
  }),
  alle: orNull(
    Type.Array(Underenhet, {
      description: 'Alle etter nummer, side for side på /api/bedrift/{orgnr}/underenheter. Ellers null.',
    }),
  ),
})
export type Underenheter = Static<typeof Underenheter>

export function underenheterOf({ antall, underenheter }: Underenhetsliste, isAlone: boolean): Underenheter {
  const all = underenheter.map(shown).sort((a, b) => (a.organisasjonsnummer < b.organisasjonsnummer ? -1 : 1))
  return { antall, storste: all.toSorted(largestFirst).slice(0, LARGEST), alle: isAlone ? all : null }
}

function shown(from: UnderenhetIListe): Underenhet {
  return {
    organisasjonsnummer: from.organisasjonsnummer,
    navn: from.navn ?? null,
    organisasjonsform: kodeOf(from.organisasjonsform),
    naeringskode: kodeOf(from.naeringskode1),
    antallAnsatte: antallAnsatteOf(from),
    beliggenhetsadresse: adresseOf(from.beliggenhetsadresse),
    oppstartsdato: from.oppstartsdato ?? null,
    nedleggelsesdato: from.nedleggelsesdato ?? null,
    slettedato: from.slettedato ?? null,
  }
}

/** One to four, whose number is withheld, are more than none; of one rank they stay in the order of their numbers. */
function largestFirst(a: Underenhet, b: Underenhet): number {
  return sizeOf(b) - sizeOf(a)
}

function sizeOf({ antallAnsatte: { antall, opplysning } }: Underenhet): number {
  if (antall !== null) return antall
  return opplysning === 'tilbakeholdt_1_til_4' ? 1 : -1
}
