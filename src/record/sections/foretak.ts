import { type Static, Type } from 'typebox'
import { isoFromNorway } from '#src/core/norwegian-time.ts'
import { readable } from '#src/sources/believe.ts'
import type {
  Enhet,
  RegisterKode,
  RegisterUnderenhet,
  SlettetEnhet,
} from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, DatoEllerTidspunkt, exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'

/** What a unit answer can be; the three kinds have little in common beyond number, name and form. */
export type Unit = Enhet | RegisterUnderenhet | SlettetEnhet

export const AntallAnsatte = exactly({
  antall: orNull(Type.Integer({ minimum: 0 })),
  opplysning: oneOf(
    ['oppgitt', 'tilbakeholdt_1_til_4', 'ingen_registrert', 'ukjent'],
    'tilbakeholdt_1_til_4: registeret har et antall, men viser det ikke når det er under fem.',
  ),
})
export type AntallAnsatte = Static<typeof AntallAnsatte>

const JaNeiUkjent = orNull(Type.Boolean())

/** The record's top: who the company is. Every null means that the register does not state it. */
export const foretakProperties = {
  organisasjonsnummer: Type.String({ pattern: '^[0-9]{9}$' }),
  navn: orNull(Tekst),
  enhetstype: oneOf(['enhet', 'underenhet', 'slettet']),
  organisasjonsform: orNull(exactly({ kode: Tekst, beskrivelse: orNull(Tekst), utgaatt: orNull(Dato) })),
  slettedato: orNull(Dato),
  stiftelsesdato: orNull(Dato),
  registreringsdatoEnhetsregisteret: orNull(Dato),
  registreringsdatoForetaksregisteret: orNull(Dato),
  registreringsdatoFrivillighetsregisteret: orNull(Dato),
  registreringsdatoPartiregisteret: orNull(Dato),
  registreringsdatoMerverdiavgiftsregisteret: orNull(Dato),
  registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret: orNull(Dato),
  registreringsdatoFrivilligMerverdiavgiftsregisteret: orNull(Dato),
  registreringsdatoAntallAnsatteEnhetsregisteret: orNull(Dato),
  registreringsdatoAntallAnsatteNAVAaregisteret: orNull(Dato),
  vedtektsdato: orNull(Dato),
  oppstartsdato: orNull(Dato),
  datoEierskifte: orNull(Dato),
  nedleggelsesdato: orNull(Dato),
  historiskeNavn: orNull(
    Type.Array(
      exactly({ navn: Tekst, fraDato: orNull(DatoEllerTidspunkt), tilDato: orNull(DatoEllerTidspunkt) }),
      {
        description: 'Registeret skriver tidspunktene i norsk tid uten å si det; her står sonen ved dem.',
      },
    ),
  ),
  hjemmeside: orNull(Tekst),
  telefon: orNull(Tekst),
  mobil: orNull(Tekst),
  epostadresse: orNull(Tekst),
  maalform: orNull(Tekst),
  antallAnsatte: AntallAnsatte,
  kapital: orNull(
    exactly({
      belop: orNull(Type.Number()),
      antallAksjer: orNull(Type.Number({ description: 'Kan overstige 2^31.' })),
      type: orNull(Tekst),
      valuta: orNull(Tekst),
      innfortDato: orNull(Dato),
      innbetalt: orNull(Type.Number()),
      fulltInnbetalt: JaNeiUkjent,
      bundet: orNull(Type.Number()),
    }),
  ),
  institusjonellSektorkode: orNull(Kode),
  registrertIMvaregisteret: JaNeiUkjent,
  registrertIForetaksregisteret: JaNeiUkjent,
  registrertIStiftelsesregisteret: JaNeiUkjent,
  registrertIFrivillighetsregisteret: JaNeiUkjent,
  registrertIPartiregisteret: JaNeiUkjent,
  frivilligMvaRegistrertBeskrivelser: orNull(Type.Array(Tekst)),
  erIKonsern: JaNeiUkjent,
  sisteInnsendteAarsregnskap: orNull(Tekst),
  fravalgRevisjonDato: orNull(Dato),
  fravalgRevisjonBeslutningsDato: orNull(Dato),
  registreringsnummerIHjemlandet: orNull(Tekst),
  utenlandskRegisterNavn: orNull(Tekst),
  underlagtLovgivningLand: orNull(Tekst),
  underlagtLovgivningLandkode: orNull(Tekst),
  foretaksformIHjemlandet: orNull(
    exactly({ kode: orNull(Tekst), beskrivelse: orNull(Tekst), beskrivelseBokmaal: orNull(Tekst) }),
  ),
}
const Foretak = exactly(foretakProperties)
type Foretak = Static<typeof Foretak>

