import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import { sections } from '#src/record/sections.ts'
import { dateText, stateText } from './wording.ts'

/**
 * Where each part comes from, as of when, and why one is not there. On a phone each row stands as a block of its own, so that no
 * column is out of sight; the roles say that it is a table all the same.
 */
export function provenanceTable({ kilder }: Bedrift, language: Language): string {
  const t = words[language]
  return html`<div class="rull" tabindex="0" role="region" aria-label="${t.table}">
<table class="ds-table kilder" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">${t.section}</th><th role="columnheader" scope="col">${t.source}</th><th role="columnheader" scope="col">${t.asOf}</th><th role="columnheader" scope="col">${t.state}</th></tr></thead>
<tbody role="rowgroup">
!${sections.map(({ name, title }) => {
    const { kilde, gjelderPer, tilstand, arsak } = kilder[name]
    const color = tilstand === 'utilgjengelig' ? 'warning' : tilstand === 'fersk' ? 'success' : 'neutral'
    return html`<tr role="row"><th role="rowheader" scope="row">${title[language]}</th><td role="cell">${kilde}</td><td role="cell" data-navn="${t.asOf}">${gjelderPer === null ? '–' : dateText(gjelderPer, language)}</td><td role="cell"><span class="ds-tag" data-color="${color}">${stateText(tilstand, language)}</span>!${arsak === null ? '' : html`<span class="kilder__arsak dempet" lang="nb">${arsak.beskrivelse}</span>`}</td></tr>`
  })}
</tbody>
</table>
</div>`
}

const words: Record<
  Language,
  { table: string; section: string; source: string; asOf: string; state: string }
> = {
  nb: {
    table: 'Kilder og tilstand, tabell',
    section: 'Del',
    source: 'Kilde',
    asOf: 'Gjelder per',
    state: 'Tilstand',
  },
  en: {
    table: 'Sources and state, table',
    section: 'Part',
    source: 'Source',
    asOf: 'As of',
    state: 'State',
  },
}
