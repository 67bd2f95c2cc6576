import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Offer } from '#src/sales/ports.ts'
import type { OrderView } from '#src/sales/read-order.ts'
import { orderStates } from '#src/storage/order-states.ts'
import { emailField, factList } from './form-parts.ts'
import { contactLink, type PageContent } from './layout.ts'
import { orderText } from './order-words.ts'
import { priceText } from './price.ts'
import { productText } from './purchase-parts.ts'
import { recordExcerpt } from './record-view/record-view.ts'
import type { Visitor } from './visitor.ts'

const REFRESH_SECONDS = 5

/**
 * Where an order stands, truly. There is no key on it, in any state. Its address is the buyer's proof: whoever has it may
 * give another address for a mail that was refused, and nothing else.
 *
 * @param refused what was wrong with the other address, and what was typed
 */
export function orderPage(
  { order, offer, token, publicUrl, contact, script, sample }: OrderShown,
  { language, at }: Visitor,
  refused: { epost: string; error: string } | null = null,
): PageContent {
  const t = words[language]
  const product = productText(offer, order.produkt, language)
  const { title, text, tone } = orderText(order, language)
  const { leadsTo, isDelivered } = orderStates[order.tilstand]
  return {
    title,
    description: null,
    isHidden: true,
    // Whoever is typing an address is not interrupted.
    ...(order.erEndelig || order.kanGiNyAdresse ? {} : { refreshSeconds: REFRESH_SECONDS, script }),
    main: html`<div data-tilstand="${order.tilstand}" data-endelig="${order.erEndelig || order.kanGiNyAdresse ? 'ja' : 'nei'}">
<div class="ramme smal luft">
<p class="overlinje">${t.order} ${order.nummer}</p>
<div role="status">
<h1 class="ds-heading" data-size="lg">${title}</h1>
<div class="ds-alert merknad" data-color="${tone}"><p class="ds-paragraph">${text}</p></div>
</div>
!${steps(order, t)}
!${order.tilstand === 'opprettet' && order.betalingslenke !== null ? html`<p class="knapper"><a class="ds-button" href="${order.betalingslenke}">${t.pay}</a></p>` : ''}
!${order.kanGiNyAdresse ? otherAddress(order, at(`/ordre/${token}/adresse`), language, refused) : ''}
!${leadsTo === 'nothing' && order.grunn !== 'alt_fornyet' ? html`<form class="knapper" method="post" action="${at(`/ordre/${token}/igjen`)}"><button class="ds-button" type="submit">${t.again}</button></form>` : ''}
!${leadsTo === 'operator' ? html`<p class="ds-paragraph">${t.contact} !${contactLink(contact)}</p>` : ''}
!${isDelivered ? guide(publicUrl, language, at) : ''}
<h2 class="ds-heading" data-size="xs">${t.about}</h2>
!${factList([
      [t.product, order.erFornyelse ? `${product} (${t.renewal})` : product],
      [t.amount, priceText({ priceOre: order.belopOre, currency: order.valuta }, language)],
      ...(order.epost === null ? [] : [[t.email, order.epost] as const]),
      [t.ordered, moment(order.laget, language)],
    ])}
<p class="ds-paragraph dempet">${order.erEndelig ? t.keep : order.kanGiNyAdresse ? t.waits : t.updates}</p>
</div>
!${isDelivered ? excerpt(sample, language) : ''}
</div>`,
  }
}

export type OrderShown = {
  order: OrderView
  /** What is sold now; null when nothing is. */
  offer: Offer | null
  token: string
  publicUrl: string
  contact: string
  script: string
  /** What a record looks like. */
  sample: Bedrift
}

type PageWords = (typeof words)[Language]

/** Ordered, paid, sent: how far it has come, for an order that is on its way or has arrived. */
function steps({ tilstand }: OrderView, t: PageWords): string {
  const { leadsTo, isDelivered } = orderStates[tilstand]
  if (tilstand === 'avvist' || (leadsTo !== 'payment' && leadsTo !== 'key')) return ''
  const done = [true, leadsTo === 'key', isDelivered]
  return html`<ol class="steg">!${t.steps.map((name, index) => html`<li class="steg__en!${done[index] === true ? ' steg__en--gjort' : ''}">${name}!${done[index] === true ? html`<span class="ds-sr-only">: ${t.stepDone}</span>` : ''}</li>`)}</ol>`
}

function otherAddress(
  { adressefrist }: OrderView,
  action: string,
  language: Language,
  refused: { epost: string; error: string } | null,
): string {
  const t = words[language]
  return html`<form class="skjema" method="post" action="${action}" novalidate>
!${emailField({
    label: t.otherAddress,
    hint: adressefrist === null ? t.otherHint : t.otherUntil(moment(adressefrist, language)),
    value: refused?.epost ?? '',
    error: refused?.error ?? null,
  })}
<button class="ds-button" type="submit">${t.send}</button>
</form>`
}