/** The kinds overlap in little: each field is read where the register has it, and is null elsewhere. */
export function foretakOf(unit: Unit): Foretak {
  const all: AnyUnit = unit
  return {
    organisasjonsnummer: unit.organisasjonsnummer,
    navn: unit.navn ?? null,
    enhetstype: enhetstyper[unit.respons_klasse],
    organisasjonsform: organisasjonsform(unit),
    slettedato: all.slettedato ?? null,
    stiftelsesdato: all.stiftelsesdato ?? null,
    registreringsdatoEnhetsregisteret: all.registreringsdatoEnhetsregisteret ?? null,
    registreringsdatoForetaksregisteret: all.registreringsdatoForetaksregisteret ?? null,
    registreringsdatoFrivillighetsregisteret: all.registreringsdatoFrivillighetsregisteret ?? null,
    registreringsdatoPartiregisteret: all.registreringsdatoPartiregisteret ?? null,
    registreringsdatoMerverdiavgiftsregisteret: all.registreringsdatoMerverdiavgiftsregisteret ?? null,
    registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret:
      all.registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret ?? null,
    registreringsdatoFrivilligMerverdiavgiftsregisteret:
      all.registreringsdatoFrivilligMerverdiavgiftsregisteret ?? null,
    registreringsdatoAntallAnsatteEnhetsregisteret:
      all.registreringsdatoAntallAnsatteEnhetsregisteret ?? null,
    registreringsdatoAntallAnsatteNAVAaregisteret: all.registreringsdatoAntallAnsatteNAVAaregisteret ?? null,
    vedtektsdato: all.vedtektsdato ?? null,
    oppstartsdato: all.oppstartsdato ?? null,
    datoEierskifte: all.datoEierskifte ?? null,
    nedleggelsesdato: all.nedleggelsesdato ?? null,
    historiskeNavn:
      readable(all.historiskeNavn)?.map(({ navn, fraDato, tilDato }) => ({
        navn,
        fraDato: inNorway(fraDato),
        tilDato: inNorway(tilDato),
      })) ?? null,
    hjemmeside: all.hjemmeside ?? null,
    telefon: all.telefon ?? null,
    mobil: all.mobil ?? null,
    epostadresse: all.epostadresse ?? null,
    maalform: all.maalform ?? null,
    antallAnsatte: antallAnsatteOf(unit),
    kapital: kapital(all),
    institusjonellSektorkode: kodeOf(all.institusjonellSektorkode),
    registrertIMvaregisteret: all.registrertIMvaregisteret ?? null,
    registrertIForetaksregisteret: all.registrertIForetaksregisteret ?? null,
    registrertIStiftelsesregisteret: all.registrertIStiftelsesregisteret ?? null,
    registrertIFrivillighetsregisteret: all.registrertIFrivillighetsregisteret ?? null,
    registrertIPartiregisteret: all.registrertIPartiregisteret ?? null,
    frivilligMvaRegistrertBeskrivelser: readable(all.frivilligMvaRegistrertBeskrivelser),
    erIKonsern: all.erIKonsern ?? null,
    sisteInnsendteAarsregnskap: all.sisteInnsendteAarsregnskap ?? null,
    fravalgRevisjonDato: all.fravalgRevisjonDato ?? null,
    fravalgRevisjonBeslutningsDato: all.fravalgRevisjonBeslutningsDato ?? null,
    registreringsnummerIHjemlandet: all.registreringsnummerIHjemlandet ?? null,
    utenlandskRegisterNavn: all.utenlandskRegisterNavn ?? null,
    underlagtLovgivningLand: all.underlagtLovgivningLand ?? null,
    underlagtLovgivningLandkode: all.underlagtLovgivningLandKode ?? null,
    foretaksformIHjemlandet: foretaksformIHjemlandet(all),
  }
}

/** Whatever a unit of any kind may state. */
export type AnyUnit = Partial<Omit<SlettetEnhet, 'respons_klasse'>>

const enhetstyper = { Enhet: 'enhet', Underenhet: 'underenhet', SlettetEnhet: 'slettet' } as const

function organisasjonsform({ organisasjonsform: form }: Unit): Foretak['organisasjonsform'] {
  if (form === undefined || form === null) return null
  return { kode: form.kode, beskrivelse: form.beskrivelse ?? null, utgaatt: form.utgaatt ?? null }
}

/**
 * The number is absent both when it is withheld (1–4) and when there is none; only the flag tells them apart (P4), and only
 * where no number was sent that could not be read.
 */
export function antallAnsatteOf({
  antallAnsatte: antall,
  harRegistrertAntallAnsatte: har,
}: AnyUnit): AntallAnsatte {
  if (typeof antall === 'number') return { antall, opplysning: 'oppgitt' }
  if (antall === null || typeof har !== 'boolean') return { antall: null, opplysning: 'ukjent' }
  return { antall: null, opplysning: har ? 'tilbakeholdt_1_til_4' : 'ingen_registrert' }
}

function kapital({ kapital }: AnyUnit): Foretak['kapital'] {
  if (kapital === undefined || kapital === null) return null
  return {
    belop: kapital.belop ?? null,
    antallAksjer: kapital.antallAksjer ?? null,
    type: kapital.type ?? null,
    valuta: kapital.valuta ?? null,
    innfortDato: kapital.innfortDato ?? null,
    innbetalt: kapital.innbetalt ?? null,
    fulltInnbetalt: kapital.fulltInnbetalt ?? null,
    bundet: kapital.bundet ?? null,
  }
}

function inNorway(moment: string | null | undefined): string | null {
  return moment === undefined || moment === null ? null : isoFromNorway(moment)
}

function foretaksformIHjemlandet({
  foretaksformIHjemlandet: form,
}: AnyUnit): Foretak['foretaksformIHjemlandet'] {
  if (form === undefined || form === null) return null
  return {
    kode: form.kode ?? null,
    beskrivelse: form.beskrivelse ?? null,
    beskrivelseBokmaal: form.beskrivelseBokmaal ?? null,
  }
}

export function kodeOf(from: RegisterKode | null | undefined): Static<typeof Kode> | null {
  return from === undefined || from === null
    ? null
    : { kode: from.kode, beskrivelse: from.beskrivelse ?? null }
}
