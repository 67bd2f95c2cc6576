import { html } from 'ghtml'
import type { Endpoint } from '#src/push/endpoints.ts'
import type { PageContent } from '../layout.ts'
import type { Guest } from '../lookup/guest.ts'
import { guestLine } from '../lookup/guest-line.ts'
import type { Visitor } from '../visitor.ts'
import { changeTypeText, endpointStateText, type RefusedEndpoint, wishFields } from './parts.ts'
import { endpointTexts } from './texts.ts'

/** Where changes are sent, and a form that adds one more. */
export function endpointsPage(
  {
    guest,
    token,
    endpoints,
    refused,
  }: {
    guest: Guest
    token: string
    endpoints: readonly Endpoint[]
    refused: RefusedEndpoint | null
  },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = endpointTexts[language]
  const rows = endpoints.map(
    (
      endpoint,
    ) => html`<tr><th scope="row"><a class="ds-link" href="${at(`/endepunkter/${endpoint.id}`)}">${endpoint.adresse}</a></th>
<td>!${endpoint.typer?.map(changeTypeText).join(', ') ?? t.all}</td><td>${endpointStateText(endpoint, language)}</td><td>${String(endpoint.venter)}</td></tr>`,
  )
  return {
    title: refused === null ? t.title : `${t.errorPrefix} ${t.title}`,
    description: null,
    isHidden: true,
    main: html`<div class="ramme luft varsling">
!${guestLine(guest, visitor)}
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead} <a class="ds-link" href="${at('/dokumentasjon/webhooks')}">${t.guide}</a></p>
!${
      endpoints.length === 0
        ? html`<p class="ds-paragraph">${t.none}</p>`
        : html`<div class="rull" tabindex="0" role="region" aria-label="${t.caption}"><table class="ds-table"><caption>${t.caption}</caption>
<thead><tr><th scope="col">${t.address}</th><th scope="col">${t.types}</th><th scope="col">${t.state}</th><th scope="col">${t.waiting}</th></tr></thead>
<tbody>!${rows}</tbody></table></div>`
    }
<h2 class="ds-heading" data-size="sm">${t.another}</h2>
<form class="skjema" method="post" action="${at('/endepunkter')}" novalidate>
<input type="hidden" name="skjema" value="${token}">
!${wishFields(refused ?? { adresse: '', typer: '', error: null }, language)}
<button class="ds-button" type="submit">${t.add}</button>
</form>
</div>`,
  }
}