/** What to do with a key. It is in the mail alone: here it has a name in its place. */
function guide(publicUrl: string, language: Language, at: Visitor['at']): string {
  const t = words[language]
  const call = `curl -H "Authorization: Bearer ${t.yourKey}" ${publicUrl}/api/bedrift/status`
  return html`<h2 class="ds-heading" data-size="xs" id="videre">${t.nextTitle}</h2>
<ol class="ds-list">
<li>${t.withoutCode} <a class="ds-link" href="${at('/logg-inn')}">${t.logIn}</a></li>
<li>${t.next[0]}<div class="kode kode--liten" role="region" aria-labelledby="videre" tabindex="0"><pre><code>${call}</code></pre></div></li>
<li>${t.next[1]} <a class="ds-link" href="${at('/dokumentasjon')}">${t.documentation}</a></li>
<li>${t.next[2]} <a class="ds-link" href="${at('/eksempel')}">${t.example}</a></li>
<li>${t.next[3]} <a class="ds-link" href="${at('/nokler')}">${t.keys}</a></li>
<li>${t.next[4]} <a class="ds-link" href="${at('/bytt-nokkel')}">${t.replace}</a></li>
</ol>`
}

function excerpt(sample: Bedrift, language: Language): string {
  return html`<section class="tonet" aria-labelledby="eksempel"><div class="ramme luft">
<p class="overlinje" id="eksempel">${words[language].sample}</p>
!${recordExcerpt(sample, language)}
</div></section>`
}

const words = {
  nb: {
    order: 'Ordre',
    pay: 'Fortsett til betalingen',
    again: 'Prøv igjen',
    contact: 'Ta kontakt:',
    about: 'Om ordren',
    product: 'Vare',
    renewal: 'fornyelse',
    amount: 'Beløp',
    email: 'E-post',
    ordered: 'Bestilt',
    keep: 'Du kan lukke denne siden. Adressen til den virker også senere.',
    updates: 'Siden oppdaterer seg selv. Du kan lukke den: nøkkelen kommer uansett.',
    waits:
      'Ta vare på adressen til denne siden: den står ikke i noen e-post, og bare her kan du oppgi en annen e-postadresse.',
    steps: ['Bestilt', 'Betalingen er godkjent', 'Nøkkelen er sendt'],
    stepDone: 'gjort',
    otherAddress: 'En annen e-postadresse',
    otherHint: 'Nøkkelen og kvitteringen sendes hit.',
    otherUntil: (until: string) =>
      `Nøkkelen og kvitteringen sendes hit. Etter ${until} avbrytes kjøpet, og reservasjonen slippes.`,
    send: 'Send nøkkelen hit',
    nextTitle: 'Slik kommer du i gang',
    withoutCode: 'Finn nøkkelen i e-posten. Uten å skrive kode slår du opp her:',
    logIn: 'logg inn med nøkkelen',
    next: [
      'Eller bruk den i et program, her fra et terminalvindu:',
      'Les hva du kan spørre om:',
      'Se hva som er i et svar:',
      'Trenger flere programmer hver sin nøkkel, lager du dem selv:',
      'Er nøkkelen mistet, bytter du den selv:',
    ],
    yourKey: 'NØKKELEN-DIN',
    documentation: 'dokumentasjonen',
    example: 'et eksempel',
    keys: 'nøklene dine',
    replace: 'bytt nøkkel',
    sample: 'Slik kan et svar vises for mennesker: et oppdiktet foretak',
  },
  en: {
    order: 'Order',
    pay: 'Go on to the payment',
    again: 'Try again',
    contact: 'Get in touch:',
    about: 'About the order',
    product: 'Item',
    renewal: 'renewal',
    amount: 'Amount',
    email: 'E-mail',
    ordered: 'Ordered',
    keep: 'You may close this page. Its address works later, too.',
    updates: 'This page updates by itself. You may close it: the key comes all the same.',
    waits:
      'Keep the address of this page: it is in no mail, and only here can you give another e-mail address.',
    steps: ['Ordered', 'The payment is approved', 'The key has been sent'],
    stepDone: 'done',
    otherAddress: 'Another e-mail address',
    otherHint: 'The key and the receipt are sent here.',
    otherUntil: (until: string) =>
      `The key and the receipt are sent here. After ${until} the purchase is cancelled and the reservation let go.`,
    send: 'Send the key here',
    nextTitle: 'How to begin',
    withoutCode: 'Find the key in the mail. Without writing code you look up here:',
    logIn: 'log in with the key',
    next: [
      'Or use it in a program, here from a terminal:',
      'Read what you can ask:',
      'See what is in an answer:',
      'If several programs need a key each, you make them yourself:',
      'If the key is lost, you replace it yourself:',
    ],
    yourKey: 'YOUR-KEY',
    documentation: 'the documentation',
    example: 'an example',
    keys: 'your keys',
    replace: 'replace a key',
    sample: 'How an answer can be shown to people: an invented company',
  },
} as const
