import { html } from 'ghtml'
import { kroner } from '#src/core/kroner.ts'
import type { Operator } from '#src/ops/operators.ts'
import type { Deed } from '#src/storage/operator-trail.ts'
import type { MailStory, OrderEvent, OrderStory } from '#src/storage/order-story.ts'
import { cellText, changeForm, dataTable, layout, tag, timeText } from './layout.ts'
import { aboutLink, mailKind, mailOutcome } from './orders.ts'
import { deedRows, TRAIL_HEADINGS } from './trail.ts'

/** One order: how it is, all that has happened to it in turn, its keys and mails, and what operators have done to it. */
export function operatorsOrderPage(page: {
  operator: Operator
  order: OrderStory
  deeds: readonly Deed[]
}): string {
  const { operator, order, deeds } = page
  const { id, nokler, epost, hendelser } = order
  const body = [
    html`<p class="ds-paragraph"><a class="ds-link" href="/ordre">Alle ordre</a> · <a class="ds-link" href="/nokler?id=${id}">Nøklene, og det som kan gjøres med dem</a></p>`,
    facts([
      ['Tilstand', html`${order.tilstand}: ${STATES[order.tilstand] ?? 'ukjent for denne utgaven'}`],
      ['Alarm', order.alarm === null ? cellText(null) : tag(order.alarm, 'danger')],
      ['Grunn', cellText(order.grunn)],
      ['Beløp', sumText(order.belopOre, order.valuta)],
      ['Trukket hos Vipps', sumText(order.trukketOre, order.valuta)],
      ['Gitt tilbake', sumText(order.refundertOre, order.valuta)],
      ['Produkt', cellText(`${order.produkt} (${order.miljo})`)],
      ['Bestilt', timeText(order.laget)],
      ['Sist endret', timeText(order.endret)],
      ['Bilag', cellText(order.bilag)],
      ['Referanse hos Vipps', html`<code>${order.referanse}</code>`],
      ['Vipps’ egen referanse', cellText(order.pspReferanse)],
      ['Fornyer', order.fornyer === null ? cellText(null) : aboutLink(order.fornyer)],
      ['Betalingen leses igjen', timeText(order.nesteSjekk)],
      ['Reservasjonen holder til', timeText(order.garantertTil)],
      ['Adressen kan rettes til', timeText(order.adressefrist)],
    ]),
    dataTable(
      'Det som har skjedd',
      ['Når', 'Hva', 'Om'],
      hendelser.map(({ at, hva, om }) => [timeText(at), cellText(EVENTS[hva]), cellText(om)]),
    ),
    dataTable(
      'Nøkler',
      ['Id', 'Tilstand', 'Utstedt', 'Utløper'],
      nokler.map((key) => [
        html`<a class="ds-link" href="/nokler?id=${key.id}"><code>${key.id}</code></a>`,
        cellText(key.tilstand),
        timeText(key.utstedt),
        timeText(key.utloper),
      ]),
    ),
    dataTable(
      'E-post',
      ['Hva', 'Skrevet', 'Forsøk', 'Utfall'],
      epost.map((mail) => [
        html`<a class="ds-link" href="/epost/${mail.id}">${mailKind(mail.slag)}</a>`,
        timeText(mail.laget),
        cellText(mail.forsok),
        mailOutcome(mail),
      ]),
    ),
    dataTable('Gjort av operatører', TRAIL_HEADINGS, deedRows(deeds)),
    operator.rolle === 'skrive' ? changes(operator, order) : '',
  ].join('\n')
  return layout({ title: `Ordre ${id}`, operator, path: `/ordre/${id}` }, body)
}

function changes(operator: Operator, { id, bilag, alarm }: OrderStory): string {
  const receipt =
    bilag === null
      ? ''
      : html`<section><h3>Kvittering</h3><p>Send kvitteringen en gang til.</p>!${changeForm({ operator, action: '/nokler/kvittering', button: 'Send kvittering' }, { id })}</section>`
  const decided =
    alarm === null
      ? ''
      : html`<section><h3>Avgjort</h3><p>Slukk alarmen, når det er avgjort hva det blir til med ordren.</p>!${changeForm({ operator, action: '/nokler/avgjort', button: 'Slukk alarmen' }, { id })}</section>`
  return receipt + decided === ''
    ? ''
    : html`<h2 class="ds-heading" data-size="sm">Gjør noe</h2><div class="valg">!${receipt}!${decided}</div>`
}

/** One mail: what it is, how often it was tried, and what became of it. Its text and its address are not shown. */
export function mailPage({ operator, mail }: { operator: Operator; mail: MailStory }): string {
  const body = [
    html`<p class="ds-paragraph"><a class="ds-link" href="/epost">All e-post</a></p>`,
    facts([
      ['Utfall', mailOutcome(mail)],
      ['Gjelder', aboutLink(mail.gjelder)],
      ['Nøkkel', mail.nokkel === null ? cellText(null) : aboutLink(mail.nokkel)],
      ['Den gamle nøkkelen er', cellText(mail.grunn)],
      ['Skrevet', timeText(mail.laget)],
      ['Forsøk', cellText(mail.forsok)],
      ['Avvist for godt', cellText(mail.omgang)],
      ['Nummer av sitt slag', cellText(mail.nr)],
      mail.ferdig === null ? ['Prøves igjen', timeText(mail.neste)] : ['Ferdig', timeText(mail.ferdig)],
    ]),
  ].join('\n')
  return layout(
    { title: `E-post ${mail.id}: ${mailKind(mail.slag)}`, operator, path: `/epost/${mail.id}` },
    body,
  )
}

function sumText(ore: number | null, valuta: string): string {
  return cellText(ore === null ? null : `${kroner(ore)} ${valuta}`)
}

function facts(rows: readonly (readonly [name: string, written: string])[]): string {
  return html`<dl class="fakta">!${rows.map(([name, written]) => html`<div><dt>${name}</dt><dd>!${written}</dd></div>`)}</dl>`
}

/** As they stand in src/storage/order-states.ts. */
const STATES: Readonly<Record<string, string>> = {
  opprettet: 'venter på at kjøperen betaler',
  reservert: 'beløpet er reservert, og nøkkelen skal sendes',
  avvist: 'e-posten ble avvist; kjøperen kan rette adressen',
  sendt: 'nøkkelen er sendt, og beløpet skal trekkes',
  fullfort: 'nøkkelen er levert, og beløpet er trukket',
  kanselleres: 'reservasjonen skal gis fri',
  kansellert: 'reservasjonen er gitt fri, og nøkkelen er stengt',
  avbrutt: 'kjøperen avbrøt hos Vipps',
  utlopt: 'ble ikke betalt i tide',
  refunderes: 'nøkkelen er stengt, og beløpet skal tilbake',
  refundert: 'nøkkelen er stengt, og beløpet er gitt tilbake',
  tapt: 'betalingen finnes ikke mer hos Vipps: se på den',
  avvik: 'betalingen er ikke som ordren: se på den',
}

const EVENTS: Record<OrderEvent, string> = {
  bestilt: 'bestilt, og vilkårene godtatt',
  reservert: 'beløpet reservert',
  trukket: 'beløpet trukket',
  vipps: 'melding fra Vipps',
  bilag: 'bilag skrevet',
  refundert: 'beløpet gitt tilbake',
  kreditnota: 'kreditnota skrevet',
  utstedt: 'nøkkel utstedt',
  tilbakekalt: 'nøkkel tilbakekalt',
  slutter: 'nøkkel slutter',
  skrevet: 'ærend skrevet',
  ferdig: 'ærend ferdig',
}
