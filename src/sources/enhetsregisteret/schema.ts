import { type Static, Type } from 'typebox'
import { isoFromNorway } from '#src/core/norwegian-time.ts'

/**
 * The shapes of Enhetsregisteret's own answers (v2), under its own field names. Field list: the register's OpenAPI 2.0.0
 * and what it has been seen to answer since. A field that is absent means "not stated"; only what every answer must have
 * to be read at all is required. Fields that are not listed here are not read.
 */

const Tekst = Type.String()
const Dato = Type.String({ format: 'date' })
const Tekstlinjer = Type.Array(Type.String())
const Nummer = Type.String({ pattern: '^[0-9]{9}$' })
const optional = Type.Optional

/** Code lists are open: new codes come, and some are not ASCII (FFØR, SÆR). */
const Kode = Type.Object({ kode: Tekst, beskrivelse: optional(Tekst) })

const Organisasjonsform = Type.Object({ kode: Tekst, beskrivelse: optional(Tekst), utgaatt: optional(Tekst) })

/** Foreign units often lack everything below the country; `adresse` may be an empty list. */
const Adresse = Type.Object({
  land: optional(Tekst),
  landkode: optional(Tekst),
  postnummer: optional(Tekst),
  poststed: optional(Tekst),
  adresse: optional(Tekstlinjer),
  kommune: optional(Tekst),
  kommunenummer: optional(Tekst),
})
export type Adresse = Static<typeof Adresse>

/** Norwegian time without a zone ("1995-03-12 16:23:00"), or a day. */
const Tidspunkt = Type.Refine(Tekst, (text) => isoFromNorway(text) !== null)
const HistoriskNavn = Type.Object({ navn: Tekst, fraDato: optional(Tidspunkt), tilDato: optional(Tidspunkt) })

const identity = {
  organisasjonsnummer: Nummer,
  navn: Tekst,
  organisasjonsform: Organisasjonsform,
  historiskeNavn: optional(Type.Array(HistoriskNavn)),
}

const live = {
  ...identity,
  postadresse: optional(Adresse),
  hjemmeside: optional(Tekst),
  epostadresse: optional(Tekst),
  telefon: optional(Tekst),
  mobil: optional(Tekst),
  overordnetEnhet: optional(Nummer),
  naeringskode1: optional(Kode),
  naeringskode2: optional(Kode),
  naeringskode3: optional(Kode),
  hjelpeenhetskode: optional(Kode),
  antallAnsatte: optional(Type.Integer({ minimum: 0 })),
  harRegistrertAntallAnsatte: optional(Type.Boolean()),
  registrertIMvaregisteret: optional(Type.Boolean()),
  frivilligMvaRegistrertBeskrivelser: optional(Tekstlinjer),
  registreringsdatoEnhetsregisteret: optional(Dato),
  registreringsdatoMerverdiavgiftsregisteret: optional(Dato),
  registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret: optional(Dato),
  registreringsdatoFrivilligMerverdiavgiftsregisteret: optional(Dato),
  registreringsdatoAntallAnsatteEnhetsregisteret: optional(Dato),
  registreringsdatoAntallAnsatteNAVAaregisteret: optional(Dato),
}

export const Enhet = Type.Object({
  respons_klasse: Type.Literal('Enhet'),
  ...live,
  forretningsadresse: optional(Adresse),
  stiftelsesdato: optional(Dato),
  vedtektsdato: optional(Dato),
  vedtektsfestetFormaal: optional(Tekstlinjer),
  aktivitet: optional(Tekstlinjer),
  sisteInnsendteAarsregnskap: optional(Tekst),
  institusjonellSektorkode: optional(Kode),
  maalform: optional(Tekst),
  erIKonsern: optional(Type.Boolean()),
  registrertIForetaksregisteret: optional(Type.Boolean()),
  registrertIStiftelsesregisteret: optional(Type.Boolean()),
  registrertIFrivillighetsregisteret: optional(Type.Boolean()),
  registrertIPartiregisteret: optional(Type.Boolean()),
  registreringsdatoForetaksregisteret: optional(Dato),
  registreringsdatoFrivillighetsregisteret: optional(Dato),
  registreringsdatoPartiregisteret: optional(Dato),
  fravalgRevisjonDato: optional(Dato),
  fravalgRevisjonBeslutningsDato: optional(Dato),

  konkurs: optional(Type.Boolean()),
  konkursdato: optional(Dato),
  underAvvikling: optional(Type.Boolean()),
  underAvviklingDato: optional(Dato),
  underTvangsavviklingEllerTvangsopplosning: optional(Type.Boolean()),
  tvangsopplostPgaManglendeRegnskapDato: optional(Dato),
  tvangsopplostPgaManglendeRevisorDato: optional(Dato),
  tvangsopplostPgaMangelfulltStyreDato: optional(Dato),
  tvangsopplostPgaManglendeDagligLederDato: optional(Dato),
  tvangsavvikletPgaManglendeSlettingDato: optional(Dato),
  underRekonstruksjonsforhandlingDato: optional(Dato),
  underUtenlandskInsolvensbehandlingDato: optional(Dato),
  paategninger: optional(
    Type.Array(
      Type.Object({ infotype: optional(Tekst), tekst: optional(Tekst), innfoertDato: optional(Dato) }),
    ),
  ),

  kapital: optional(
    Type.Object({
      belop: optional(Type.Number()),
      // Exceeds 2^31: Equinor has 2 390 749 040.
      antallAksjer: optional(Type.Integer({ minimum: 0 })),
      type: optional(Tekst),
      valuta: optional(Tekst),
      innfortDato: optional(Dato),
      innbetalt: optional(Type.Number()),
      fulltInnbetalt: optional(Type.Boolean()),
      bundet: optional(Type.Number()),
    }),
  ),

  registreringsnummerIHjemlandet: optional(Tekst),
  utenlandskRegisterNavn: optional(Tekst),
  utenlandskRegisterAdresse: optional(Adresse),
  underlagtLovgivningLand: optional(Tekst),
  underlagtLovgivningLandKode: optional(Tekst),
  foretaksformIHjemlandet: optional(
    Type.Object({ kode: optional(Tekst), beskrivelse: optional(Tekst), beskrivelseBokmaal: optional(Tekst) }),
  ),
})
export type Enhet = Static<typeof Enhet>

