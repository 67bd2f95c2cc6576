import { html } from 'ghtml'
import { titleOf } from '#src/changes/mails/change-words.ts'
import type { Watched } from '#src/changes/watches.ts'
import type { WatchedChange } from '#src/storage/changes/read-watched.ts'
import type { PageContent } from '../layout.ts'
import type { Guest } from '../lookup/guest.ts'
import { guestLine } from '../lookup/guest-line.ts'
import { orgnrText } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'
import { momentText } from './moment-text.ts'
import { watchForm } from './watch-form.ts'

/** What somebody watches: what changed lately, and each company with its choice and the way to stop. */
export function watchedPage(
  {
    guest,
    token,
    watches,
    count,
    latest,
    canBeMailed,
    nextUrl,
  }: {
    guest: Guest
    token: string
    watches: readonly Watched[]
    count: number
    latest: readonly WatchedChange[]
    canBeMailed: boolean
    nextUrl: string | null
  },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  const company = (orgnr: string, navn: string | null) =>
    html`<a class="ds-link" href="${at(`/foretak/${orgnr}`)}">${navn ?? orgnrText(orgnr)}</a>!${navn === null ? '' : html` <span class="dempet">${orgnrText(orgnr)}</span>`}`
  const changed =
    latest.length === 0
      ? html`<p class="ds-paragraph">${t.nothing}</p>`
      : html`<div class="rull" tabindex="0" role="region" aria-label="${t.latest}"><table class="ds-table siste" data-size="sm"><thead><tr><th scope="col">${t.seen}</th><th scope="col">${t.company}</th><th scope="col">${t.what}</th></tr></thead>
<tbody>!${latest.map(({ orgnr, navn, type, sett }) => html`<tr><td><time datetime="${sett.toISOString()}">${momentText(sett, language)}</time></td><td>!${company(orgnr, navn)}</td><td>${titleOf(type)[language]}</td></tr>`)}</tbody></table></div>`
  const list =
    watches.length === 0
      ? html`<p class="ds-paragraph">${t.none} <a class="ds-link" href="${at('/oppslag')}">${t.find}</a></p>`
      : watches.map(
          ({ orgnr, navn, ...rest }) => html`<section class="overvaket">
<h3 class="ds-heading" data-size="xs">!${company(orgnr, navn)}</h3>
!${rest.typer === null ? '' : html`<p class="dempet">${t.types} ${rest.typer.join(', ')}</p>`}
!${watchForm(orgnr, { token, canBeMailed, watch: { orgnr, navn, ...rest } }, 'liste', visitor)}
</section>`,
        )
  return {
    title: t.title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme luft varsling">
!${guestLine(guest, visitor)}
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead(count)} <a class="ds-link" href="${at('/dokumentasjon/varsling')}">${t.more}</a></p>
<h2 class="ds-heading" data-size="sm">${t.latest}</h2>
!${changed}
<h2 class="ds-heading" data-size="sm">${t.companies}</h2>
!${list}
!${nextUrl === null ? '' : html`<p class="knapper"><a class="ds-button" data-variant="secondary" href="${nextUrl}">${t.next}</a></p>`}
</div>`,
  }
}

const words = {
  nb: {
    title: 'Foretak du overvåker',
    lead: (count: number) =>
      count === 1
        ? 'Ett foretak overvåkes med denne nøkkelen.'
        : `${count} foretak overvåkes med denne nøkkelen.`,
    more: 'Slik virker overvåking',
    latest: 'Sist endret',
    nothing: 'Ingenting er endret siden du begynte å overvåke.',
    seen: 'Sett',
    company: 'Foretak',
    what: 'Endring',
    companies: 'Foretakene',
    none: 'Ingen ennå. Finn et foretak og velg «Overvåk» på siden dets.',
    find: 'Slå opp et foretak',
    types: 'Bare:',
    next: 'Flere foretak',
  },
  en: {
    title: 'Companies you watch',
    lead: (count: number) =>
      count === 1 ? 'One company is watched with this key.' : `${count} companies are watched with this key.`,
    more: 'How watching works',
    latest: 'Changed lately',
    nothing: 'Nothing has changed since you began to watch.',
    seen: 'Seen',
    company: 'Company',
    what: 'Change',
    companies: 'The companies',
    none: 'None yet. Find a company and choose "Watch" on its page.',
    find: 'Look up a company',
    types: 'Only:',
    next: 'More companies',
  },
}
