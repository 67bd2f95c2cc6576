import { html } from 'ghtml'
import type { Eierskap } from '#src/record/eierskap/eierskap.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Language } from '../../problems.ts'
import { basics, recordHead } from './basics.ts'
import { keyFigures } from './key-figures.ts'
import { ownershipFigure } from './ownership.ts'
import { authorities, people } from './people.ts'
import { provenanceTable } from './provenance-table.ts'
import { missing, olderCopy } from './section-state.ts'

/** A whole record for people to read. Every part that is not there says so. */
export function recordView(record: Bedrift, language: Language): string {
  const t = words[language]
  const { eierskap, regnskap, kunngjoringer } = record
  const shown = (name: 'roller' | 'eierskap' | 'regnskap' | 'kunngjoringer', content: string | null) =>
    content === null
      ? missing(record, name, language)
      : html`!${olderCopy(record, name, language)}!${content}`
  return html`<article class="oppslag" lang="${language}">
!${recordHead(record, language, 'h1')}
!${part('om', t.about, basics(record, language))}
!${part('folk', t.people, html`!${shown('roller', record.roller.data && people(record.roller.data, language))}!${authorities(record, language)}`)}
!${part('eierskap', t.ownership, shown('eierskap', eierskap.data && ownershipFigure(named(eierskap.data, record), language, 'eierskap')))}
!${part('regnskap', t.figures, shown('regnskap', regnskap.data && keyFigures(regnskap.data, language, 'regnskap')))}
!${part('kunngjoringer', t.announcements, shown('kunngjoringer', kunngjoringer.data && announcements(kunngjoringer.data)))}
!${part('kilder', t.sources, provenanceTable(record, language))}
</article>`
}

/** The pictures alone, for where a record is shown in passing. */
export function recordExcerpt(record: Bedrift, language: Language): string {
  const t = words[language]
  const { eierskap, regnskap } = record
  return html`<div class="oppslag oppslag--utdrag">
!${recordHead(record, language, 'h2')}
!${eierskap.data === null ? '' : html`<h3 class="ds-heading" data-size="xs">${t.ownership}</h3>!${ownershipFigure(named(eierskap.data, record), language, 'utdrag-eier')}`}
!${regnskap.data === null ? '' : html`<h3 class="ds-heading" data-size="xs">${t.figures}</h3>!${keyFigures(regnskap.data, language, 'utdrag-tall')}`}
</div>`
}

/** The shareholder register knows the names of those that have a share book; the record knows its own. */
function named(eierskap: Eierskap, { navn }: Bedrift): Eierskap {
  return { ...eierskap, navn: eierskap.navn ?? navn }
}

function part(id: string, title: string, content: string): string {
  return html`<section class="oppslag__del" aria-labelledby="del-${id}"><h2 class="ds-heading" data-size="sm" id="del-${id}">${title}</h2>
!${content}
</section>`
}

function announcements({ kunngjoringer }: NonNullable<Bedrift['kunngjoringer']['data']>): string {
  return html`<ul class="kunngjoringer">!${kunngjoringer.map(({ dato, tittel, lenke }) => html`<li><time datetime="${dato}">${dato}</time> <a class="ds-link" href="${lenke}">${tittel}</a></li>`)}</ul>`
}

const words = {
  nb: {
    about: 'Om foretaket',
    people: 'Roller og fullmakter',
    ownership: 'Eierskap',
    figures: 'Nøkkeltall',
    announcements: 'Kunngjøringer',
    sources: 'Kilder og tilstand',
  },
  en: {
    about: 'About the company',
    people: 'Roles and authority',
    ownership: 'Ownership',
    figures: 'Key figures',
    announcements: 'Announcements',
    sources: 'Sources and state',
  },
}
