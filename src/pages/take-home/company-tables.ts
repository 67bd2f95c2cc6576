import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Fullmakt } from '#src/record/sections/fullmakt.ts'
import type { Rolle, Roller } from '#src/record/sections/roller.ts'
import { sections } from '#src/record/sections.ts'
import type { Cell, Sheet } from '../../http/sheets/sheet.ts'
import { companyFacts } from '../record-view/basics.ts'
import { authorityText } from '../record-view/people.ts'
import { possiblySame } from '../record-view/same-persons.ts'
import { stateText } from '../record-view/wording.ts'
import { groupColumns, groupRows } from './group-rows.ts'

/**
 * A company's record as tables, to be taken home. A part that is not there has a row that says so, as on the page: an empty
 * table would say that there is nothing.
 */
export function companyTables(record: Bedrift, language: Language): Sheet[] {
  const t = words[language]
  const { roller, aksjonaerer, eierskap, underenheter, rollerIAndreForetak, regnskap, kunngjoringer } = record
  const part = <D>(
    name: keyof Bedrift['kilder'],
    titled: string,
    columns: readonly string[],
    data: D | null,
    rows: (data: D) => Cell[][],
  ): Sheet => ({
    name: titled,
    columns,
    rows: data === null ? [lacking(record, name, language)] : rows(data),
  })
  return [
    { name: t.company, columns: [t.what, t.value], rows: factRows(record, language) },
    part('roller', t.roles, [t.name, t.role, t.born, t.number], roller.data, (data) =>
      rolesOf(data).map(({ rolle, rolleinnehaver }) => [
        rolleinnehaver.navn ?? t.unknown,
        rolle?.beskrivelse ?? rolle?.kode ?? null,
        rolleinnehaver.type === 'person' ? (rolleinnehaver.fodselsdato?.slice(0, 4) ?? null) : null,
        rolleinnehaver.type === 'enhet' ? rolleinnehaver.organisasjonsnummer : null,
      ]),
    ),
    part(
      'aksjonaerer',
      t.owners,
      [t.name, t.year, t.born, t.number, t.country, t.shares, t.percent],
      aksjonaerer.data,
      (data) => {
        const newest = { aar: data.aar, storste: data.storste }
        const years = [newest, ...data.historikk.filter(({ aar }) => aar !== data.aar)]
        return years.flatMap(({ aar, storste }) =>
          (storste ?? []).map((each) => [
            each.skjult ? t.hidden : (each.navn ?? t.unknown),
            aar,
            each.fodselsaar,
            each.organisasjonsnummer,
            each.landkode,
            each.aksjer,
            each.prosent,
          ]),
        )
      },
    ),
    part('aksjonaerer', t.changes, [t.name, t.year, t.change, t.before, t.after], aksjonaerer.data, (data) =>
      data.historikk.flatMap(({ aar, endringer }) =>
        endringer === null
          ? []
          : (['inn', 'ut', 'opp', 'ned'] as const).flatMap((kind) =>
              endringer[kind].navngitte.map((each) => [
                each.skjult ? t.hidden : (each.navn ?? t.unknown),
                aar,
                t.kinds[kind],
                each.fra,
                each.til,
              ]),
            ),
      ),
    ),
    part(
      'eierskap',
      t.ownership,
      [t.name, t.side, t.number, t.level, t.direct, t.effective],
      eierskap.data,
      ({ oppover, nedover }) => [
        ...(oppover?.eiere ?? []).map(({ eier, ledd, direkteProsent, effektivProsent }) => [
          eier.skjult ? t.hidden : (eier.navn ?? t.unknown),
          t.owner,
          eier.organisasjonsnummer,
          ledd,
          direkteProsent,
          effektivProsent,
        ]),
        ...(oppover?.mellomledd ?? []).map(({ foretak, ledd, direkteProsent, effektivProsent }) => [
          foretak.navn ?? t.unknown,
          t.between,
          foretak.organisasjonsnummer,
          ledd,
          direkteProsent,
          effektivProsent,
        ]),
        ...[...(nedover?.datterselskap ?? []), ...(nedover?.tilknyttede ?? [])].map(
          ({ navn, organisasjonsnummer, ledd, prosent }) => [
            navn ?? t.unknown,
            t.owned,
            organisasjonsnummer,
            ledd,
            prosent,
            null,
          ],
        ),
      ],
    ),
    part(
      'underenheter',
      t.subUnits,
      [t.name, t.number, t.place, t.employees],
      underenheter.data,
      ({ storste }) =>
        storste.map(({ navn, organisasjonsnummer, beliggenhetsadresse, antallAnsatte }) => [
          navn ?? t.unknown,
          organisasjonsnummer,
          beliggenhetsadresse?.poststed ?? null,
          antallAnsatte.antall,
        ]),
    ),
    part(
      'rollerIAndreForetak',
      t.rolesElsewhere,
      [t.name, t.number, t.role, t.current],
      rollerIAndreForetak.data,
      ({ foretak }) =>
        foretak.flatMap(({ navn, organisasjonsnummer, roller: held }) =>
          (held ?? []).map(({ rolle, gjeldende }) => [
            navn ?? t.unknown,
            organisasjonsnummer,
            rolle?.beskrivelse ?? rolle?.kode ?? null,
            gjeldende === null ? t.unknown : gjeldende ? t.yes : t.no,
          ]),
        ),
    ),
    part(
      'regnskap',
      t.figures,
      [t.figure, t.year, t.kind, t.currency, t.amount, t.state],
      regnskap.data,
      (data) =>
        data.aar.flatMap(({ periode, selskap, konsern }) =>
          (
            [
              [t.ofCompany, selskap],
              [t.ofGroup, konsern],
            ] as const
          ).flatMap(([kind, accounts]) =>
            accounts === null
              ? []
              : Object.entries(accounts.nokkeltall).map(([name, { belop, opplysning }]) => [
                  name,
                  Number(periode.tilDato.slice(0, 4)),
                  kind,
                  accounts.valuta,
                  belop,
                  opplysning,
                ]),
          ),
        ),
    ),
    part('regnskapskopier', t.copies, [t.year, t.link], record.regnskapskopier.data, ({ kopier }) =>
      kopier === null ? [[t.unknown, null]] : kopier.map(({ aar, lenke }) => [aar, lenke]),
    ),
    part('kunngjoringer', t.announcements, [t.title, t.date, t.link], kunngjoringer.data, (data) =>
      data.kunngjoringer.map(({ tittel, dato, lenke }) => [tittel, dato, lenke]),
    ),
    part('konsern', t.group, groupColumns[language], record.konsern.data, (data) =>
      groupRows(data, language),
    ),
    {
      name: t.samePersons,
      columns: [t.role, t.mayBe],
      rows:
        record.muligSammePerson === null ? [[t.notCompared]] : possiblySame(record).map((pair) => [...pair]),
    },
    {
      name: t.sources,
      columns: [t.part, t.source, t.licence, t.asOf, t.fetched, t.state, t.reason],
      rows: sections.map(({ name, title }) => {
        const { kilde, lisens, gjelderPer, hentet, tilstand, arsak } = record.kilder[name]
        return [
          title[language],
          kilde,
          lisens,
          gjelderPer,
          hentet,
          stateText(tilstand, language),
          arsak?.beskrivelse ?? null,
        ]
      }),
    },
  ]
}

