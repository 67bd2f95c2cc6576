import { html } from 'ghtml'
import type { Reply } from '../register-stand-in/reply.ts'
import type { StandInPayment } from './payments.ts'

/** Where the buyer decides, without an app. Plain forms: it works without JavaScript and says what happened after. */
export function landingPage(payment: StandInPayment): Reply {
  const asked = html`
    <p class="sum">${kroner(payment.amountOre)} ${payment.currency}</p>
    <p>${payment.description}</p>
    <p>Referanse <code>${payment.reference}</code></p>`
  const choice =
    payment.state === 'CREATED'
      ? html`
        <form method="post" action="/betal/${payment.landing}/godkjenn"><button class="yes">Godkjenn</button></form>
        <form method="post" action="/betal/${payment.landing}/avvis"><button>Avvis</button></form>`
      : html`
        <p role="status">Betalingen er ${STATES[payment.state]}.</p>
        <p><a href="${payment.returnUrl}">Tilbake til butikken</a></p>`
  return page('Betal', html`!${asked}!${choice}`, payment.state === 'CREATED' ? 200 : 410)
}

/** Every payment, newest first, with what became of the money. */
export function paymentsPage(payments: readonly StandInPayment[]): Reply {
  const rows = payments.toReversed().map((payment) => {
    const reference = html`<a href="/betal/${payment.landing}"><code>${payment.reference}</code></a>`
    return html`<tr>
      <td>!${reference}</td><td>${payment.description}</td><td>${STATES[payment.state]}</td>
      <td>${kroner(payment.amountOre)}</td><td>${kroner(payment.authorizedOre)}</td>
      <td>${kroner(payment.capturedOre)}</td><td>${kroner(payment.cancelledOre)}</td>
      <td>${kroner(payment.refundedOre)}</td></tr>`
  })
  const table = html`<table>
    <thead><tr><th>Referanse</th><th>Tekst</th><th>Tilstand</th><th>Beløp</th><th>Reservert</th><th>Trukket</th>
      <th>Frigitt</th><th>Tilbakebetalt</th></tr></thead>
    <tbody>!${rows}</tbody></table>`
  return page('Betalinger', payments.length === 0 ? html`<p>Ingen betalinger ennå.</p>` : table)
}

export function noSuchPage(): Reply {
  return page('Ukjent side', html`<p>Her er det ingenting.</p>`, 404)
}

export function backTo(returnUrl: string): Reply {
  // 303: the browser asks for the page with GET, and going back does not send the choice again.
  return { status: 303, headers: { location: returnUrl, 'cache-control': 'no-store' }, body: Buffer.alloc(0) }
}

const STATES: Record<StandInPayment['state'], string> = {
  CREATED: 'ikke avgjort',
  AUTHORIZED: 'godkjent',
  ABORTED: 'avvist',
  EXPIRED: 'utløpt',
  TERMINATED: 'stanset av butikken',
}

function kroner(ore: number): string {
  return (ore / 100).toLocaleString('nb-NO', { minimumFractionDigits: 2 })
}

function page(title: string, content: string, status = 200): Reply {
  const text = html`<!doctype html>
<html lang="nb"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – stedfortreder for Vipps</title>
<style>
body{font:1.1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}
.sum{font-size:2rem;font-weight:600;margin:0}form{display:inline-block;margin:0 1rem 1rem 0}
button{font:inherit;padding:.7rem 1.6rem;border:2px solid #333;border-radius:.5rem;background:#fff;color:#222}
.yes{background:#b3400a;border-color:#b3400a;color:#fff}table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{text-align:left;padding:.3rem .8rem;border-bottom:1px solid #ccc}
</style></head>
<body><main><h1>${title}</h1>!${content}
<p><small>Dette er ikke Vipps, men en stedfortreder for prøver. Ingen penger flyttes.</small></p></main></body></html>`
  const headers = { 'content-type': 'text/html;charset=UTF-8', 'cache-control': 'no-store' }
  return { status, headers, body: Buffer.from(text) }
}
