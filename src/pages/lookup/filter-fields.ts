import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Filters } from '#src/storage/search/candidates.ts'
import { stateOfCompany } from '../record-view/basics.ts'
import { forms } from './read-query.ts'

/** What narrows a search, within its form. Open when something is set, so that nobody wonders what is missing. */
export function filterFields(filters: Filters, language: Language): string {
  const t = words[language]
  const isSet = Object.values(filters).some((each) => each !== null)
  const select = (
    name: string,
    label: string,
    chosen: string | null,
    options: readonly (readonly [value: string, label: string])[],
  ) => html`<div class="ds-field">
<label class="ds-label" for="filter-${name}">${label}</label>
<select class="ds-input" id="filter-${name}" name="${name}">
<option value="">${t.any}</option>
!${options.map(([value, text]) => html`<option value="${value}"!${value === chosen ? ' selected' : ''}>${text}</option>`)}
</select>
</div>`
  const amount = (
    name: string,
    label: string,
    value: string | number | null,
    shape: string,
  ) => html`<div class="ds-field">
<label class="ds-label" for="filter-${name}">${label}</label>
<input class="ds-input" id="filter-${name}" name="${name}" value="${value ?? ''}" inputmode="decimal" maxlength="7" pattern="${shape}">
</div>`
  const known = filters.organisasjonsform
  const codes = known === null || forms.some((each) => each === known) ? forms : [known, ...forms]
  return html`<details class="ds-details filtre"!${isSet ? ' open' : ''}>
<summary>${t.title}</summary>
<div class="filtre__felt">
!${select(
    'organisasjonsform',
    t.form,
    known,
    codes.map((each) => [each, each]),
  )}
!${select('fylke', t.county, filters.fylke, COUNTIES)}
!${select(
    'tilstand',
    t.state,
    filters.foretakstilstand,
    STATES.map((each) => [each, stateOfCompany(each, language)]),
  )}
!${select('type', t.type, filters.type, [
    ['enhet', t.main],
    ['underenhet', t.sub],
  ])}
!${amount('naeringskode', t.industry, filters.naeringskoder?.[0] ?? null, '[0-9]{2}(\\.[0-9]{0,3})?')}
!${amount('ansatteFra', t.from, filters.ansatteFra, '[0-9]{1,7}')}
!${amount('ansatteTil', t.until, filters.ansatteTil, '[0-9]{1,7}')}
</div>
</details>`
}

/** The counties since 2024, by the first two digits of their municipalities' numbers (SSB, classification 104). */
const COUNTIES = [
  ['03', 'Oslo'],
  ['11', 'Rogaland'],
  ['15', 'Møre og Romsdal'],
  ['18', 'Nordland'],
  ['21', 'Svalbard'],
  ['31', 'Østfold'],
  ['32', 'Akershus'],
  ['33', 'Buskerud'],
  ['34', 'Innlandet'],
  ['39', 'Vestfold'],
  ['40', 'Telemark'],
  ['42', 'Agder'],
  ['46', 'Vestland'],
  ['50', 'Trøndelag'],
  ['55', 'Troms'],
  ['56', 'Finnmark'],
] as const

const STATES = [
  'aktiv',
  'konkurs',
  'under_avvikling',
  'tvangsopplosning',
  'tvangsavvikling',
  'rekonstruksjon',
  'slettet',
] as const

const words = {
  nb: {
    title: 'Filtre',
    any: 'Alle',
    form: 'Organisasjonsform',
    county: 'Fylke',
    state: 'Tilstand',
    type: 'Slag',
    main: 'Foretak',
    sub: 'Underenheter',
    industry: 'Næringskode',
    from: 'Ansatte, fra',
    until: 'Ansatte, til',
  },
  en: {
    title: 'Filters',
    any: 'All',
    form: 'Form of company',
    county: 'County',
    state: 'State',
    type: 'Kind',
    main: 'Companies',
    sub: 'Sub-units',
    industry: 'Industry code',
    from: 'Employees, from',
    until: 'Employees, to',
  },
}