function factRows(record: Bedrift, language: Language): Cell[][] {
  const t = words[language]
  const authority = (name: 'signatur' | 'prokura'): Cell[] => {
    const data: Fullmakt | null = record[name].data
    const { tilstand, arsak } = record.kilder[name]
    const missing = [stateText(tilstand, language), arsak?.beskrivelse].filter(Boolean).join(': ')
    return [t[name], data === null ? missing : authorityText(data, language)]
  }
  return [
    [t.name, record.navn],
    [t.number, record.organisasjonsnummer],
    [t.form, record.organisasjonsform?.beskrivelse ?? record.organisasjonsform?.kode ?? null],
    ...companyFacts(record, language).map(([name, value]) => [name, value]),
    authority('signatur'),
    authority('prokura'),
  ]
}

function lacking({ kilder }: Bedrift, name: keyof Bedrift['kilder'], language: Language): Cell[] {
  const { tilstand, arsak } = kilder[name]
  return [[stateText(tilstand, language), arsak?.beskrivelse].filter(Boolean).join(': ')]
}

function rolesOf({ styre, ...others }: Roller): Rolle[] {
  const {
    innehaver,
    deltakere,
    dagligLeder,
    bostyrer,
    revisor,
    regnskapsforer,
    kontaktperson,
    ovrige,
    uavklart,
  } = others
  return [
    innehaver,
    deltakere,
    dagligLeder,
    ...Object.values(styre),
    bostyrer,
    revisor,
    regnskapsforer,
    kontaktperson,
    ovrige,
    uavklart,
  ].flatMap((list) => list ?? [])
}

