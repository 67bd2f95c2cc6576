import { html } from 'ghtml'
import { type Bedrift, type SectionName, sectionNames } from '#src/record/record.ts'
import type { Language } from '../../problems.ts'
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
!${sectionNames.map((name) => {
    const { kilde, gjelderPer, tilstand, arsak } = kilder[name]
    const color = tilstand === 'utilgjengelig' ? 'warning' : tilstand === 'fersk' ? 'success' : 'neutral'
    return html`<tr role="row"><th role="rowheader" scope="row">${t.names[name]}</th><td role="cell">${kilde}</td><td role="cell" data-navn="${t.asOf}">${gjelderPer === null ? '–' : dateText(gjelderPer, language)}</td><td role="cell"><span class="ds-tag" data-color="${color}">${stateText(tilstand, language)}</span>!${arsak === null ? '' : html`<span class="kilder__arsak dempet" lang="nb">${arsak.beskrivelse}</span>`}</td></tr>`
  })}
</tbody>
</table>
</div>`
}

type Names = Record<SectionName, string>

const words: Record<
  Language,
  { table: string; section: string; source: string; asOf: string; state: string; names: Names }
> = {
  nb: {
    table: 'Kilder og tilstand, tabell',
    section: 'Del',
    source: 'Kilde',
    asOf: 'Gjelder per',
    state: 'Tilstand',
    names: {
      enhet: 'Foretaket',
      overordnetEnhet: 'Overordnet enhet',
      adresser: 'Adresser',
      status: 'Status',
      roller: 'Roller',
      signatur: 'Signatur',
      prokura: 'Prokura',
      naering: 'Næring (SN2025)',
      sn2007: 'Næring (SN2007)',
      regnskap: 'Regnskap',
      kunngjoringer: 'Kunngjøringer',
      aksjonaerer: 'Aksjonærer',
      eierskap: 'Eierskap',
    },
  },
  en: {
    table: 'Sources and state, table',
    section: 'Part',
    source: 'Source',
    asOf: 'As of',
    state: 'State',
    names: {
      enhet: 'The company',
      overordnetEnhet: 'Parent unit',
      adresser: 'Addresses',
      status: 'Status',
      roller: 'Roles',
      signatur: 'Signature',
      prokura: 'Prokura',
      naering: 'Industry (SN2025)',
      sn2007: 'Industry (SN2007)',
      regnskap: 'Accounts',
      kunngjoringer: 'Announcements',
      aksjonaerer: 'Shareholders',
      eierskap: 'Ownership',
    },
  },
}
