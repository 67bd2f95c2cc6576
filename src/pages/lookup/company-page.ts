import { html } from 'ghtml'
import type { Bedrift } from '#src/record/record.ts'
import type { PageContent } from '../layout.ts'
import type { LinkTo } from '../record-view/link-to.ts'
import { recordView } from '../record-view/record-view.ts'
import { orgnrText } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'
import { type Watching, watchFold } from '../watching/watch-form.ts'
import { type Guest, NOBODY } from './guest.ts'
import { guestLine } from './guest-line.ts'

/** A company's own page: its record, and the ways to take it along. */
export function companyPage(
  {
    record,
    isInvented,
    guest = NOBODY,
    watching = null,
    linkTo,
  }: {
    record: Bedrift
    isInvented: boolean
    guest?: Guest
    /** null: for who can watch nothing. `unknown`: it can not be found out now whether it is watched. */
    watching?: Watching | 'unknown' | null
    linkTo: LinkTo
  },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  const path = `/foretak/${record.organisasjonsnummer}`
  const name = record.navn ?? orgnrText(record.organisasjonsnummer)
  const watch =
    watching === 'unknown'
      ? html`<p class="ds-paragraph dempet" role="status">${t.noWatching}</p>`
      : watching && watchFold(record.organisasjonsnummer, watching, visitor)
  const take = html`<nav class="ta-med" aria-label="${t.take}">
<ul class="ta-med__liste">
<li><a class="ds-link" href="${at(`${path}/xlsx`)}" download>Excel (XLSX)</a></li>
<li><a class="ds-link" href="${at(`${path}/csv`)}" download>CSV</a></li>
<li><a class="ds-link" href="${at(`${path}/json`)}" download>JSON</a></li>
<li><a class="ds-link" href="${at(`${path}/tekst`)}">${t.asText}</a></li>
<li><button class="ds-button" data-variant="secondary" data-size="sm" type="button" hidden data-kopier="${at(`${path}/tekst`)}" data-gjort="${t.copied}">${t.copyText}</button></li>
<li><button class="ds-button" data-variant="secondary" data-size="sm" type="button" hidden data-kopier="" data-gjort="${t.copied}">${t.copyLink}</button></li>
<li><button class="ds-button" data-variant="secondary" data-size="sm" type="button" hidden data-skriv-ut>${t.print}</button></li>
</ul>
!${watch ?? ''}
</nav>`
  return {
    title: name,
    description: isInvented ? t.inventedDescription : null,
    isHidden: !isInvented,
    main: html`<div class="ramme luft foretaksside">
!${isInvented ? html`<p class="dempet">${t.invented} <a class="ds-link" href="${at('/eksempler')}">${t.more}</a></p>` : ''}
!${isInvented && guest.key === null ? '' : guestLine(guest, visitor)}
!${recordView(record, language, linkTo, take)}
</div>`,
  }
}

const words = {
  nb: {
    inventedDescription: 'En hel oppføring om et oppdiktet foretak: roller, eierskap, nøkkeltall og kilder.',
    invented: 'Foretaket, menneskene og tallene er oppdiktet.',
    more: 'Flere oppdiktede foretak',
    take: 'Ta med deg',
    asText: 'Som tekst',
    copyText: 'Kopier som tekst',
    copyLink: 'Kopier lenke',
    copied: 'Kopiert',
    print: 'Skriv ut',
    noWatching:
      'Om du overvåker foretaket, kan ikke vises akkurat nå. Det du overvåker, er trygt. Prøv igjen om litt.',
  },
  en: {
    inventedDescription: 'A whole record of an invented company: roles, ownership, key figures and sources.',
    invented: 'The company, the people and the figures are invented.',
    more: 'More invented companies',
    take: 'Take it with you',
    asText: 'As text',
    copyText: 'Copy as text',
    copyLink: 'Copy the link',
    copied: 'Copied',
    print: 'Print',
    noWatching:
      'Whether you watch this company can not be shown right now. What you watch is safe. Try again in a while.',
  },
}
