import { html } from 'ghtml'
import { moment } from '#src/mail/templates/wording.ts'
import type { Endpoint } from '#src/push/endpoints.ts'
import type { PageContent } from '../layout.ts'
import { nextButton } from '../message-page.ts'
import type { Visitor } from '../visitor.ts'
import { endpointTexts } from './texts.ts'

/** The one time a secret is shown. */
export function secretPage(
  { endpoint, secret }: { endpoint: Endpoint; secret: string },
  { language, at }: Visitor,
): PageContent {
  const t = endpointTexts[language]
  return {
    title: t.secretTitle,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<div role="status"><h1 class="ds-heading" data-size="lg">${t.secretTitle}</h1>
<p class="ds-paragraph ingress" id="vist">${t.shownOnce}</p></div>
<div class="kode kode--liten" role="region" aria-labelledby="vist" tabindex="0"><pre><code>${secret}</code></pre></div>
!${endpoint.forrigeTil === null ? '' : html`<p class="ds-paragraph">${t.both(moment(endpoint.forrigeTil, language))}</p>`}
!${nextButton(t.toEndpoint, at(`/endepunkter/${endpoint.id}`))}
</div>`,
  }
}
