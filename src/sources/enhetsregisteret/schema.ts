import { type Static, Type } from 'typebox'
import { isMomentInNorway } from '#src/core/norwegian-time.ts'
import { always, listOf, optional } from '../believe.ts'

/**
 * The shapes of Enhetsregisteret's own answers (v2), under its own field names. Field list: the register's OpenAPI 2.0.0
 * and what it has been seen to answer since. Absent means "not stated", null "not to be read"; only what tells whom an answer
 * is about is required. Fields that are not listed here are not read.
 */

const Tekst = Type.String()
const Navn = Type.String({ minLength: 1 })
const Dato = Type.String({ format: 'date' })
const Tekstlinjer = listOf(Type.String())
const Nummer = Type.String({ pattern: '^[0-9]{9}$' })

/** Code lists are open: new codes come, and some are not ASCII (FFØR, SÆR). */
const RegisterKode = Type.Object({ kode: Navn, beskrivelse: optional(Tekst) })
export type RegisterKode = Static<typeof RegisterKode>

const Organisasjonsform = Type.Object({ kode: Navn, beskrivelse: optional(Tekst), utgaatt: optional(Dato) })

/** Foreign units often lack everything below the country; `adresse` may be an empty list. */
const RegisterAdresse = Type.Object({
  land: optional(Tekst),
  landkode: optional(Tekst),
  postnummer: optional(Tekst),
  poststed: optional(Tekst),
  adresse: optional(Tekstlinjer),
  kommune: optional(Tekst),
  kommunenummer: optional(Tekst),
})
export type RegisterAdresse = Static<typeof RegisterAdresse>

/** Norwegian time without a zone ("1995-03-12 16:23:00"), or a day. */
const Tidspunkt = Type.Refine(Tekst, isMomentInNorway)
const HistoriskNavn = Type.Object({ navn: Navn, fraDato: optional(Tidspunkt), tilDato: optional(Tidspunkt) })

const identity = {
  organisasjonsnummer: Nummer,
  navn: always(Navn),
  organisasjonsform: always(Organisasjonsform),
  historiskeNavn: optional(listOf(HistoriskNavn)),
}

/** What main units and sub-units have in common. */
const unit = {
  ...identity,
  postadresse: optional(RegisterAdresse),
  hjemmeside: optional(Tekst),
  epostadresse: optional(Tekst),
  telefon: optional(Tekst),
  mobil: optional(Tekst),
  overordnetEnhet: optional(Nummer),
  naeringskode1: optional(RegisterKode),
  naeringskode2: optional(RegisterKode),
  naeringskode3: optional(RegisterKode),
  hjelpeenhetskode: optional(RegisterKode),
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

const main = {
  forretningsadresse: optional(RegisterAdresse),
  stiftelsesdato: optional(Dato),
  vedtektsdato: optional(Dato),
  vedtektsfestetFormaal: optional(Tekstlinjer),
  aktivitet: optional(Tekstlinjer),
  sisteInnsendteAarsregnskap: optional(Type.String({ pattern: '^[0-9]{4}$' })),
  institusjonellSektorkode: optional(RegisterKode),
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
    listOf(Type.Object({ infotype: optional(Tekst), tekst: optional(Tekst), innfoertDato: optional(Dato) })),
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
  utenlandskRegisterAdresse: optional(RegisterAdresse),
  underlagtLovgivningLand: optional(Tekst),
  underlagtLovgivningLandKode: optional(Tekst),
  foretaksformIHjemlandet: optional(
    Type.Object({ kode: optional(Tekst), beskrivelse: optional(Tekst), beskrivelseBokmaal: optional(Tekst) }),
  ),
}

const sub = {
  beliggenhetsadresse: optional(RegisterAdresse),
  oppstartsdato: optional(Dato),
  datoEierskifte: optional(Dato),
  nedleggelsesdato: optional(Dato),
}

/** `klasseUlest`: the answer calls itself something else, so that not even whether the unit still is there is known from it. */
const klasseUlest = Type.Optional(Type.Literal(true))

export const Enhet = Type.Object({ respons_klasse: Type.Literal('Enhet'), klasseUlest, ...unit, ...main })
export type Enhet = Static<typeof Enhet>

export const RegisterUnderenhet = Type.Object({
  respons_klasse: Type.Literal('Underenhet'),
  klasseUlest,
  ...unit,
  ...sub,
})
export type RegisterUnderenhet = Static<typeof RegisterUnderenhet>

/**
 * A deleted main unit or sub-unit: answered with status 200 and, as far as main units are concerned, little more than a name.
 * Whatever more is there is read: a deleted sub-unit has the day it was closed, and an address.
 */
export const SlettetEnhet = Type.Object({
  respons_klasse: Type.Literal('SlettetEnhet'),
  ...unit,
  ...main,
  ...sub,
  slettedato: optional(Dato),
})
export type SlettetEnhet = Static<typeof SlettetEnhet>

export const Sokeside = Type.Object({
  _embedded: Type.Optional(Type.Object({ enheter: Type.Array(Type.Unknown()) })),
  page: always(Type.Object({ totalElements: always(Type.Integer({ minimum: 0 })) })),
})

const Personnavn = Type.Object({
  fornavn: optional(Tekst),
  mellomnavn: optional(Tekst),
  etternavn: optional(Tekst),
})

/**
 * One role and its holder: `person`, `enhet` or `bostyrer` (the last is in no specification). Whoever has left is marked by
 * `avregistrert`, until June 2026 by `fratraadt`.
 */
const RegisterRolle = Type.Object({
  type: always(RegisterKode),
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
      postadresse: optional(RegisterAdresse),
      erDoed: optional(Type.Boolean()),
    }),
  ),
  avregistrert: optional(Type.Boolean()),
  fratraadt: optional(Type.Boolean()),
  rekkefolge: optional(Type.Integer()),
  valgtAv: optional(RegisterKode),
  ansvarsandel: optional(Tekst),
  fullmektige: optional(listOf(Type.Object({ navn: optional(Tekst), adresse: optional(Tekstlinjer) }))),
  stadfestetFremtidsfullmakt: optional(Type.Boolean()),
  begrensetRettsligHandleevne: optional(Type.Boolean()),
})
export type RegisterRolle = Static<typeof RegisterRolle>

const Rollegruppe = Type.Object({
  type: always(RegisterKode),
  sistEndret: optional(Dato),
  roller: always(listOf(RegisterRolle)),
})

const Lenke = Type.Object({ href: optional(Tekst) })

export const Rollesvar = Type.Object({
  rollegrupper: listOf(Rollegruppe),
  _links: optional(Type.Object({ self: optional(Lenke), enhet: optional(Lenke) })),
})
/** Without the links, which say whom the answer is about. */
export const RegisterRoller = Type.Pick(Rollesvar, ['rollegrupper'])
export type RegisterRoller = Static<typeof RegisterRoller>
