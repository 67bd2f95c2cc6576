import { html } from 'ghtml'
import { kroner } from '#src/core/kroner.ts'
import type { Operator } from '#src/ops/operators.ts'
import type { Customer, SeenKey } from '#src/storage/customers.ts'
import { keyOver } from '#src/storage/key-life.ts'
import type { Deed } from '#src/storage/operator-trail.ts'
import { cellText, changeForm, dataTable, layout, tag, timeText } from './layout.ts'
import { aboutLink } from './orders.ts'
import { deedRows, TRAIL_HEADINGS } from './trail.ts'

export function keysPage(page: {
  operator: Operator
  customer: Customer | null
  deeds: readonly Deed[]
  typed: string
  told: string | null
  fault: string | null
  now: Date
}): string {
  const { operator, customer, typed, told, fault, deeds, now } = page
  const body = [
    told === null ? '' : html`<div class="ds-alert" data-color="success" role="status">${told}</div>`,
    fault === null ? '' : html`<div class="ds-alert" data-color="danger" role="alert">${fault}</div>`,
    html`<form method="get" action="/nokler" class="endring"><div class="ds-field"><label class="ds-label" for="id">Nøkkel-id (tolv tegn) eller ordrenummer (ti)</label>
<input class="ds-input" id="id" name="id" value="${typed}" required maxlength="12" autocomplete="off" spellcheck="false"></div><button class="ds-button">Finn</button></form>`,
    customer === null ? '' : customerFound(customer, operator, now),
    customer === null ? '' : dataTable('Gjort av operatører', TRAIL_HEADINGS, deedRows(deeds)),
  ].join('\n')
  return layout({ title: 'Nøkler', operator, path: '/nokler' }, body)
}

function customerFound({ keys, order, errands }: Customer, operator: Operator, now: Date): string {
  const keyRows = keys.map((key) => [
    html`<code>${key.id}</code>`,
    cellText(key.miljo),
    stateTag(stateOf(key, now)),
    timeText(key.utstedt),
    timeText(key.utloper),
    timeText(key.tilbakekalt),
    timeText(key.slutter),
    cellText(key.erVedSiden ? 'laget av kunden' : null),
  ])
  const errandRows = errands.map(({ slag, laget, ferdig, utfall, forsok }) => [
    cellText(slag),
    timeText(laget),
    timeText(ferdig),
    utfall === null ? tag('under arbeid', 'warning') : cellText(utfall),
    cellText(forsok),
  ])
  const newest = keys.find(({ erVedSiden }) => !erVedSiden) ?? null
  const beside = keys.filter((key) => key.erVedSiden && keyOver(key, now) === null)
  return [
    order === null
      ? ''
      : html`<p class="ds-paragraph">!${aboutLink(order.id)}: ordren, med alt som har skjedd.</p>`,
    order === null
      ? ''
      : dataTable(
          `Ordre ${order.id}`,
          ['Tilstand', 'Beløp', 'Bestilt', 'Endret', 'Grunn', 'Alarm'],
          [
            [
              cellText(order.tilstand),
              cellText(`${kroner(order.belopOre)} ${order.valuta}`),
              timeText(order.laget),
              timeText(order.endret),
              cellText(order.grunn),
              order.alarm === null ? cellText(null) : tag(order.alarm, 'danger'),
            ],
          ],
        ),
    dataTable(
      'Nøkler',
      ['Id', 'Miljø', 'Tilstand', 'Utstedt', 'Utløper', 'Tilbakekalt', 'Slutter', 'Ved siden av'],
      keyRows,
    ),
    dataTable('Ærend', ['Slag', 'Skrevet', 'Ferdig', 'Utfall', 'Forsøk'], errandRows),
    operator.rolle === 'skrive' ? changes(operator, newest, beside, order?.id ?? null) : '',
  ].join('\n')
}

function changes(
  operator: Operator,
  key: SeenKey | null,
  beside: readonly SeenKey[],
  order: string | null,
): string {
  const reason = html`<div class="ds-field"><label class="ds-label" for="grunn">Den gamle er</label><select class="ds-input" id="grunn" name="grunn"><option value="tapt">tapt: gjelder til den nye er tatt i bruk</option><option value="lekket">lekket: stenges nå</option></select></div>`
  return html`<h2 class="ds-heading" data-size="sm">Gjør noe</h2><div class="valg">
!${
    key === null
      ? ''
      : html`<section><h3>Erstatt</h3><p>En ny nøkkel sendes til adressen den gamle gikk til.</p>!${changeForm({ operator, action: '/nokler/erstatt', button: 'Erstatt' }, { id: key.id }, reason)}</section>
<section><h3>Tilbakekall</h3><p>Nøkkelen og alle i samme kjøp stenges for godt.</p>!${changeForm({ operator, action: '/nokler/tilbakekall', button: 'Tilbakekall', isDanger: true }, { id: key.id })}</section>`
  }
!${beside.map(
    (one) =>
      html`<section><h3>Tilbakekall ${one.id}</h3><p>Den ene nøkkelen stenges for godt; de andre virker videre.</p>!${changeForm({ operator, action: '/nokler/tilbakekall', button: `Tilbakekall ${one.id}`, isDanger: true }, { id: one.id })}</section>`,
  )}
!${
    order === null
      ? ''
      : html`<section><h3>Kvittering</h3><p>Send kvitteringen en gang til.</p>!${changeForm({ operator, action: '/nokler/kvittering', button: 'Send kvittering' }, { id: order })}</section>`
  }</div>`
}

function stateTag(state: string): string {
  return tag(state, state === 'gyldig' ? 'success' : state === 'tilbakekalt' ? 'danger' : 'neutral')
}

function stateOf(key: SeenKey, now: Date): string {
  const over = keyOver(key, now)
  if (over !== null) return over === 'utlopt' ? 'utløpt' : over
  return key.tilstand === 'aktiv' ? 'gyldig' : key.tilstand
}
