import { type Static, Type } from 'typebox'
import { listOf, optional } from '../believe.ts'

/**
 * The shape of one filing in the accounts register's key figures, before and after 1 October 2026, under the register's own
 * names: `regnkapsprinsipper` and `sumInnskuttEgenkaptial` are spelled as it spells them. Any figure may be absent, which
 * is not zero, and a parent may be `{}`; null is one that can not be read, and so are all figures of a parent that is. Figures that are not listed here are kept as well. Amounts are whole units of
 * `valuta`, may exceed 2^31 and may have decimals.
 */

const Tekst = Type.String()
const Dato = Type.String({ format: 'date' })
const Flagg = optional(Type.Boolean())
const Tall = optional(Type.Number())

const open = <P extends Type.TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: Type.Unknown() })
const gruppe = <P extends Type.TProperties>(properties: P) => optional(open(properties))

export const Filing = open({
  id: optional(Type.Integer()),
  journalnr: optional(Tekst),
  regnskapstype: optional(Tekst),
  regnskapDokumenttype: optional(Tekst),
  virksomhet: open({
    organisasjonsnummer: Tekst,
    organisasjonsform: optional(Tekst),
    morselskap: Flagg,
  }),
  regnskapsperiode: open({ fraDato: Dato, tilDato: Dato }),
  // A figure says nothing without its currency: about one filing in twenty is not in kroner.
  valuta: Type.String({ minLength: 1 }),
  avviklingsregnskap: Flagg,
  oppstillingsplan: optional(Tekst),
  revisjon: gruppe({ ikkeRevidertAarsregnskap: Flagg, fravalgRevisjon: Flagg }),
  regnkapsprinsipper: gruppe({ smaaForetak: Flagg, regnskapsregler: optional(Tekst) }),
  egenkapitalGjeld: gruppe({
    sumEgenkapitalGjeld: Tall,
    egenkapital: gruppe({
      sumEgenkapital: Tall,
      opptjentEgenkapital: gruppe({ sumOpptjentEgenkapital: Tall }),
      innskuttEgenkapital: gruppe({ sumInnskuttEgenkaptial: Tall }),
    }),
    gjeldOversikt: gruppe({
      sumGjeld: Tall,
      kortsiktigGjeld: gruppe({ sumKortsiktigGjeld: Tall }),
      langsiktigGjeld: gruppe({ sumLangsiktigGjeld: Tall }),
    }),
  }),
  eiendeler: gruppe({
    sumEiendeler: Tall,
    sumVarer: Tall,
    sumFordringer: Tall,
    sumInvesteringer: Tall,
    sumBankinnskuddOgKontanter: Tall,
    goodwill: Tall,
    omloepsmidler: gruppe({ sumOmloepsmidler: Tall }),
    anleggsmidler: gruppe({ sumAnleggsmidler: Tall }),
  }),
  resultatregnskapResultat: gruppe({
    ordinaertResultatFoerSkattekostnad: Tall,
    ordinaertResultatSkattekostnad: Tall,
    ekstraordinaerePoster: Tall,
    skattekostnadEkstraordinaertResultat: Tall,
    aarsresultat: Tall,
    totalresultat: Tall,
    finansresultat: gruppe({
      nettoFinans: Tall,
      finansinntekt: gruppe({ sumFinansinntekter: Tall }),
      finanskostnad: gruppe({
        sumFinanskostnad: Tall,
        annenRentekostnad: Tall,
        rentekostnadSammeKonsern: Tall,
      }),
    }),
    driftsresultat: gruppe({
      driftsresultat: Tall,
      driftsinntekter: gruppe({ sumDriftsinntekter: Tall, salgsinntekter: Tall }),
      driftskostnad: gruppe({ sumDriftskostnad: Tall, loennskostnad: Tall }),
    }),
  }),
})
export type RegisterRegnskap = Static<typeof Filing>

/** A filing that can not be read costs itself. */
export const Regnskapssvar = listOf(Filing)

/** Where everything is a figure or a group of figures, whatever its name. */
export const FIGURE_SECTIONS = ['resultatregnskapResultat', 'eiendeler', 'egenkapitalGjeld'] as const

export const Feilsvar = Type.Object({ message: Tekst })
