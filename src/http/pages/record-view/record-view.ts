import { html } from 'ghtml'
import type { Bedrift } from '#src/record/record.ts'
import type { Language } from '../../problems.ts'
import { basics, recordHead } from './basics.ts'
import { keyFigures } from './key-figures.ts'
import { ownershipFigure } from './ownership.ts'
import { people } from './people.ts'
import { provenanceTable } from './provenance-table.ts'
import { stateText } from './wording.ts'

/** A whole record for people to read. Every part that is not there says so. */
export function recordView(record: Bedrift, language: Language): string {
  const t = words[language]
  return html`<article class="oppslag" lang="${language}">
!${recordHead(record, language, 'h1')}
!${part('om', t.about, basics(record, language))}
!${part('folk', t.people, people(record, language))}
!${part('eierskap', t.ownership, record.eierskap.data === null ? missing(record, 'eierskap', language) : ownershipFigure(record.eierskap.data, language, 'eierskap'))}
!${part('regnskap', t.figures, record.regnskap.data === null ? missing(record, 'regnskap', language) : keyFigures(record.regnskap.data, language, 'regnskap'))}
!${part('kunngjoringer', t.announcements, announcements(record, language))}
!${part('kilder', t.sources, provenanceTable(record, language))}
</article>`
}

/** The pictures alone, for where a record is shown in passing. */
export function recordExcerpt(record: Bedrift, language: Language): string {
  const t = words[language]
  const { eierskap, regnskap } = record
  return html`<div class="oppslag oppslag--utdrag">
!${recordHead(record, language, 'h2')}
!${eierskap.data === null ? '' : html`<h3 class="ds-heading" data-size="xs">${t.ownership}</h3>!${ownershipFigure(eierskap.data, language, 'utdrag-eier')}`}
!${regnskap.data === null ? '' : html`<h3 class="ds-heading" data-size="xs">${t.figures}</h3>!${keyFigures(regnskap.data, language, 'utdrag-tall')}`}
</div>`
}

function part(id: string, title: string, content: string): string {
  return html`<section class="oppslag__del" aria-labelledby="del-${id}"><h2 class="ds-heading" data-size="sm" id="del-${id}">${title}</h2>
!${content}
</section>`
}

function announcements(record: Bedrift, language: Language): string {
  const { data } = record.kunngjoringer
  if (data === null) return missing(record, 'kunngjoringer', language)
  return html`<ul class="kunngjoringer">!${data.kunngjoringer.map(({ dato, tittel, lenke }) => html`<li><time datetime="${dato}">${dato}</time> <a class="ds-link" href="${lenke}">${tittel}</a></li>`)}</ul>`
}

function missing(
  { kilder }: Bedrift,
  name: 'eierskap' | 'regnskap' | 'kunngjoringer',
  language: Language,
): string {
  const { tilstand, arsak } = kilder[name]
  return html`<p class="mangler"><span class="ds-tag" data-color="warning">${stateText(tilstand, language)}</span> <span lang="nb">${arsak?.tekst ?? ''}</span> <span>${words[language].notEmpty}</span></p>`
}

const words = {
  nb: {
    about: 'Om foretaket',
    people: 'Roller og fullmakter',
    ownership: 'Eierskap',
    figures: 'Nøkkeltall',
    announcements: 'Kunngjøringer',
    sources: 'Kilder og tilstand',
    notEmpty: 'Det betyr ikke at det er ingenting: vi vet det ikke nå, og sier det.',
  },
  en: {
    about: 'About the company',
    people: 'Roles and authority',
    ownership: 'Ownership',
    figures: 'Key figures',
    announcements: 'Announcements',
    sources: 'Sources and state',
    notEmpty: 'That does not mean that there is nothing: we do not know now, and say so.',
  },
}
