import { html } from 'ghtml'
import type { Offer } from '#src/sales/ports.ts'
import { emailField, factList } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import { messagePage, nextButton } from './message-page.ts'
import { priceText } from './price.ts'
import { acceptAndPay, offerRows, sellerText } from './purchase-parts.ts'
import type { Visitor } from './visitor.ts'

/** What was typed so far. `form` is made with the first page: the same form sent twice is one order. */
export type Purchase = { epost: string; form: string; error: string | null }

/** First the address alone. */
export function buyPage(
  offer: Offer,
  { epost, form, error }: Purchase,
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  return {
    title: error === null ? t.title : `${t.errorPrefix} ${t.title}`,
    description: t.description,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead(priceText(offer, language))}</p>
<form class="skjema" method="post" action="${at('/kjop')}" novalidate>
<input type="hidden" name="skjema" value="${form}">
!${emailField({ label: t.email, hint: t.emailHint, value: epost, error })}
<button class="ds-button" type="submit">${t.next}</button>
</form>
<h2 class="ds-heading" data-size="xs">${t.whatTitle}</h2>
<ul class="ds-list">!${t.what.map((each) => html`<li>${each}</li>`)}</ul>
<p class="ds-paragraph dempet">${t.seller(`${sellerText(offer, language)}, ${offer.seller.address}`)}</p>
</div>`,
  }
}

/** Then the address shown back, the terms, and the payment. */
export function confirmPage(offer: Offer, { epost, form, error }: Purchase, visitor: Visitor): PageContent {
  const { language, at } = visitor
  const t = words[language]
  return {
    title: error === null ? t.confirmTitle : `${t.errorPrefix} ${t.confirmTitle}`,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.confirmTitle}</h1>
<div class="kort">
<p class="dempet" id="til">${t.sentTo}</p>
<p class="adresse" aria-labelledby="til">${epost}</p>
<form method="post" action="${at('/kjop/endre')}">
<input type="hidden" name="skjema" value="${form}">
<input type="hidden" name="epost" value="${epost}">
<button class="ds-button" data-variant="tertiary" data-size="sm" type="submit">${t.change}</button>
</form>
</div>
!${factList(offerRows(offer, language))}
<form class="skjema" method="post" action="${at('/kjop/betal')}" novalidate>
<input type="hidden" name="skjema" value="${form}">
<input type="hidden" name="epost" value="${epost}">
!${acceptAndPay(offer, { ending: t.acceptEnding, error }, visitor)}
</form>
<p class="ds-paragraph dempet">${t.after}</p>
</div>`,
  }
}

export function closedPage({ language, at }: Visitor): PageContent {
  const t = words[language]
  const next = nextButton(t.example, at('/eksempel'), { isSecondary: true })
  return messagePage({ title: t.closedTitle, text: t.closed, next, isHidden: false })
}

const words = {
  nb: {
    title: 'Kjøp nøkkel',
    description: 'Kjøp en nøkkel som gir tilgang i ett år. Du betaler med Vipps og får nøkkelen på e-post.',
    errorPrefix: 'Feil:',
    lead: (price: string) =>
      `${price} for ett år. Du betaler med Vipps, og nøkkelen kommer på e-post i løpet av et minutt.`,
    email: 'E-postadresse',
    emailHint: 'Nøkkelen og kvitteringen sendes hit. Det kan gjerne være en felles adresse på jobben.',
    next: 'Fortsett',
    whatTitle: 'Dette får du',
    what: [
      'Tilgang til alle oppslag og søk i ett år fra i dag.',
      'Beskjed når foretak du overvåker, endrer seg: på e-post, på siden og til programmene dine.',
      'Nøkler med hvert sitt navn til programmer og kolleger, på det samme kjøpet.',
      'Varsel på e-post før året er omme. Ingenting fornyes av seg selv.',
      'Ny nøkkel når du vil, om den gamle er mistet eller kommet på avveie.',
    ],
    seller: (who: string) => `Selger er ${who}.`,
    confirmTitle: 'Se over og betal',
    sentTo: 'Nøkkelen sendes til',
    change: 'Endre adressen',
    acceptEnding: ', og vil ha nøkkelen med én gang.',
    after: 'Du sendes til Vipps. Beløpet reserveres, og trekkes først når nøkkelen er sendt til deg.',
    closedTitle: 'Salget er stengt',
    closed:
      'Det kan ikke kjøpes nøkler akkurat nå. Nøkler som er kjøpt, virker som før og kan byttes som før.',
    example: 'Se et eksempel',
  },
  en: {
    title: 'Buy a key',
    description: 'Buy a key that gives access for one year. You pay with Vipps and get the key by mail.',
    errorPrefix: 'Error:',
    lead: (price: string) =>
      `${price} for one year. You pay with Vipps, and the key comes by mail within a minute.`,
    email: 'E-mail address',
    emailHint: 'The key and the receipt are sent here. A shared address at work is fine.',
    next: 'Continue',
    whatTitle: 'What you get',
    what: [
      'Access to every look-up and search for one year from today.',
      'Word when companies you watch change: by mail, on the site and to your programs.',
      'Keys with names of their own for programs and colleagues, on the same purchase.',
      'A reminder by mail before the year is over. Nothing is renewed by itself.',
      'A new key whenever you like, if the old one is lost or has leaked.',
    ],
    seller: (who: string) => `The seller is ${who}.`,
    confirmTitle: 'Check and pay',
    sentTo: 'The key is sent to',
    change: 'Change the address',
    acceptEnding: ', and want the key at once.',
    after: 'You are sent to Vipps. The amount is reserved, and taken only once the key has been sent to you.',
    closedTitle: 'The sale is closed',
    closed: 'Keys can not be bought just now. Those that were bought work as before, and can be replaced.',
    example: 'See an example',
  },
} as const
