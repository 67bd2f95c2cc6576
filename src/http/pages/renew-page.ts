import { html } from 'ghtml'
import { moment, organisationNumber } from '#src/mail/templates/wording.ts'
import type { Offer } from '#src/sales/ports.ts'
import { choice, facts } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import { priceText } from './price.ts'
import type { Visitor } from './visitor.ts'

/** Where a reminder's link leads: the next year of a key, from where its last one ends. Opening it orders nothing. */
export function renewPage(
  {
    token,
    offer,
    renewal,
    error,
  }: {
    token: string
    offer: Offer
    renewal: { nokkel: string; utloper: Date }
    error: string | null
  },
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  const price = priceText(offer, language)
  return {
    title: t.title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
!${facts([
      [t.key, renewal.nokkel],
      [t.ends, moment(renewal.utloper, language)],
      [t.product, offer.product],
      [t.price, price],
      [t.vat, offer.seller.vatText],
      [t.seller, `${offer.seller.name}, ${t.orgnr} ${organisationNumber(offer.seller.organisationNumber)}`],
    ])}
<form class="skjema" method="post" action="${at(`/nokkel/forny/${token}`)}" novalidate>
!${choice({
      type: 'checkbox',
      name: 'vilkaar',
      value: 'ja',
      id: 'vilkaar',
      label: html`${t.accept[0]} <a class="ds-link" href="${at('/vilkar')}" target="_blank">${t.accept[1]}</a>.`,
      error,
    })}
<button class="ds-button" type="submit">${t.pay(price)}</button>
</form>
<p class="ds-paragraph dempet">${t.after}</p>
</div>`,
  }
}

export function noRenewalPage(why: 'ugyldig_lenke' | 'alt_fornyet', { language, at }: Visitor): PageContent {
  const t = words[language]
  const { title, text } = t.outcomes[why]
  return {
    title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${title}</h1>
<p class="ds-paragraph ingress">${text}</p>
!${why === 'ugyldig_lenke' ? html`<p class="knapper"><a class="ds-button" href="${at('/kjop')}">${t.buy}</a></p>` : ''}
</div>`,
  }
}

const words = {
  nb: {
    title: 'Kjøp neste år',
    lead: 'Det nye året begynner der det gamle slutter, så du mister ingen dager. Nøkkelen kommer på e-post til samme adresse som før.',
    key: 'Nøkkelens id',
    ends: 'Gjelder til',
    product: 'Vare',
    price: 'Pris',
    vat: 'Merverdiavgift',
    seller: 'Selger',
    orgnr: 'org.nr.',
    accept: ['Jeg godtar', 'kjøpsvilkårene'],
    pay: (price: string) => `Betal ${price} med Vipps`,
    after: 'Beløpet reserveres, og trekkes først når den nye nøkkelen er sendt til deg.',
    buy: 'Kjøp nøkkel',
    outcomes: {
      ugyldig_lenke: {
        title: 'Lenken virker ikke lenger',
        text: 'Den er for gammel. Du kan kjøpe en ny nøkkel i stedet.',
      },
      alt_fornyet: {
        title: 'Neste år er allerede kjøpt',
        text: 'Den nye nøkkelen er sendt til adressen den gamle ble sendt til.',
      },
    },
  },
  en: {
    title: 'Buy the next year',
    lead: 'The new year begins where the old one ends, so you lose no days. The key comes by mail to the same address as before.',
    key: 'Key id',
    ends: 'Valid until',
    product: 'Item',
    price: 'Price',
    vat: 'VAT',
    seller: 'Seller',
    orgnr: 'org. no.',
    accept: ['I accept', 'the terms of purchase'],
    pay: (price: string) => `Pay ${price} with Vipps`,
    after: 'The amount is reserved, and taken only once the new key has been sent to you.',
    buy: 'Buy a key',
    outcomes: {
      ugyldig_lenke: {
        title: 'The link no longer works',
        text: 'It is too old. You can buy a new key instead.',
      },
      alt_fornyet: {
        title: 'The next year has been bought already',
        text: 'The new key was sent to the address the old one went to.',
      },
    },
  },
} as const
