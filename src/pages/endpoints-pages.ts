import { html } from 'ghtml'
import { nineDigits } from '#src/core/organisation-number.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { ChangeDelivery, Endpoint } from '#src/push/endpoints.ts'
import { sendFailures } from '#src/push/send.ts'
import type { Language } from '../http/problems.ts'
import { textField } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import type { Guest } from './lookup/guest.ts'
import { guestLine } from './lookup/guest-line.ts'
import { nextButton } from './message-page.ts'
import { orgnrText } from './record-view/wording.ts'
import type { Visitor } from './visitor.ts'

/** What was typed, and what was wrong with it. */
export type RefusedEndpoint = { adresse: string; typer: string; error: string }

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
  const t = words[language]
  const rows = endpoints.map(
    (
      endpoint,
    ) => html`<tr><th scope="row"><a class="ds-link" href="${at(`/endepunkter/${endpoint.id}`)}">${endpoint.adresse}</a></th>
<td>!${endpoint.typer?.map(typeText).join(', ') ?? t.all}</td><td>${stateOf(endpoint, language)}</td><td>${String(endpoint.venter)}</td></tr>`,
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

/** The one time a secret is shown. */
export function secretPage(
  { endpoint, secret }: { endpoint: Endpoint; secret: string },
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
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
  const t = words[language]
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
    return html`<tr><td>${moment(delivery.laget, language)}</td><td>!${typeText(delivery.type)}</td>
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
<dl class="fakta"><div><dt>${t.address}</dt><dd>${endpoint.adresse}</dd></div><div><dt>${t.state}</dt><dd>${stateOf(endpoint, language)}</dd></div>
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
  return words[language].said[what]
}

function wishFields(
  { adresse, typer, error }: { adresse: string; typer: string; error: string | null },
  language: Language,
): string {
  const t = words[language]
  return html`!${textField('adresse', 'type="url" autocomplete="off" maxlength="1000"', { label: t.address, hint: t.addressHint, value: adresse, error })}
<div class="ds-field">
<label class="ds-label" for="typer">${t.types}</label>
<p data-field="description" id="typer-hjelp">${t.typesHint}</p>
<input class="ds-input" id="typer" name="typer" type="text" autocomplete="off" maxlength="400" value="${typer}" aria-describedby="typer-hjelp">
</div>`
}

/** Broken between its words, where it has to be broken. */
function typeText(type: string): string {
  return type
    .split('.')
    .map((word) => html`${word}`)
    .join('.<wbr>')
}

function companyLink(orgnr: string, { at }: Pick<Visitor, 'at'>): string {
  return html`<a class="ds-link" href="${at(`/foretak/${orgnr}`)}">${orgnrText(orgnr)}</a>`
}

function momentField(name: string, label: string): string {
  return html`<div class="ds-field"><label class="ds-label" for="${name}">${label}</label>
<input class="ds-input" id="${name}" name="${name}" type="datetime-local" required></div>`
}

function stateOf({ av, feiletFra }: Endpoint, language: Language): string {
  const t = words[language]
  if (av !== null) return t.off[av.grunn](moment(av.at, language))
  return feiletFra === null ? t.well : t.failing(moment(feiletFra, language))
}

function attemptText({ status, arsak, ms }: ChangeDelivery['logg'][number], language: Language): string {
  const t = words[language]
  const why = sendFailures.find((each) => each === arsak)
  const said = why === undefined ? null : t.failures[why]
  return [status === null ? null : String(status), said, `${ms} ms`]
    .filter((part) => part !== null)
    .join(', ')
}

const words = {
  nb: {
    title: 'Webhooks',
    errorPrefix: 'Feil:',
    lead: 'Endringer i foretakene du overvåker, sendt til din egen tjeneste så snart vi ser dem.',
    guide: 'Slik virker det.',
    none: 'Det er ingen endepunkter ennå.',
    caption: 'Endepunkter',
    address: 'Adresse',
    addressHint: 'https://, port 443 eller 8443, med et navn som alle kan nå.',
    types: 'Endringstyper',
    typesHint: 'Med komma mellom, for eksempel foretak.konkurs, roller. Tomt: alle.',
    all: 'alle',
    state: 'Tilstand',
    waiting: 'Venter',
    another: 'Legg til et endepunkt',
    add: 'Legg til',
    secretTitle: 'Hemmeligheten',
    shownOnce: 'Kopier den nå. Meldingene signeres med den, og den vises bare denne ene gangen.',
    both: (when: string) => `Meldingene signeres med den forrige også, til ${when}.`,
    toEndpoint: 'Til endepunktet',
    oneTitle: 'Endepunkt',
    lastTaken: 'Sist tatt imot',
    never: 'ikke ennå',
    test: 'Send en prøve',
    deliveries: 'Leveringer',
    newest: 'De nyeste femti',
    noDeliveries: 'Ingenting er sendt ennå.',
    made: 'Laget',
    kind: 'Type',
    company: 'Foretak',
    outcome: 'Utfall',
    lastAttempt: 'Siste forsøk',
    again: 'Send igjen',
    againOne: (id: string) => `Send igjen: levering ${id}`,
    next: (when: string) => `neste forsøk ${when}`,
    states: { venter: 'venter', levert: 'levert', oppgitt: 'oppgitt' },
    spanTitle: 'Send et tidsrom igjen',
    spanLead: 'Alt endepunktet skal ha som ble sett i tidsrommet, også det som aldri ble sendt. Norsk tid.',
    from: 'Fra',
    to: 'Til',
    sendSpan: 'Send igjen',
    changeTitle: 'Endre',
    on: 'Send endringer hit',
    change: 'Lagre',
    secret: 'Hemmelighet',
    rotateLead: 'I et døgn signeres hver melding med både den nye og den gamle.',
    rotate: 'Lag en ny hemmelighet',
    removeTitle: 'Slett',
    removeLead: 'Det som venter, sendes ikke, og listen over leveringer er borte.',
    remove: 'Slett endepunktet',
    back: 'Til alle endepunktene',
    well: 'virker',
    failing: (when: string) => `ingenting er tatt imot siden ${when}`,
    off: {
      eier: (when: string) => `slått av ${when}`,
      borte: (when: string) => `slått av ${when}: mottakeren svarte 410`,
      feilet: (when: string) => `slått av ${when}: ingenting ble tatt imot på 76 timer`,
      hviler: (when: string) => `hviler siden ${when}: ingen gyldig nøkkel`,
    },
    said: {
      prove: 'En prøve er på vei. Last siden på nytt for å se hvordan det gikk.',
      igjen: 'Det sendes igjen nå.',
      ingenting: 'Det var ingenting å sende igjen i tidsrommet.',
      mange: 'Det er mer enn 10 000 endringer i tidsrommet. Velg et kortere.',
      av: 'Endepunktet er slått av. Slå det på først.',
      prover: 'Det er sendt så mange prøver, eller så mye igjen, som det kan på en time.',
      full: 'Det er ikke plass til flere endepunkter. Slett ett først.',
      tidsrom: 'Fyll ut fra og til, der fra er før til.',
    },
    failures: {
      navn_ukjent: 'navnet finnes ikke i DNS',
      adresse_sperret: 'navnet fører til et lukket nett',
      ingen_forbindelse: 'ingen forbindelse',
      sertifikat: 'sertifikatet er ikke gyldig for navnet',
      tidsfrist: 'ikke noe svar innen fristen',
      brutt: 'forbindelsen ble brutt, eller svaret var ikke HTTP',
      viderekobling: 'viderekobling, som ikke følges',
      borte: 'borte',
      status: 'ikke 2xx',
    },
  },
  en: {
    title: 'Webhooks',
    errorPrefix: 'Error:',
    lead: 'Changes in the companies you watch, sent to a service of your own as soon as we see them.',
    guide: 'How it works.',
    none: 'There are no endpoints yet.',
    caption: 'Endpoints',
    address: 'Address',
    addressHint: 'https://, port 443 or 8443, with a name that everybody can reach.',
    types: 'Types of changes',
    typesHint: 'With commas between, such as foretak.konkurs, roller. Empty: all.',
    all: 'all',
    state: 'State',
    waiting: 'Waiting',
    another: 'Add an endpoint',
    add: 'Add',
    secretTitle: 'The secret',
    shownOnce: 'Copy it now. Messages are signed with it, and it is shown this one time.',
    both: (when: string) => `Messages are signed with the one before as well, until ${when}.`,
    toEndpoint: 'To the endpoint',
    oneTitle: 'Endpoint',
    lastTaken: 'Last taken',
    never: 'not yet',
    test: 'Send a test',
    deliveries: 'Deliveries',
    newest: 'The newest fifty',
    noDeliveries: 'Nothing has been sent yet.',
    made: 'Made',
    kind: 'Type',
    company: 'Company',
    outcome: 'Outcome',
    lastAttempt: 'Last attempt',
    again: 'Send again',
    againOne: (id: string) => `Send again: delivery ${id}`,
    next: (when: string) => `next attempt ${when}`,
    states: { venter: 'waiting', levert: 'delivered', oppgitt: 'given up' },
    spanTitle: 'Send a span again',
    spanLead:
      'All the endpoint is to have that was seen in the span, also what was never sent. Norwegian time.',
    from: 'From',
    to: 'To',
    sendSpan: 'Send again',
    changeTitle: 'Change',
    on: 'Send changes here',
    change: 'Save',
    secret: 'Secret',
    rotateLead: 'For a day each message is signed with both the new one and the old.',
    rotate: 'Make a new secret',
    removeTitle: 'Delete',
    removeLead: 'What waits is not sent, and the list of deliveries is gone.',
    remove: 'Delete the endpoint',
    back: 'To all endpoints',
    well: 'works',
    failing: (when: string) => `nothing was taken since ${when}`,
    off: {
      eier: (when: string) => `switched off ${when}`,
      borte: (when: string) => `switched off ${when}: the receiver answered 410`,
      feilet: (when: string) => `switched off ${when}: nothing was taken for 76 hours`,
      hviler: (when: string) => `rests since ${when}: no valid key`,
    },
    said: {
      prove: 'A test is on its way. Load the page again to see what came of it.',
      igjen: 'It is being sent again.',
      ingenting: 'There was nothing to send again in the span.',
      mange: 'There are more than 10,000 changes in the span. Choose a shorter one.',
      av: 'The endpoint is switched off. Switch it on first.',
      prover: 'As many tests, or as much again, were sent as may be in an hour.',
      full: 'There is no room for more endpoints. Delete one first.',
      tidsrom: 'Fill in from and to, from before to.',
    },
    failures: {
      navn_ukjent: 'the name is not in DNS',
      adresse_sperret: 'the name leads to a closed network',
      ingen_forbindelse: 'no connection',
      sertifikat: 'the certificate is not valid for the name',
      tidsfrist: 'no answer within the time',
      brutt: 'the connection was broken, or the answer was not HTTP',
      viderekobling: 'a redirect, which is not followed',
      borte: 'gone',
      status: 'not 2xx',
    },
  },
} as const
