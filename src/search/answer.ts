import { type Static, Type } from 'typebox'
import { nineDigits } from '#src/core/organisation-number.ts'
import { AntallAnsatte } from '#src/record/sections/foretak.ts'
import { Foretakstilstand } from '#src/record/sections/status.ts'
import { Dato, exactly, Kode, oneOf, orNull, Tekst, Tidspunkt } from '#src/record/shape.ts'
import { KildeId } from '#src/record/state.ts'
import { keptOf } from '#src/sources/index.ts'
import type { CompanyRow } from '#src/storage/search/rows.ts'
import { bands } from './band.ts'
import type { Hit, Why } from './rank.ts'

const Orgnr = Type.String({ pattern: '^[0-9]{9}$' })

const grunner = [
  'organisasjonsnummer',
  'navn',
  'navn_uten_tillegg',
  'navnet_begynner_slik',
  'alle_ord',
  'noen_ord',
  'likhet',
  'tidligere_navn',
  'kortnavn',
  'forbokstaver',
  'underenhet',
  'nettsted',
  'telefon',
] as const

const Hvorfor = exactly({
  grunn: oneOf(
    grunner,
    'navn_uten_tillegg: alt utenom ord som Norge og Gruppen. likhet: bokstaver er tatt for andre. ' +
      'underenhet: navnet er skiltet til flere av foretakets underenheter.',
  ),
  navn: Type.String({ description: 'Navnet, nettstedet eller nummeret som svarer.' }),
  fra: orNull(Dato),
  til: orNull(Dato),
  underenhet: orNull(Orgnr),
})

const Treff = exactly({
  organisasjonsnummer: Orgnr,
  navn: orNull(Tekst),
  type: oneOf(['enhet', 'underenhet']),
  overordnetEnhet: orNull(Orgnr),
  organisasjonsform: orNull(Kode),
  kommune: orNull(exactly({ nummer: orNull(Tekst), navn: orNull(Tekst) })),
  poststed: orNull(Tekst),
  foretakstilstand: orNull(Foretakstilstand),
  naeringskode: orNull(Kode),
  antallAnsatte: AntallAnsatte,
  hvorfor: Hvorfor,
})
export type Treff = Static<typeof Treff>

const Visshet = oneOf(
  bands,
  'sikker: nøyaktig ett foretak svarer helt, og langt foran neste. velg: ett av disse. ingen: ingenting å velge mellom.',
)

/** What an answer rests on. */
const basis = {
  avbrutt: Type.Boolean({
    description:
      'true: søket nådde tidsgrensen, og det kan finnes flere og bedre treff. Visshet er da aldri sikker.',
  }),
  grunnlag: oneOf(
    ['indeks', 'register'],
    'indeks: tjenestens egen, med tidligere navn, underenheter, nettsteder og telefon. register: Enhetsregisterets eget navnesøk, ordnet på nytt.',
  ),
  indeks: orNull(
    exactly({
      filerHentet: Type.String({
        format: 'date-time',
        description: 'Registerets totalbestand ble hentet da.',
      }),
      endringerTil: orNull(
        Type.String({
          format: 'date-time',
          description: 'Endringer som registeret har meldt fram til da, er med.',
        }),
      ),
    }),
  ),
  kilde: exactly({ kildeId: KildeId, kilde: Tekst, lisens: Tekst, hentet: Tidspunkt }),
}

export const Sok = exactly({
  visshet: Visshet,
  totalt: Type.Integer({ minimum: 0 }),
  totaltErMinst: Type.Boolean({
    description: 'true: det finnes flere enn totalt; neste går gjennom dem som er regnet med.',
  }),
  vist: Type.Integer({ minimum: 0 }),
  avkortet: Type.Boolean({ description: 'true når det finnes flere treff enn de som er vist.' }),
  neste: orNull(Type.String({ description: 'Verdien for etter på neste side; null på den siste.' })),
  ...basis,
  treff: Type.Array(Treff),
})
export type Sok = Static<typeof Sok>

export const Forslag = exactly({
  avbrutt: basis.avbrutt,
  grunnlag: basis.grunnlag,
  treff: Type.Array(
    exactly({ organisasjonsnummer: Orgnr, navn: orNull(Tekst), sted: orNull(Tekst), form: orNull(Tekst) }),
  ),
})
export type Forslag = Static<typeof Forslag>

export const Finn = exactly({
  visshet: Visshet,
  foretak: Type.Union([Treff, Type.Null()], { description: 'Bare når visshet er sikker.' }),
  kandidater: Type.Array(Treff, { description: 'De nærmeste når visshet er velg.' }),
  ...basis,
})
export type Finn = Static<typeof Finn>

/** What an answer rests on, as one value. */
export type Basis = Pick<Sok, 'avbrutt' | 'grunnlag' | 'indeks' | 'kilde'>

export function basisOf(
  from: { fetchedAt: Date } & ({ index: null } | { index: { filesAt: Date; changesUntil: Date | null } }),
  isCut: boolean,
): Basis {
  return {
    avbrutt: isCut,
    grunnlag: from.index === null ? 'register' : 'indeks',
    indeks:
      from.index === null
        ? null
        : {
            filerHentet: from.index.filesAt.toISOString(),
            endringerTil: from.index.changesUntil?.toISOString() ?? null,
          },
    kilde: { ...keptOf('enhet').provenance, hentet: from.fetchedAt.toISOString() },
  }
}

export function treffOf({ why }: Pick<Hit, 'why'>, company: CompanyRow): Treff {
  const { municipality, municipalityName, industries, employees, employeesTold } = company
  const [code] = industries
  return {
    organisasjonsnummer: nineDigits(company.orgnr),
    navn: company.name,
    type: company.isSubUnit ? 'underenhet' : 'enhet',
    overordnetEnhet: company.parent === null ? null : nineDigits(company.parent),
    organisasjonsform: company.form === null ? null : { kode: company.form, beskrivelse: company.formText },
    kommune:
      municipality === null && municipalityName === null
        ? null
        : { nummer: municipality, navn: municipalityName },
    poststed: company.town,
    foretakstilstand: company.state as Treff['foretakstilstand'],
    naeringskode: code === undefined ? null : { kode: code, beskrivelse: company.industryText },
    antallAnsatte: { antall: employees, opplysning: employeesTold as Treff['antallAnsatte']['opplysning'] },
    hvorfor: {
      grunn: why.typos > 0 ? 'likhet' : GRUNN[why.how],
      navn: why.name,
      fra: why.from,
      til: why.until,
      underenhet: why.subUnit === null ? null : nineDigits(why.subUnit),
    },
  }
}

const GRUNN: Record<Why['how'], (typeof grunner)[number]> = {
  number: 'organisasjonsnummer',
  whole: 'navn',
  core: 'navn_uten_tillegg',
  begins: 'navnet_begynner_slik',
  allWords: 'alle_ord',
  someWords: 'noen_ord',
  formerName: 'tidligere_navn',
  shortName: 'kortnavn',
  initials: 'forbokstaver',
  brand: 'underenhet',
  site: 'nettsted',
  phone: 'telefon',
}