const words = {
  nb: {
    company: 'Foretaket',
    what: 'Opplysning',
    value: 'Verdi',
    name: 'Navn',
    number: 'Org.nr.',
    form: 'Organisasjonsform',
    signatur: 'Signatur',
    prokura: 'Prokura',
    roles: 'Roller',
    role: 'Rolle',
    born: 'Født',
    unknown: 'Ukjent',
    hidden: 'Vises ikke',
    owners: 'Aksjonærer',
    year: 'År',
    country: 'Land',
    shares: 'Aksjer',
    percent: 'Prosent',
    changes: 'Endringer blant aksjonærene',
    change: 'Endring',
    before: 'Aksjer før',
    after: 'Aksjer etter',
    kinds: { inn: 'kom inn', ut: 'gikk ut', opp: 'flere', ned: 'færre' },
    ownership: 'Eierskap',
    side: 'Side',
    owner: 'eier',
    between: 'mellomledd',
    owned: 'eies av foretaket',
    level: 'Ledd',
    direct: 'Direkte prosent',
    effective: 'Prosent i alt',
    subUnits: 'Underenheter, de største',
    place: 'Sted',
    employees: 'Ansatte',
    rolesElsewhere: 'Roller i andre foretak',
    copies: 'Kopier av årsregnskap',
    current: 'Gjelder',
    yes: 'ja',
    no: 'nei',
    figures: 'Nøkkeltall',
    figure: 'Tall',
    kind: 'Regnskap',
    ofCompany: 'selskap',
    ofGroup: 'konsern',
    currency: 'Valuta',
    amount: 'Beløp',
    state: 'Tilstand',
    announcements: 'Kunngjøringer',
    title: 'Tittel',
    date: 'Dato',
    link: 'Lenke',
    group: 'Konsern',
    samePersons: 'Kan være samme person',
    mayBe: 'Aksjonær, kanskje den samme',
    notCompared: 'Ikke sammenlignet: roller eller aksjonærer mangler',
    sources: 'Kilder',
    part: 'Del',
    source: 'Kilde',
    licence: 'Lisens',
    asOf: 'Gjelder per',
    fetched: 'Hentet',
    reason: 'Årsak',
  },
  en: {
    company: 'The company',
    what: 'Fact',
    value: 'Value',
    name: 'Name',
    number: 'Org. no.',
    form: 'Form of company',
    signatur: 'Who may sign',
    prokura: 'Prokura',
    roles: 'Roles',
    role: 'Role',
    born: 'Born',
    unknown: 'Unknown',
    hidden: 'Not shown',
    owners: 'Shareholders',
    year: 'Year',
    country: 'Country',
    shares: 'Shares',
    percent: 'Per cent',
    changes: 'Changes of shareholders',
    change: 'Change',
    before: 'Shares before',
    after: 'Shares after',
    kinds: { inn: 'came', ut: 'left', opp: 'more', ned: 'fewer' },
    ownership: 'Ownership',
    side: 'Side',
    owner: 'owner',
    between: 'in between',
    owned: 'owned by the company',
    level: 'Level',
    direct: 'Direct per cent',
    effective: 'Per cent in all',
    subUnits: 'Sub-units, the largest',
    place: 'Place',
    employees: 'Employees',
    rolesElsewhere: 'Roles in other companies',
    copies: 'Copies of accounts',
    current: 'Current',
    yes: 'yes',
    no: 'no',
    figures: 'Key figures',
    figure: 'Figure',
    kind: 'Accounts',
    ofCompany: 'company',
    ofGroup: 'group',
    currency: 'Currency',
    amount: 'Amount',
    state: 'State',
    announcements: 'Announcements',
    title: 'Title',
    date: 'Date',
    link: 'Link',
    group: 'Group',
    samePersons: 'May be the same person',
    mayBe: 'Shareholder, perhaps the same',
    notCompared: 'Not compared: roles or shareholders are missing',
    sources: 'Sources',
    part: 'Part',
    source: 'Source',
    licence: 'Licence',
    asOf: 'As of',
    fetched: 'Fetched',
    reason: 'Reason',
  },
}
