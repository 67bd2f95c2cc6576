import { html } from 'ghtml'
import type { Bedrift } from '#src/record/record.ts'
import type { Fullmakt } from '#src/record/sections/fullmakt.ts'
import type { Rolle } from '#src/record/sections/roller.ts'
import type { Language } from '../../problems.ts'

/** Who leads, who sits on the board, and who may sign. Of a birth date the year is shown: it is enough to tell two apart. */
export function people({ roller, signatur, prokura }: Bedrift, language: Language): string {
  const t = words[language]
  const data = roller.data
  if (data === null) return html`<p class="dempet">${t.unavailable}</p>`
  const board = Object.values(data.styre).flat()
  const rest = [...data.revisor, ...data.regnskapsforer, ...data.innehaver, ...data.deltakere]
  return html`<div class="folk">
!${group(t.lead, data.dagligLeder, language)}
!${group(t.board, board, language)}
!${group(t.others, rest, language)}
</div>
<dl class="fakta fakta--fullmakt">
<div><dt>${t.signature}</dt><dd>${rule(signatur.data, language)}</dd></div>
<div><dt>${t.prokura}</dt><dd>${rule(prokura.data, language)}</dd></div>
</dl>`
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

function rule(authority: Fullmakt | null, language: Language): string {
  const t = words[language]
  if (authority === null) return t.unavailable
  if (authority.registrert === false) return t.none
  return (
    authority.fritekst ??
    authority.kombinasjoner.flatMap(({ tekst }) => (tekst === null ? [] : [tekst])).join('. ')
  )
}

const words = {
  nb: {
    lead: 'Ledelse',
    board: 'Styre',
    others: 'Revisor og regnskapsfører',
    signature: 'Signatur',
    prokura: 'Prokura',
    none: 'Ingen registrert',
    unavailable: 'Kilden svarte ikke, så dette er ikke kjent akkurat nå.',
    unknown: 'Ukjent',
    byEmployees: 'valgt av de ansatte',
    born: (year: string) => `f. ${year}`,
  },
  en: {
    lead: 'Management',
    board: 'Board',
    others: 'Auditor and accountant',
    signature: 'Who may sign',
    prokura: 'Prokura',
    none: 'None registered',
    unavailable: 'The source did not answer, so this is not known just now.',
    unknown: 'Unknown',
    byEmployees: 'elected by the employees',
    born: (year: string) => `b. ${year}`,
  },
}