export const Underenhet = Type.Object({
  respons_klasse: Type.Literal('Underenhet'),
  ...live,
  beliggenhetsadresse: optional(Adresse),
  oppstartsdato: optional(Dato),
  datoEierskifte: optional(Dato),
  nedleggelsesdato: optional(Dato),
})
export type Underenhet = Static<typeof Underenhet>

/** A deleted main unit or sub-unit: answered with status 200 and little more than its name. */
export const SlettetEnhet = Type.Object({
  respons_klasse: Type.Literal('SlettetEnhet'),
  ...identity,
  slettedato: Dato,
})
export type SlettetEnhet = Static<typeof SlettetEnhet>

/** Removed from the open register on legal grounds (status 410): no name, by intent. */
export const FjernetEnhet = Type.Object({
  organisasjonsnummer: optional(Nummer),
  slettedato: optional(Dato),
})

export const Sokeside = Type.Object({
  _embedded: optional(Type.Object({ enheter: Type.Array(Type.Unknown()) })),
  page: Type.Object({ totalElements: Type.Integer({ minimum: 0 }) }),
})

const Personnavn = Type.Object({
  fornavn: optional(Tekst),
  mellomnavn: optional(Tekst),
  etternavn: optional(Tekst),
})

/**
 * One role and its holder: `person`, `enhet` or `bostyrer` (the last is in no specification). Whoever has left is marked by
 * `avregistrert`, until June 2026 by `fratraadt`. Both are absent when either had a wrong shape: then nothing is known.
 */
const Rolle = Type.Object({
  type: Kode,
  person: optional(
    Type.Object({
      navn: optional(Personnavn),
      fodselsdato: optional(Dato),
      erDoed: optional(Type.Boolean()),
    }),
  ),
  enhet: optional(
    Type.Object({
      organisasjonsnummer: optional(Nummer),
      organisasjonsform: optional(Organisasjonsform),
      navn: optional(Tekstlinjer),
      erSlettet: optional(Type.Boolean()),
      godkjenningsstatus: optional(Tekst),
    }),
  ),
  bostyrer: optional(
    Type.Object({
      navn: optional(Tekst),
      postadresse: optional(Adresse),
      erDoed: optional(Type.Boolean()),
    }),
  ),
  avregistrert: optional(Type.Boolean()),
  fratraadt: optional(Type.Boolean()),
  rekkefolge: optional(Type.Integer()),
  valgtAv: optional(Kode),
  ansvarsandel: optional(Tekst),
  fullmektige: optional(Type.Array(Type.Object({ navn: optional(Tekst), adresse: optional(Tekstlinjer) }))),
  stadfestetFremtidsfullmakt: optional(Type.Boolean()),
  begrensetRettsligHandleevne: optional(Type.Boolean()),
})
export type Rolle = Static<typeof Rolle>

const Rollegruppe = Type.Object({ type: Kode, sistEndret: optional(Dato), roller: Type.Array(Rolle) })

const Lenke = Type.Object({ href: optional(Tekst) })

export const Rollesvar = Type.Object({
  rollegrupper: Type.Array(Rollegruppe),
  _links: optional(Type.Object({ self: optional(Lenke), enhet: optional(Lenke) })),
})
export type Roller = { rollegrupper: Static<typeof Rollegruppe>[] }
