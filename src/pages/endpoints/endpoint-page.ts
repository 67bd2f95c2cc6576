import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { ChangeDelivery, Endpoint } from '#src/push/endpoints.ts'
import { sendFailures } from '#src/push/send.ts'
import type { PageContent } from '../layout.ts'
import type { Guest } from '../lookup/guest.ts'
import { guestLine } from '../lookup/guest-line.ts'
import { orgnrText } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'
import { changeTypeText, endpointStateText, type RefusedEndpoint, wishFields } from './parts.ts'
import { endpointTexts } from './texts.ts'

/** One endpoint: how it is, what was sent there, and all that can be done with it. */
export function endpointPage(
  {
    guest,
    token,
    endpoint,
    deliveries,
    refused,
    said,
  }: {
    guest: Guest
    token: string
    endpoint: Endpoint
    deliveries: readonly ChangeDelivery[]
    refused: RefusedEndpoint | null
    /** What came of what was asked for. */
    said: string | null
  },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = endpointTexts[language]
  const path = `/endepunkter/${endpoint.id}`
  const hidden = html`<input type="hidden" name="skjema" value="${token}">`
  const isOn = endpoint.av === null || endpoint.av.grunn === 'hviler'
  const wish = refused ?? {
    adresse: endpoint.adresse,
    typer: endpoint.typer?.join(', ') ?? '',
    error: null,
  }
  const rows = deliveries.map((delivery) => {
    const last = delivery.logg.at(-1)
    return html`<tr><td>${moment(delivery.laget, language)}</td><td>!${changeTypeText(delivery.type)}</td>
<td>!${delivery.orgnr === null ? '–' : companyLink(nineDigits(delivery.orgnr), visitor)}</td>
<td>${t.states[delivery.tilstand]}!${delivery.neste === null || last === undefined ? '' : html`, ${t.next(moment(delivery.neste, language))}`}</td>
<td>${last === undefined ? '–' : attemptText(last, language)}</td>
<td><form method="post" action="${at(`${path}/igjen`)}">!${hidden}<input type="hidden" name="levering" value="${delivery.id}"><button class="ds-button" data-variant="tertiary" data-size="sm" type="submit" aria-label="${t.againOne(delivery.id)}">${t.again}</button></form></td></tr>`
  })
  return {
    title: refused === null ? t.oneTitle : `${t.errorPrefix} ${t.oneTitle}`,
    description: null,
    isHidden: true,
    main: html`<div class="ramme luft varsling">
!${guestLine(guest, visitor)}
<h1 class="ds-heading" data-size="lg">${t.oneTitle}</h1>
!${said === null ? '' : html`<div class="ds-alert merknad" role="status"><p class="ds-paragraph">${said}</p></div>`}
<dl class="fakta"><div><dt>${t.address}</dt><dd>${endpoint.adresse}</dd></div><div><dt>${t.state}</dt><dd>${endpointStateText(endpoint, language)}</dd></div>
<div><dt>${t.lastTaken}</dt><dd>${endpoint.levert === null ? t.never : moment(endpoint.levert, language)}</dd></div><div><dt>${t.waiting}</dt><dd>${String(endpoint.venter)}</dd></div></dl>
<form class="skjema" method="post" action="${at(`${path}/prove`)}">!${hidden}<button class="ds-button" type="submit">${t.test}</button></form>
<h2 class="ds-heading" data-size="sm">${t.deliveries}</h2>
!${
      deliveries.length === 0
        ? html`<p class="ds-paragraph">${t.noDeliveries}</p>`
        : html`<div class="rull" tabindex="0" role="region" aria-label="${t.deliveries}"><table class="ds-table"><caption>${t.newest}</caption>
<thead><tr><th scope="col">${t.made}</th><th scope="col">${t.kind}</th><th scope="col">${t.company}</th><th scope="col">${t.outcome}</th><th scope="col">${t.lastAttempt}</th><th scope="col">${t.again}</th></tr></thead>
<tbody>!${rows}</tbody></table></div>`
    }
<h2 class="ds-heading" data-size="sm">${t.spanTitle}</h2>
<form class="skjema" method="post" action="${at(`${path}/igjen`)}">!${hidden}
<p class="ds-paragraph">${t.spanLead}</p>
!${momentField('fra', t.from)}!${momentField('til', t.to)}
<button class="ds-button" data-variant="secondary" type="submit">${t.sendSpan}</button>
</form>
<h2 class="ds-heading" data-size="sm">${t.changeTitle}</h2>
<form class="skjema" method="post" action="${at(`${path}/endre`)}" novalidate>!${hidden}
!${wishFields(wish, language)}
<div class="ds-field valg"><input class="ds-input" type="checkbox" id="paa" name="paa" value="ja"!${isOn ? ' checked' : ''}><label class="ds-label" for="paa">${t.on}</label></div>
<button class="ds-button" data-variant="secondary" type="submit">${t.change}</button>
</form>
<h2 class="ds-heading" data-size="sm">${t.secret}</h2>
<form class="skjema" method="post" action="${at(`${path}/hemmelighet`)}">!${hidden}
<p class="ds-paragraph">${t.rotateLead}</p>
<button class="ds-button" data-variant="secondary" type="submit">${t.rotate}</button>
</form>
<h2 class="ds-heading" data-size="sm">${t.removeTitle}</h2>
<form class="skjema" method="post" action="${at(`${path}/slett`)}">!${hidden}
<p class="ds-paragraph">${t.removeLead}</p>
<button class="ds-button" data-color="danger" type="submit">${t.remove}</button>
</form>
<p class="ds-paragraph"><a class="ds-link" href="${at('/endepunkter')}">${t.back}</a></p>
</div>`,
  }
}

/** What is said after something was asked for. */
export function saidOf(
  what: 'prove' | 'igjen' | 'ingenting' | 'mange' | 'av' | 'prover' | 'full' | 'tidsrom',
  { language }: Pick<Visitor, 'language'>,
): string {
  return endpointTexts[language].said[what]
}

function companyLink(orgnr: string, { at }: Pick<Visitor, 'at'>): string {
  return html`<a class="ds-link" href="${at(`/foretak/${orgnr}`)}">${orgnrText(orgnr)}</a>`
}

function momentField(name: string, label: string): string {
  return html`<div class="ds-field"><label class="ds-label" for="${name}">${label}</label>
<input class="ds-input" id="${name}" name="${name}" type="datetime-local" required></div>`
}

function attemptText({ status, arsak, ms }: ChangeDelivery['logg'][number], language: Language): string {
  const t = endpointTexts[language]
  const why = sendFailures.find((each) => each === arsak)
  const said = why === undefined ? null : t.failures[why]
  return [status === null ? null : String(status), said, `${ms} ms`]
    .filter((part) => part !== null)
    .join(', ')
}
