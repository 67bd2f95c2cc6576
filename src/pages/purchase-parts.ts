import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { organisationNumber } from '#src/mail/templates/wording.ts'
import type { Offer } from '#src/sales/ports.ts'
import { choiceField } from './form-parts.ts'
import { priceText } from './price.ts'
import type { Visitor } from './visitor.ts'

/** What is bought, for what and of whom: what a buyer has to see before paying. */
export function offerRows(offer: Offer, language: Language): [name: string, value: string][] {
  const t = words[language]
  return [
    [t.product, productText(offer, offer.product, language)],
    [t.price, priceText(offer, language)],
    [t.vat, vatText(offer, language)],
    [t.seller, sellerText(offer, language)],
  ]
}

/**
 * What was sold, in the reader's language: an order keeps the name it was sold under.
 *
 * @param product as it stands on the order
 */
export function productText(offer: Offer | null, product: string, language: Language): string {
  return language === 'en' && product === offer?.product ? offer.english.product : product
}

export function vatText({ seller, english }: Offer, language: Language): string {
  return language === 'en' ? english.vatText : seller.vatText
}

export function sellerText({ seller }: Offer, language: Language): string {
  return `${seller.name}, ${words[language].orgnr} ${organisationNumber(seller.organisationNumber)}`
}

/**
 * The box for the terms, and the button below it.
 *
 * @param ending of the sentence that is agreed to
 */
export function acceptAndPay(
  offer: Offer,
  { ending = '.', error }: { ending?: string; error: string | null },
  { language, at }: Visitor,
): string {
  const t = words[language]
  return html`!${choiceField({
    type: 'checkbox',
    name: 'vilkaar',
    value: 'ja',
    id: 'vilkaar',
    label: html`${t.accept} <a class="ds-link" href="${at('/vilkar')}" target="_blank">${t.terms}</a>${ending}`,
    error,
  })}
<button class="ds-button" type="submit">${t.pay(priceText(offer, language))}</button>`
}

const words = {
  nb: {
    product: 'Vare',
    price: 'Pris',
    vat: 'Merverdiavgift',
    seller: 'Selger',
    orgnr: 'org.nr.',
    accept: 'Jeg godtar',
    terms: 'kjøpsvilkårene',
    pay: (price: string) => `Betal ${price} med Vipps`,
  },
  en: {
    product: 'Item',
    price: 'Price',
    vat: 'VAT',
    seller: 'Seller',
    orgnr: 'org. no.',
    accept: 'I accept',
    terms: 'the terms of purchase',
    pay: (price: string) => `Pay ${price} with Vipps`,
  },
} as const
