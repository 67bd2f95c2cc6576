import { type Static, Type } from 'typebox'
import { isoFromNorway } from '#src/core/norwegian-time.ts'
import type { Enhet, SlettetEnhet, Underenhet } from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, DatoEllerTidspunkt, exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'

/** What a unit answer can be; the three kinds have little in common beyond number, name and form. */
export type Unit = Enhet | Underenhet | SlettetEnhet

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
  navn: Tekst,
  enhetstype: oneOf(['enhet', 'underenhet', 'slettet']),
  organisasjonsform: exactly({ kode: Tekst, beskrivelse: orNull(Tekst), utgaatt: orNull(Tekst) }),
  slettedato: orNull(Dato),
  stiftelsesdato: orNull(Dato),
  registreringsdatoEnhetsregisteret: orNull(Dato),
  registreringsdatoForetaksregisteret: orNull(Dato),
  registreringsdatoMerverdiavgiftsregisteret: orNull(Dato),
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
  underlagtLovgivningLandkode: orNull(Tekst),
  foretaksformIHjemlandet: orNull(exactly({ kode: orNull(Tekst), beskrivelse: orNull(Tekst) })),
}
const Foretak = exactly(foretakProperties)
type Foretak = Static<typeof Foretak>

/** The answer's three kinds overlap in name only, so each field is read where it exists and is null elsewhere. */
export function foretak(unit: Unit): Foretak {
  const enhet: Partial<Enhet> = unit.respons_klasse === 'Enhet' ? unit : {}
  const underenhet: Partial<Underenhet> = unit.respons_klasse === 'Underenhet' ? unit : {}
  const live = { ...underenhet, ...enhet }
  return {
    organisasjonsnummer: unit.organisasjonsnummer,
    navn: unit.navn,
    enhetstype: enhetstyper[unit.respons_klasse],
    organisasjonsform: {
      kode: unit.organisasjonsform.kode,
      beskrivelse: unit.organisasjonsform.beskrivelse ?? null,
      utgaatt: unit.organisasjonsform.utgaatt ?? null,
    },
    slettedato: unit.respons_klasse === 'SlettetEnhet' ? unit.slettedato : null,
    stiftelsesdato: enhet.stiftelsesdato ?? null,
    registreringsdatoEnhetsregisteret: live.registreringsdatoEnhetsregisteret ?? null,
    registreringsdatoForetaksregisteret: enhet.registreringsdatoForetaksregisteret ?? null,
    registreringsdatoMerverdiavgiftsregisteret: live.registreringsdatoMerverdiavgiftsregisteret ?? null,
    vedtektsdato: enhet.vedtektsdato ?? null,
    oppstartsdato: underenhet.oppstartsdato ?? null,
    datoEierskifte: underenhet.datoEierskifte ?? null,
    nedleggelsesdato: underenhet.nedleggelsesdato ?? null,
    historiskeNavn:
      unit.historiskeNavn?.map(({ navn, fraDato, tilDato }) => ({
        navn,
        fraDato: inNorway(fraDato),
        tilDato: inNorway(tilDato),
      })) ?? null,
    hjemmeside: live.hjemmeside ?? null,
    telefon: live.telefon ?? null,
    mobil: live.mobil ?? null,
    epostadresse: live.epostadresse ?? null,
    maalform: enhet.maalform ?? null,
    antallAnsatte: antallAnsatte(unit),
    kapital: kapital(enhet),
    institusjonellSektorkode: kode(enhet.institusjonellSektorkode),
    registrertIMvaregisteret: live.registrertIMvaregisteret ?? null,
    registrertIForetaksregisteret: enhet.registrertIForetaksregisteret ?? null,
    registrertIStiftelsesregisteret: enhet.registrertIStiftelsesregisteret ?? null,
    registrertIFrivillighetsregisteret: enhet.registrertIFrivillighetsregisteret ?? null,
    registrertIPartiregisteret: enhet.registrertIPartiregisteret ?? null,
    frivilligMvaRegistrertBeskrivelser: live.frivilligMvaRegistrertBeskrivelser ?? null,
    erIKonsern: enhet.erIKonsern ?? null,
    sisteInnsendteAarsregnskap: enhet.sisteInnsendteAarsregnskap ?? null,
    fravalgRevisjonDato: enhet.fravalgRevisjonDato ?? null,
    fravalgRevisjonBeslutningsDato: enhet.fravalgRevisjonBeslutningsDato ?? null,
    registreringsnummerIHjemlandet: enhet.registreringsnummerIHjemlandet ?? null,
    utenlandskRegisterNavn: enhet.utenlandskRegisterNavn ?? null,
    underlagtLovgivningLandkode: enhet.underlagtLovgivningLandKode ?? null,
    foretaksformIHjemlandet: formAtHome(enhet),
  }
}

const enhetstyper = { Enhet: 'enhet', Underenhet: 'underenhet', SlettetEnhet: 'slettet' } as const

/** The number is absent both when it is withheld (1–4) and when there is none; only the flag tells them apart (P4). */
export function antallAnsatte(unit: Unit): AntallAnsatte {
  if (unit.respons_klasse === 'SlettetEnhet') return { antall: null, opplysning: 'ukjent' }
  if (unit.antallAnsatte !== undefined) return { antall: unit.antallAnsatte, opplysning: 'oppgitt' }
  if (unit.harRegistrertAntallAnsatte === undefined) return { antall: null, opplysning: 'ukjent' }
  return {
    antall: null,
    opplysning: unit.harRegistrertAntallAnsatte ? 'tilbakeholdt_1_til_4' : 'ingen_registrert',
  }
}

function kapital({ kapital }: Partial<Enhet>): Foretak['kapital'] {
  if (kapital === undefined) return null
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

function inNorway(moment: string | undefined): string | null {
  return moment === undefined ? null : isoFromNorway(moment)
}

/** The register's Norwegian for the form is what a reader here understands; without it, its own. */
function formAtHome({ foretaksformIHjemlandet: form }: Partial<Enhet>): Foretak['foretaksformIHjemlandet'] {
  if (form === undefined) return null
  return { kode: form.kode ?? null, beskrivelse: form.beskrivelseBokmaal ?? form.beskrivelse ?? null }
}

export function kode(from: { kode: string; beskrivelse?: string } | undefined): Static<typeof Kode> | null {
  return from === undefined ? null : { kode: from.kode, beskrivelse: from.beskrivelse ?? null }
}
