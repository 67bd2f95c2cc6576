import fc from 'fast-check'

/*
 * Invented answers of the sources, as they are kept: small worlds, so that two of them often have somebody or something in
 * common. `undefined` leaves a fact out, as the registers do.
 */

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 4) => fc.array(arbitrary, { maxLength })
const word = fc.constantFrom('A', 'Å', 'b c', 'x\0y', 'Ø/~1', '\ud800')
const day = fc.constantFrom('2020-01-01', '2021-02-28', '2024-12-31')
const number = fc.constantFrom('910000004', '910000012', '974760673')
const flag = fc.boolean()
const code = (...codes: string[]) =>
  fc.constantFrom(...codes).map((kode) => ({ kode, beskrivelse: `Det som heter ${kode}` }))
const object = <T extends Record<string, unknown>>(model: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(model).map((each) => JSON.parse(JSON.stringify(each)) as T)

const address = object({
  adresse: some(few(word, 2)),
  postnummer: some(fc.constantFrom('0301', '5003')),
  poststed: some(word),
  kommune: some(word),
  kommunenummer: some(fc.constantFrom('0301', '4601')),
  land: some(fc.constant('Norge')),
})

const company = {
  organisasjonsnummer: fc.constant('923609016'),
  navn: some(word),
  organisasjonsform: code('AS', 'ASA'),
  historiskeNavn: some(
    few(object({ navn: fc.constantFrom('FØR', 'FØRST'), fraDato: some(day), tilDato: some(day) })),
  ),
  hjemmeside: some(word),
  telefon: some(word),
  postadresse: some(address),
  forretningsadresse: some(address),
  overordnetEnhet: some(number),
  naeringskode1: some(code('64.190', '62.010')),
  naeringskode2: some(code('64.190', '00.000')),
  aktivitet: some(few(word, 2)),
  antallAnsatte: some(fc.constantFrom(5, 70)),
  harRegistrertAntallAnsatte: some(flag),
  kapital: some(object({ belop: some(fc.constantFrom(30000, 1e12)), valuta: some(fc.constant('NOK')) })),
  registrertIMvaregisteret: some(flag),
  registreringsdatoMerverdiavgiftsregisteret: some(day),
  registreringsdatoAntallAnsatteNAVAaregisteret: some(day),
  stiftelsesdato: some(day),
}

const mainUnit = object({
  ...company,
  respons_klasse: fc.constant('Enhet'),
  konkurs: flag,
  konkursdato: some(day),
  underAvvikling: flag,
  underTvangsavviklingEllerTvangsopplosning: flag,
  tvangsopplostPgaManglendeRevisorDato: some(day),
  tvangsavvikletPgaManglendeSlettingDato: some(day),
  underRekonstruksjonsforhandlingDato: some(day),
  paategninger: some(few(object({ infotype: some(word), tekst: some(word), innfoertDato: some(day) }), 3)),
  sisteInnsendteAarsregnskap: some(fc.constantFrom('2024', '2025')),
})
const subUnit = object({ ...company, respons_klasse: fc.constant('Underenhet'), nedleggelsesdato: some(day) })

const holder = fc.oneof(
  object({
    person: object({
      navn: object({ fornavn: fc.constantFrom('Kari', 'Ola'), etternavn: fc.constantFrom('Lien', 'Moe') }),
      fodselsdato: day,
      erDoed: flag,
    }),
  }),
  object({
    enhet: object({ organisasjonsnummer: number, navn: fc.constant(['REVISOR AS']), erSlettet: flag }),
  }),
  object({ bostyrer: object({ navn: word, postadresse: some(address) }) }),
)
const role = fc
  .tuple(
    holder,
    object({
      type: code('LEDE', 'MEDL', 'VARA', 'DAGL', 'REVI', 'KONT'),
      avregistrert: fc.constant(false),
      fratraadt: flag,
      rekkefolge: some(fc.constantFrom(1, 2)),
      valgtAv: some(code('AREP', 'A-AK')),
      ansvarsandel: some(fc.constantFrom('50%', '1/3')),
    }),
  )
  .map(([who, of]) => ({ ...who, ...of }))
const roles = object({
  rollegrupper: few(
    object({
      type: code('STYR', 'DAGL', 'REVI', 'DELT', 'RARE'),
      sistEndret: some(day),
      roller: few(role, 3),
    }),
    3,
  ),
})

const signer = object({
  navn: word,
  fodselsdato: some(fc.constant('01.02.1970')),
  rolle: some(code('LEDE', 'MEDL')),
})
const authority = object({
  status: object({
    rutineStatus: code('OK'),
    regelStatus: some(code('RF', 'RI')),
  }),
  signeringsGrunnlag: some(
    object({
      kode: fc.constantFrom('SF', 'SI'),
      signaturProkuraRoller: some(
        object({ signaturProkuraFritekst: some(word), personRolleGrunnlag: some(few(signer, 3)) }),
      ),
    }),
  ),
  signeringsKombinasjon: some(
    object({
      kombinasjon: some(
        few(
          object({
            kode: some(word),
            kombinasjonsId: some(fc.constantFrom('1', '2')),
            personRolleKombinasjon: some(few(signer, 2)),
          }),
          3,
        ),
      ),
    }),
  ),
})

const filing = object({
  id: some(fc.integer({ min: 1, max: 5 })),
  regnskapstype: fc.constantFrom('SELSKAP', 'KONSERN'),
  virksomhet: object({ organisasjonsnummer: fc.constant('923609016') }),
  regnskapsperiode: fc
    .constantFrom(2023, 2024, 2025)
    .map((year) => ({ fraDato: `${year}-01-01`, tilDato: `${year}-12-31` })),
  valuta: fc.constant('NOK'),
  eiendeler: some(object({ sumEiendeler: some(fc.integer({ min: 0, max: 3 })) })),
})
const accounts = object({
  live: few(filing),
  archived: few(
    object({
      regnskap: filing,
      kilde: fc.constantFrom('regnskapsregisteret', 'import'),
      hentet: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
      felt: fc.constant(null),
    }),
    2,
  ),
  isArchiveRead: fc.constant(true),
  withoutLive: fc.constant(null),
})

const announcements = few(fc.constantFrom('1', '2', '3', '4'))
  .map((kids) => [...new Set(kids)])
  .chain((kids) =>
    fc.tuple(
      ...kids.map((kid) =>
        object({
          dato: day,
          tittel: fc.constantFrom('Konkursåpning', 'Nytt styre'),
          kid: fc.constant(kid),
          type: fc.constantFrom('konkurs', 'annet'),
          gjelderInsolvens: flag,
          lenke: fc.constant(`https://w2.brreg.no/kunngjoring/hent_en.jsp?kid=${kid}`),
        }),
      ),
    ),
  )

const group = few(
  object({
    organisasjonsnummer: number,
    navn: some(word),
    knytningsform: some(code('EIER')),
    grunnlag: some(fc.constantFrom('100%', '95,00%')),
  }),
  3,
).map((under) => [
  { organisasjonsnummer: '974760673', navn: 'TOPPEN AS', over: null },
  { organisasjonsnummer: '923609016', navn: 'LYNGHEI AS', over: 0 },
  ...distinct(under).map((each) => ({ ...each, over: 1 })),
])

const subUnits = few(
  object({
    organisasjonsnummer: number,
    navn: some(word),
    antallAnsatte: some(fc.constantFrom(5, 70)),
    beliggenhetsadresse: some(address),
  }),
  3,
).map((all) => ({ antall: all.length, underenheter: distinct(all) }))

const rolesElsewhere = few(
  object({
    organisasjonsnummer: number,
    navn: fc.constantFrom('EN AS', 'TO AS'),
    roller: few(object({ type: code('REVI', 'REGN'), fratraadt: flag }), 2),
  }),
  3,
).map((foretak) => ({ foretak: distinct(foretak), erAlle: true, avkortet: false }))

const copies = few(fc.constantFrom(2023, 2024, 2025)).map((aar) => ({ aar: [...new Set(aar)], erAlle: true }))

function distinct<T extends { organisasjonsnummer: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((each) => [each.organisasjonsnummer, each])).values()]
}

/** What each source may find. */
export const findings = {
  enhet: mainUnit,
  underenhet: subUnit,
  roller: roles,
  signatur: authority,
  prokura: authority,
  regnskap: accounts,
  kunngjoringer: announcements,
  konsern: group,
  underenheter: subUnits,
  rollerIAndreForetak: rolesElsewhere,
  regnskapskopier: copies,
} satisfies Record<string, fc.Arbitrary<unknown>>
export type Finding = keyof typeof findings
