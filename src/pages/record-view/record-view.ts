import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Eierskap } from '#src/record/eierskap/eierskap.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Regnskapskopier } from '#src/record/sections/regnskapskopier.ts'
import type { RollerIAndreForetak } from '#src/record/sections/roller-i-andre-foretak.ts'
import type { Underenheter } from '#src/record/sections/underenheter.ts'
import type { ShownName } from '#src/record/sections.ts'
import { basics, recordHead } from './basics.ts'
import { group } from './group.ts'
import { keyFigures } from './key-figures.ts'
import { type LinkTo, linked, noLinks } from './link-to.ts'
import { missingParts } from './missing-parts.ts'
import { ownersByYear } from './owners-by-year.ts'
import { ownershipFigure } from './ownership.ts'
import { authorities, people } from './people.ts'
import { provenanceTable } from './provenance-table.ts'
import { samePersons } from './same-persons.ts'
import { missing, olderCopy } from './section-state.ts'
import { dateText } from './wording.ts'

/**
 * A whole record for people to read. Every part that is not there says so.
 *
 * @param linkTo where the other companies in it can be looked up
 * @param beneathName what can be done with it; written HTML
 */
export function recordView(
  record: Bedrift,
  language: Language,
  linkTo: LinkTo = noLinks,
  beneathName = '',
): string {
  const t = words[language]
  const { aksjonaerer, eierskap, regnskap, kunngjoringer } = record
  const shown = (name: Exclude<ShownName, 'overordnetEnhet'>, content: string | null) =>
    content === null
      ? missing(record, name, language)
      : html`!${olderCopy(record, name, language)}!${content}`
  return html`<article class="oppslag" lang="${language}">
!${recordHead(record, language, 'h1')}
!${beneathName}
!${missingParts(record, language)}
!${part('om', t.about, basics(record, language, linkTo))}
!${part('folk', t.people, html`!${shown('roller', record.roller.data && people(record.roller.data, language, linkTo))}!${authorities(record, language)}!${samePersons(record, language)}`)}
!${part('aksjonaerer', t.owners, shown('aksjonaerer', aksjonaerer.data && ownersByYear(aksjonaerer.data, language, linkTo)))}
!${part('eierskap', t.ownership, shown('eierskap', eierskap.data && ownershipFigure(named(eierskap.data, record), language, 'eierskap', linkTo)))}
!${part('konsern', t.group, shown('konsern', record.konsern.data && group(record.konsern.data, language, linkTo)))}
!${part('underenheter', t.subUnits, shown('underenheter', record.underenheter.data && subUnits(record.underenheter.data, language, linkTo)))}
!${part('andre-foretak', t.rolesElsewhere, shown('rollerIAndreForetak', record.rollerIAndreForetak.data && rolesElsewhere(record.rollerIAndreForetak.data, language, linkTo)))}
!${part('regnskap', t.figures, shown('regnskap', regnskap.data && keyFigures(regnskap.data, language, 'regnskap')))}
!${part('kopier', t.copies, shown('regnskapskopier', record.regnskapskopier.data && copies(record.regnskapskopier.data, language)))}
!${part('kunngjoringer', t.announcements, shown('kunngjoringer', kunngjoringer.data && announcements(kunngjoringer.data, language)))}
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

/** The largest, and how many there are. */
function subUnits({ antall, storste }: Underenheter, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  if (antall === 0) return html`<p class="ds-paragraph">${t.noSubUnits}</p>`
  const rows = storste.map(({ navn, organisasjonsnummer, beliggenhetsadresse, antallAnsatte }) => {
    const employees = antallAnsatte.antall === null ? '' : `${antallAnsatte.antall} ${t.employees}`
    const about = [beliggenhetsadresse?.poststed ?? '', employees].filter((text) => text !== '').join(', ')
    return html`<li>!${linked(navn ?? organisasjonsnummer, organisasjonsnummer, linkTo)} <span class="dempet">${about}</span></li>`
  })
  const isMore = antall === null || antall > storste.length
  return html`!${isMore ? html`<p class="ds-paragraph">${t.count}: ${antall ?? t.unknown}. ${t.largest}</p>` : ''}<ul>!${rows}</ul>`
}

/** How many companies it holds each role in, and the first of them. */
function rolesElsewhere(data: RollerIAndreForetak, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const { antallForetak, roller, foretak } = data
  if (antallForetak === 0) return html`<p class="ds-paragraph">${t.noRolesElsewhere}</p>`
  const sums = (roller ?? []).map(({ rolle, antall }) => `${rolle.beskrivelse ?? rolle.kode}: ${antall}`)
  const rows = foretak.map(({ navn, organisasjonsnummer, roller: held }) => {
    const named = (held ?? []).map(({ rolle, gjeldende }) => {
      const name = rolle?.beskrivelse ?? rolle?.kode ?? t.unknown
      return gjeldende === false ? `${name} (${t.former})` : name
    })
    return html`<li>!${linked(navn ?? organisasjonsnummer, organisasjonsnummer, linkTo)} <span class="dempet">${named.join(', ')}</span></li>`
  })
  const isMore = antallForetak === null || antallForetak > foretak.length
  return html`!${sums.length === 0 ? '' : html`<p class="ds-paragraph">${sums.join(', ')}</p>`}!${isMore ? html`<p class="ds-paragraph">${t.count}: ${antallForetak ?? t.unknown}. ${t.first}</p>` : ''}<ul>!${rows}</ul>`
}

/** A link to each: the register makes the copy when it is fetched. */
function copies({ kopier }: Regnskapskopier, language: Language): string {
  const t = words[language]
  if (kopier === null) return html`<p class="ds-paragraph">${t.copiesNotAsked}</p>`
  if (kopier.length === 0) return html`<p class="ds-paragraph">${t.noCopies}</p>`
  const links = kopier.map(({ aar, lenke }) => html`<a class="ds-link" href="${lenke}">${aar}</a> `)
  return html`<p class="ds-paragraph">!${links}<span class="dempet">${t.copiesTakeTime}</span></p>`
}

function announcements(
  { kunngjoringer }: NonNullable<Bedrift['kunngjoringer']['data']>,
  language: Language,
): string {
  if (kunngjoringer.length === 0) return html`<p class="ds-paragraph">${words[language].noAnnouncements}</p>`
  return html`<ul class="kunngjoringer">!${kunngjoringer.map(({ dato, tittel, lenke }) => html`<li>!${dato === null ? '' : html`<time datetime="${dato}">${dateText(dato, language)}</time> `}<a class="ds-link" href="${lenke}">${tittel}</a></li>`)}</ul>`
}

const words = {
  nb: {
    about: 'Om foretaket',
    people: 'Roller og fullmakter',
    owners: 'Aksjonærer år for år',
    ownership: 'Eierskap',
    figures: 'Nøkkeltall',
    announcements: 'Kunngjøringer',
    group: 'Konsern',
    unknown: 'ukjent',
    subUnits: 'Underenheter',
    noSubUnits: 'Ingen underenheter.',
    count: 'Antall',
    largest: 'De største:',
    employees: 'ansatte',
    rolesElsewhere: 'Roller i andre foretak',
    copies: 'Kopier av årsregnskap',
    noCopies: 'Ingen kopier.',
    copiesNotAsked: 'Kopiene er ikke hentet nå: registeret tåler få spørsmål. Prøv igjen om et par minutter.',
    copiesTakeTime: 'PDF hos Brønnøysundregistrene. Det kan ta et halvt minutt før den kommer.',
    noRolesElsewhere: 'Ingen roller i andre foretak.',
    former: 'tidligere',
    first: 'De første:',
    noAnnouncements: 'Ingen kunngjøringer.',
    sources: 'Kilder og tilstand',
  },
  en: {
    about: 'About the company',
    people: 'Roles and authority',
    owners: 'Shareholders year by year',
    ownership: 'Ownership',
    figures: 'Key figures',
    announcements: 'Announcements',
    group: 'Group',
    unknown: 'unknown',
    subUnits: 'Sub-units',
    noSubUnits: 'No sub-units.',
    count: 'Number',
    largest: 'The largest:',
    employees: 'employees',
    rolesElsewhere: 'Roles in other companies',
    copies: 'Copies of accounts',
    noCopies: 'No copies.',
    copiesNotAsked:
      'The copies are not fetched now: the register takes few questions. Try again in a couple of minutes.',
    copiesTakeTime: 'PDF at Brønnøysundregistrene. It may take half a minute to come.',
    noRolesElsewhere: 'No roles in other companies.',
    former: 'former',
    first: 'The first:',
    noAnnouncements: 'No announcements.',
    sources: 'Sources and state',
  },
}
