import type { Cell } from '#src/http/sheets/sheet.ts'
import type { Field, PartOfRecord } from '#src/record/fields.ts'
import type { Adresse } from '#src/record/sections/adresser.ts'
import type { Rolle } from '#src/record/sections/roller.ts'

/** `rowsOf`: what one company has in it; it is taken up line by line, so that no record is held for longer. */
export type Table = { name: string; columns: readonly string[]; rowsOf(line: TableLine): Cell[][] }

/** One line of a table: a company, or why there is none. */
type TableLine = { orgnr: string; company: PartOfRecord | null; feil: string | null }

/** What the columns are made of: no other source is asked. */
export const companyFields: readonly Field[] = [
  'navn',
  'enhetstype',
  'organisasjonsform',
  'slettedato',
  'stiftelsesdato',
  'hjemmeside',
  'telefon',
  'epostadresse',
  'antallAnsatte',
  'adresser',
  'status',
  'roller',
  'naering',
  'regnskap',
]
export const workbookFields: readonly Field[] = [...companyFields, 'aksjonaerer']

type Column = readonly [name: string, of: (company: PartOfRecord) => Cell | undefined]

/** Fixed: columns are added at the end, and none is taken away or moved without the notice any change is given. */
const columns: readonly Column[] = [
  ['navn', ({ navn }) => navn],
  ['enhetstype', ({ enhetstype }) => enhetstype],
  ['organisasjonsform', ({ organisasjonsform }) => organisasjonsform?.kode],
  ['foretakstilstand', ({ status }) => status?.data?.foretakstilstand],
  ['stiftelsesdato', ({ stiftelsesdato }) => stiftelsesdato],
  ['slettedato', ({ slettedato }) => slettedato],
  ['naeringskode', (company) => industry(company)?.kode],
  ['naering', (company) => industry(company)?.beskrivelse],
  ['antallAnsatte', ({ antallAnsatte }) => antallAnsatte?.antall],
  ['adresse', (company) => address(company)?.adresse?.join(', ')],
  ['postnummer', (company) => address(company)?.postnummer],
  ['poststed', (company) => address(company)?.poststed],
  ['kommunenummer', (company) => address(company)?.kommune?.nummer],
  ['kommune', (company) => address(company)?.kommune?.navn],
  ['landkode', (company) => address(company)?.landkode],
  ['telefon', ({ telefon }) => telefon],
  ['epostadresse', ({ epostadresse }) => epostadresse],
  ['hjemmeside', ({ hjemmeside }) => hjemmeside],
  ['dagligLeder', ({ roller }) => names(roller?.data?.dagligLeder)],
  ['styreleder', ({ roller }) => names(roller?.data?.styre.leder)],
  ['revisor', ({ roller }) => names(roller?.data?.revisor)],
  ['regnskapTilDato', ({ regnskap }) => regnskap?.data?.nokkeltallFra?.tilDato],
  ['valuta', (company) => accounts(company)?.valuta],
  ['sumDriftsinntekter', (company) => accounts(company)?.nokkeltall.sumDriftsinntekter.belop],
  ['driftsresultat', (company) => accounts(company)?.nokkeltall.driftsresultat.belop],
  ['aarsresultat', (company) => accounts(company)?.nokkeltall.aarsresultat.belop],
  ['sumEgenkapital', (company) => accounts(company)?.nokkeltall.sumEgenkapital.belop],
  ['sumGjeld', (company) => accounts(company)?.nokkeltall.sumGjeld.belop],
  ['komplett', ({ komplett }) => komplett],
]

/** Those that are reckoned with. */
export const figureColumns = [
  'antallAnsatte',
  'sumDriftsinntekter',
  'driftsresultat',
  'aarsresultat',
  'sumEgenkapital',
  'sumGjeld',
] as const

export const companyTable: Table = {
  name: 'Foretak',
  columns: ['organisasjonsnummer', ...columns.map(([name]) => name), 'feil'],
  rowsOf: ({ orgnr, company, feil }) => [
    [orgnr, ...columns.map(([, of]) => (company === null ? null : (of(company) ?? null))), feil],
  ],
}

/** All who hold a role now, as the register has them. */
export const roleTable: Table = {
  name: 'Roller',
  columns: [
    'organisasjonsnummer',
    'navn',
    'rolle',
    'gruppe',
    'innehaver',
    'type',
    'fodselsdato',
    'innehaversOrgnr',
  ],
  rowsOf({ orgnr, company }) {
    const data = company?.roller?.data ?? null
    if (company === null || data === null) return []
    const { styre, tidligere: _, ...others } = data
    const roles = [...Object.values(styre), ...Object.values(others)].flat().filter((role) => role !== null)
    return roles.map(({ rolle, gruppe, rolleinnehaver: who }) => [
      orgnr,
      company.navn ?? null,
      rolle?.beskrivelse ?? rolle?.kode ?? null,
      gruppe?.beskrivelse ?? gruppe?.kode ?? null,
      who.navn,
      who.type,
      who.type === 'person' ? who.fodselsdato : null,
      who.type === 'enhet' ? who.organisasjonsnummer : null,
    ])
  },
}

/** The largest of the newest year; all of them are at each company's own address. */
export const holderTable: Table = {
  name: 'Aksjonærer',
  columns: [
    'organisasjonsnummer',
    'navn',
    'gjelderPer',
    'plass',
    'aksjonaer',
    'type',
    'fodselsaar',
    'aksjonaersOrgnr',
    'landkode',
    'aksjer',
    'prosent',
  ],
  rowsOf({ orgnr, company }) {
    const data = company?.aksjonaerer?.data ?? null
    if (company === null || data === null) return []
    return (data.storste ?? []).map((each) => [
      orgnr,
      company.navn ?? null,
      data.gjelderPer,
      each.plass,
      each.navn,
      each.type,
      each.fodselsaar,
      each.organisasjonsnummer,
      each.landkode,
      each.aksjer,
      each.prosent,
    ])
  },
}

function industry({ naering }: PartOfRecord) {
  return naering?.data?.naeringskoder?.[0]?.sn2025
}

function address({ adresser }: PartOfRecord): Adresse | null | undefined {
  const all = adresser?.data
  return all?.forretningsadresse ?? all?.beliggenhetsadresse ?? all?.postadresse
}

function accounts({ regnskap }: PartOfRecord) {
  const from = regnskap?.data?.nokkeltallFra
  const year = regnskap?.data?.aar.find(({ periode }) => periode.tilDato === from?.tilDato)
  return from?.regnskapstype === 'KONSERN' ? year?.konsern : year?.selskap
}

function names(roles: readonly Rolle[] | null | undefined): string | undefined {
  return roles?.flatMap(({ rolleinnehaver: { navn } }) => navn ?? []).join(', ')
}
