import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Adresse } from '#src/record/sections/adresser.ts'
import { type LinkTo, linked } from './link-to.ts'
import { dateText, numberText, orgnrText, worded } from './wording.ts'

/** Name, number and state: what stands over everything else. */
export function recordHead(record: Bedrift, language: Language, level: 'h1' | 'h2'): string {
  const t = words[language]
  // A sub-unit has no state of its own.
  const state =
    record.status.tilstand === 'ikke_relevant' ? null : (record.status.data?.foretakstilstand ?? 'ukjent')
  const shown =
    state === null
      ? ''
      : html`<span class="ds-tag" data-color="${stateColor(state)}">${worded(t.states, state)}</span>`
  const name = record.navn ?? t.unread
  const form = record.organisasjonsform
  const heading =
    level === 'h1'
      ? html`<h1 class="ds-heading" data-size="lg">${name}</h1>`
      : html`<h2 class="ds-heading" data-size="md">${name}</h2>`
  return html`<div class="foretak">
!${heading}
<p class="foretak__linje"><span>${t.number} ${orgnrText(record.organisasjonsnummer)}</span> <span>${form?.beskrivelse ?? form?.kode ?? t.unreadForm}</span> !${shown}</p>
</div>`
}

/** What a company is, in the words people look for. What the register does not state is left out. */
export function basics(record: Bedrift, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const parent = record.overordnetEnhet
  const above =
    parent.organisasjonsnummer === null
      ? ''
      : html`<div><dt>${t.parent}</dt><dd>!${linked([parent.data?.navn, orgnrText(parent.organisasjonsnummer)].filter(Boolean).join(', '), parent.organisasjonsnummer, linkTo)}</dd></div>`
  return html`<dl class="fakta">!${above}!${companyFacts(record, language).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** Name and value of what the register states, but for who the company is and whose it is. */
export function companyFacts(
  record: Bedrift,
  language: Language,
): (readonly [name: string, value: string])[] {
  const t = words[language]
  const {
    forretningsadresse: address = null,
    beliggenhetsadresse: location = null,
    postadresse: post = null,
  } = record.adresser.data ?? {}
  const { naeringskoder, hjelpeenhetskode, aktivitet, vedtektsfestetFormaal } = record.naering.data ?? {}
  const coded = (code: { kode: string | null; beskrivelse: string | null } | null | undefined) =>
    code == null ? null : [code.beskrivelse, code.kode && `(${code.kode})`].filter(Boolean).join(' ')
  const capital = record.kapital
  const facts: [string, string | null][] = [
    [t.deleted, record.slettedato === null ? null : dateText(record.slettedato, language)],
    ...proceedings(record, language),
    [t.notes, record.status.data?.paategninger?.map(({ tekst }) => tekst ?? '').join(' ') || null],
    [t.address, address === null ? null : addressText(address)],
    [t.location, location === null ? null : addressText(location)],
    [t.post, post === null ? null : addressText(post)],
    [
      t.contact,
      [record.telefon, record.mobil, record.epostadresse, record.hjemmeside].filter(Boolean).join(', ') ||
        null,
    ],
    [t.industry, naeringskoder?.map(({ sn2025 }) => coded(sn2025)).join('; ') || null],
    [t.auxiliary, coded(hjelpeenhetskode)],
    [t.sector, coded(record.institusjonellSektorkode)],
    [t.employees, employees(record, language)],
    [t.founded, record.stiftelsesdato === null ? null : dateText(record.stiftelsesdato, language)],
    [t.closed, record.nedleggelsesdato === null ? null : dateText(record.nedleggelsesdato, language)],
    [t.registered, registrations(record, language)],
    [
      t.capital,
      capital === null || capital.belop === null
        ? null
        : t.capitalText(
            numberText(capital.belop, language),
            capital.valuta ?? 'NOK',
            capital.antallAksjer === null ? null : numberText(capital.antallAksjer, language),
          ),
    ],
    [t.vat, record.registrertIMvaregisteret === null ? null : t.yesNo(record.registrertIMvaregisteret)],
    [t.earlier, record.historiskeNavn?.map(({ navn }) => navn).join(', ') || null],
    [t.activity, aktivitet ?? null],
    [t.purpose, vedtektsfestetFormaal ?? null],
    [t.statutes, record.vedtektsdato === null ? null : dateText(record.vedtektsdato, language)],
    [t.lastAccounts, record.sisteInnsendteAarsregnskap],
    [
      t.noAudit,
      record.fravalgRevisjonDato === null ? null : t.since(dateText(record.fravalgRevisjonDato, language)),
    ],
    [
      t.abroad,
      [
        record.utenlandskRegisterNavn,
        record.registreringsnummerIHjemlandet,
        record.foretaksformIHjemlandet?.beskrivelse,
        record.underlagtLovgivningLand,
      ]
        .filter(Boolean)
        .join(', ') || null,
    ],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** What has been set going against or by the company, each with its date: the tag over the page says only the gravest. */
function proceedings({ status: { data } }: Bedrift, language: Language): [string, string | null][] {
  if (data === null) return []
  const t = words[language]
  const dated = (dato: string | null) => (dato === null ? t.undated : t.since(dateText(dato, language)))
  const {
    konkurs,
    underAvvikling,
    rekonstruksjon,
    utenlandskInsolvens,
    tvangsavviklingEllerTvangsopplosning,
  } = data
  const some = (
    [
      [t.states.konkurs, konkurs],
      [t.states.under_avvikling, underAvvikling],
      [t.states.rekonstruksjon, rekonstruksjon],
      [t.states.utenlandsk_insolvens, utenlandskInsolvens],
    ] as const
  ).map(([name, { gjelder, dato }]): [string, string | null] => [name, gjelder === true ? dated(dato) : null])
  const { gjelder, grunner } = tvangsavviklingEllerTvangsopplosning
  const reasons = (grunner ?? []).map(({ grunn, dato }) => `${worded(t.reasons, grunn)}, ${dated(dato)}`)
  return [
    ...some,
    [
      t.states.tvangsavvikling_eller_tvangsopplosning,
      gjelder === true ? reasons.join('; ') || t.undated : null,
    ],
  ]
}

/** Red where there is no going on, yellow where it is in doubt. The words stand in the tag: a colour alone tells nothing. */
export function stateColor(state: string): 'success' | 'danger' | 'warning' {
  if (state === 'aktiv') return 'success'
  return state === 'slettet' || state === 'konkurs' ? 'danger' : 'warning'
}

export function stateOfCompany(state: string, language: Language): string {
  return worded(words[language].states, state)
}

function employees({ antallAnsatte }: Bedrift, language: Language): string | null {
  const t = words[language]
  switch (antallAnsatte.opplysning) {
    case 'oppgitt':
      return antallAnsatte.antall === null ? null : numberText(antallAnsatte.antall, language)
    case 'tilbakeholdt_1_til_4':
      return t.fewEmployees
    case 'ingen_registrert':
      return t.noEmployees
    default:
      return null
  }
}

/** When it came into each register. Of two days for the same register the earlier is shown. */
function registrations(record: Bedrift, language: Language): string | null {
  const t = words[language]
  const days: [string, (string | null)[]][] = [
    [t.registers.enhet, [record.registreringsdatoEnhetsregisteret]],
    [t.registers.foretak, [record.registreringsdatoForetaksregisteret]],
    [
      t.registers.mva,
      [
        record.registreringsdatoMerverdiavgiftsregisteret,
        record.registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret,
      ],
    ],
    [t.registers.frivilligMva, [record.registreringsdatoFrivilligMerverdiavgiftsregisteret]],
    [t.registers.frivillig, [record.registreringsdatoFrivillighetsregisteret]],
    [t.registers.parti, [record.registreringsdatoPartiregisteret]],
    [
      t.registers.ansatte,
      [
        record.registreringsdatoAntallAnsatteNAVAaregisteret,
        record.registreringsdatoAntallAnsatteEnhetsregisteret,
      ],
    ],
  ]
  const known = days.flatMap(([register, dates]) => {
    const [first] = dates.filter((date) => date !== null).toSorted()
    return first === undefined ? [] : [`${register} ${dateText(first, language)}`]
  })
  return known.join(', ') || null
}

function addressText({ adresse, postnummer, poststed }: Adresse): string {
  return [...(adresse ?? []), [postnummer, poststed].filter((part) => part !== null).join(' ')]
    .filter((part) => part !== '')
    .join(', ')
}

const words = {
  nb: {
    number: 'Org.nr.',
    unread: 'Ukjent navn',
    unreadForm: 'Ukjent organisasjonsform',
    deleted: 'Slettet',
    parent: 'Overordnet enhet',
    notes: 'Påtegninger',
    address: 'Forretningsadresse',
    location: 'Beliggenhet',
    post: 'Postadresse',
    auxiliary: 'Hjelpeenhet for',
    sector: 'Sektor',
    purpose: 'Formål',
    statutes: 'Vedtekter sist endret',
    lastAccounts: 'Siste innsendte regnskap',
    noAudit: 'Revisjon fravalgt',
    abroad: 'I hjemlandet',
    contact: 'Kontakt',
    undated: 'dato ikke oppgitt',
    since: (date: string) => `fra ${date}`,
    reasons: {
      manglende_regnskap: 'regnskap mangler',
      manglende_revisor: 'revisor mangler',
      mangelfullt_styre: 'styret er mangelfullt',
      manglende_daglig_leder: 'daglig leder mangler',
      manglende_sletting: 'ikke meldt slettet',
    },
    industry: 'Næring',
    employees: 'Ansatte',
    fewEmployees: '1–4 (registeret viser ikke antallet)',
    noEmployees: 'Ingen registrert',
    founded: 'Stiftet',
    closed: 'Nedlagt',
    registered: 'Registrert',
    registers: {
      enhet: 'Enhetsregisteret',
      foretak: 'Foretaksregisteret',
      mva: 'Merverdiavgiftsregisteret',
      frivilligMva: 'frivillig i Merverdiavgiftsregisteret',
      frivillig: 'Frivillighetsregisteret',
      parti: 'Partiregisteret',
      ansatte: 'ansatte',
    },
    capital: 'Aksjekapital',
    capitalText: (amount: string, currency: string, shares: string | null) =>
      `${amount} ${currency === 'NOK' ? 'kr' : currency}${shares === null ? '' : ` fordelt på ${shares} aksjer`}`,
    vat: 'I Merverdiavgiftsregisteret',
    yesNo: (isSo: boolean) => (isSo ? 'Ja' : 'Nei'),
    earlier: 'Tidligere navn',
    activity: 'Aktivitet',
    states: {
      aktiv: 'Aktiv',
      slettet: 'Slettet',
      konkurs: 'Konkurs',
      tvangsopplosning: 'Under tvangsoppløsning',
      tvangsavvikling: 'Under tvangsavvikling',
      tvangsavvikling_eller_tvangsopplosning: 'Under tvangsavvikling eller tvangsoppløsning',
      under_avvikling: 'Under avvikling',
      rekonstruksjon: 'Under rekonstruksjon',
      utenlandsk_insolvens: 'Insolvens i utlandet',
      ukjent: 'Ukjent status',
    },
  },
  en: {
    number: 'Org. no.',
    unread: 'Name unknown',
    unreadForm: 'Form of company unknown',
    deleted: 'Deleted',
    parent: 'Parent unit',
    notes: 'Notes of the register',
    address: 'Business address',
    location: 'Location',
    post: 'Postal address',
    auxiliary: 'Auxiliary unit for',
    sector: 'Sector',
    purpose: 'Purpose',
    statutes: 'Statutes last changed',
    lastAccounts: 'Last filed accounts',
    noAudit: 'Audit opted out of',
    abroad: 'In the home country',
    contact: 'Contact',
    undated: 'date not stated',
    since: (date: string) => `since ${date}`,
    reasons: {
      manglende_regnskap: 'accounts are missing',
      manglende_revisor: 'no auditor',
      mangelfullt_styre: 'the board is incomplete',
      manglende_daglig_leder: 'no managing director',
      manglende_sletting: 'not reported deleted',
    },
    industry: 'Industry',
    employees: 'Employees',
    fewEmployees: '1–4 (the register withholds the number)',
    noEmployees: 'None registered',
    founded: 'Founded',
    closed: 'Closed',
    registered: 'Registered',
    registers: {
      enhet: 'Central Coordinating Register',
      foretak: 'Register of Business Enterprises',
      mva: 'VAT Register',
      frivilligMva: 'VAT Register, voluntarily,',
      frivillig: 'Register of Non-Profit Organisations',
      parti: 'Register of Political Parties',
      ansatte: 'employees',
    },
    capital: 'Share capital',
    capitalText: (amount: string, currency: string, shares: string | null) =>
      `${currency} ${amount}${shares === null ? '' : ` in ${shares} shares`}`,
    vat: 'VAT registered',
    yesNo: (isSo: boolean) => (isSo ? 'Yes' : 'No'),
    earlier: 'Earlier names',
    activity: 'Activity',
    states: {
      aktiv: 'Active',
      slettet: 'Deleted',
      konkurs: 'Bankrupt',
      tvangsopplosning: 'Under forced dissolution',
      tvangsavvikling: 'Under forced winding-up',
      tvangsavvikling_eller_tvangsopplosning: 'Under forced winding-up or dissolution',
      under_avvikling: 'Winding up',
      rekonstruksjon: 'Under reconstruction',
      utenlandsk_insolvens: 'Insolvent abroad',
      ukjent: 'State unknown',
    },
  },
}
