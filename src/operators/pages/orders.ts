import { html } from 'ghtml'
import { kroner } from '#src/core/kroner.ts'
import type { Operator } from '#src/ops/operators.ts'
import type { ListedMail, ListedOrder } from '#src/storage/order-list.ts'
import { cellText, dataTable, layout, tag, timeText } from './layout.ts'

/** @param page.wanted what was searched for; null: the newest of all */
export function ordersPage(page: {
  operator: Operator
  orders: readonly ListedOrder[]
  wanted: string | null
}): string {
  const { operator, orders, wanted } = page
  const rows = orders.map(({ id, tilstand, belopOre, valuta, referanse, bilag, laget, grunn, alarm }) => [
    html`<a class="ds-link" href="/ordre/${id}"><code>${id}</code></a>`,
    cellText(tilstand),
    cellText(`${kroner(belopOre)} ${valuta}`),
    timeText(laget),
    cellText(bilag),
    html`<code>${referanse}</code>`,
    cellText(grunn),
    alarm === null ? cellText(null) : tag(alarm, 'danger'),
  ])
  const body = [
    html`<form method="post" action="/ordre" class="endring"><div class="ds-field"><label class="ds-label" for="hva">E-postadresse, bilagsnummer, referanse hos Vipps, ordrenummer eller nøkkel-id</label>
<input class="ds-input" id="hva" name="hva" value="${wanted ?? ''}" maxlength="254" autocomplete="off" spellcheck="false"></div><button class="ds-button">Finn</button></form>`,
    dataTable(
      wanted === null ? 'De nyeste ordrene' : 'Ordrene det gjelder',
      ['Ordre', 'Tilstand', 'Beløp', 'Bestilt', 'Bilag', 'Referanse', 'Grunn', 'Alarm'],
      rows,
    ),
  ].join('\n')
  return layout({ title: 'Ordre', operator, path: '/ordre' }, body)
}

/** What is mailed: first what is not sent yet. */
export function mailsPage({ operator, mails }: { operator: Operator; mails: readonly ListedMail[] }): string {
  const rows = mails.map(({ id, slag, gjelder, laget, forsok, neste, ferdig, utfall }) => [
    html`<a class="ds-link" href="/epost/${id}">${mailKind(slag)}</a>`,
    aboutLink(gjelder),
    timeText(laget),
    cellText(forsok),
    mailOutcome({ forsok, ferdig, utfall }),
    ferdig === null ? timeText(neste) : timeText(ferdig),
  ])
  return layout(
    { title: 'E-post', operator, path: '/epost' },
    dataTable(
      'E-post, den som venter først',
      ['Hva', 'Gjelder', 'Skrevet', 'Forsøk', 'Utfall', 'Sendt eller prøves'],
      rows,
    ),
  )
}

/** An order by its own page, a chain of keys without one by the page of its keys: they differ in length. */
export function aboutLink(id: string): string {
  return html`<a class="ds-link" href="${id.length === 10 ? '/ordre/' : '/nokler?id='}${id}"><code>${id}</code></a>`
}

export function mailKind(slag: string): string {
  return (KINDS as Readonly<Record<string, string>>)[slag] ?? slag
}

export function mailOutcome({
  forsok,
  ferdig,
  utfall,
}: Pick<ListedMail, 'forsok' | 'ferdig' | 'utfall'>): string {
  return ferdig === null ? tag('venter', forsok > 1 ? 'danger' : 'warning') : cellText(utfall)
}

const KINDS = {
  lever: 'nøkkel',
  kvittering: 'kvittering',
  kreditnota: 'kreditnota',
  lenke: 'lenke til bytte',
  erstatt: 'ny nøkkel',
  paaminn: 'påminnelse',
}
