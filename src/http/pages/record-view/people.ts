import { html } from 'ghtml'
import type { Bedrift } from '#src/record/record.ts'
import type { Fullmakt } from '#src/record/sections/fullmakt.ts'
import type { Rolle, Roller } from '#src/record/sections/roller.ts'
import type { Language } from '../../problems.ts'
import { missing } from './section-state.ts'

/** Who leads and who sits on the board. Of a birth date the year is shown: it is enough to tell two apart. */
export function people(data: Roller, language: Language): string {
  const t = words[language]
  const {
    dagligLeder,
    styre,
    revisor,
    regnskapsforer,
    innehaver,
    deltakere,
    bostyrer,
    kontaktperson,
    ovrige,
  } = data
  return html`<div class="folk">
!${group(t.lead, [...innehaver, ...deltakere, ...dagligLeder], language)}
!${group(t.board, Object.values(styre).flat(), language)}
!${group(t.estate, bostyrer, language)}
!${group(t.audit, [...revisor, ...regnskapsforer], language)}
!${group(t.others, [...kontaktperson, ...ovrige], language)}
</div>`
}

/** Who may sign for the company. */
export function authorities(record: Bedrift, language: Language): string {
  const t = words[language]
  const rows = (['signatur', 'prokura'] as const).map((name) => {
    const { data } = record[name]
    return html`<div><dt>${t[name]}</dt><dd>!${data === null ? missing(record, name, language) : html`${rule(data, language)}`}</dd></div>`
  })
  return html`<dl class="fakta fakta--fullmakt">!${rows}</dl>`
}

function group(title: string, roles: readonly Rolle[], language: Language): string {
  if (roles.length === 0) return ''
  const t = words[language]
  return html`<div><h3 class="ds-heading" data-size="2xs">${title}</h3>
<ul>!${roles.map(({ rolle, rolleinnehaver, valgtAvAnsatte }) => {
    const born =
      rolleinnehaver.type === 'person' && rolleinnehaver.fodselsdato !== null
        ? t.born(rolleinnehaver.fodselsdato.slice(0, 4))
        : ''
    const about = [rolle.beskrivelse ?? rolle.kode, born, valgtAvAnsatte ? t.byEmployees : '']
    return html`<li><span class="folk__navn">${rolleinnehaver.navn ?? t.unknown}</span> <span class="dempet">${about.filter((part) => part !== '').join(', ')}</span></li>`
  })}</ul></div>`
}

function rule(authority: Fullmakt, language: Language): string {
  if (authority.registrert === false) return words[language].none
  return (
    authority.fritekst ??
    authority.kombinasjoner.flatMap(({ kombinasjon }) => kombinasjon?.beskrivelse ?? []).join('. ')
  )
}

const words = {
  nb: {
    lead: 'Ledelse',
    board: 'Styre',
    estate: 'Bostyrer',
    audit: 'Revisor og regnskapsfører',
    others: 'Andre',
    signatur: 'Signatur',
    prokura: 'Prokura',
    none: 'Ingen registrert',
    unknown: 'Ukjent',
    byEmployees: 'valgt av de ansatte',
    born: (year: string) => `f. ${year}`,
  },
  en: {
    lead: 'Management',
    board: 'Board',
    estate: 'Administrator of the estate',
    audit: 'Auditor and accountant',
    others: 'Others',
    signatur: 'Who may sign',
    prokura: 'Prokura',
    none: 'None registered',
    unknown: 'Unknown',
    byEmployees: 'elected by the employees',
    born: (year: string) => `b. ${year}`,
  },
}
