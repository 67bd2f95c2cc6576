import { html } from 'ghtml'
import { moment } from '#src/mail/templates/wording.ts'
import type { Offer } from '#src/sales/ports.ts'
import { factList } from './form-parts.ts'
import type { PageContent } from './layout.ts'
import { messagePage, nextButton } from './message-page.ts'
import { acceptAndPay, offerRows } from './purchase-parts.ts'
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
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  return {
    title: t.title,
    description: null,
    isHidden: true,
    main: html`<div class="ramme smal luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
!${factList([
      [t.key, renewal.nokkel],
      [t.ends, moment(renewal.utloper, language)],
      ...offerRows(offer, language),
    ])}
<form class="skjema" method="post" action="${at(`/nokkel/forny/${token}`)}" novalidate>
!${acceptAndPay(offer, { error }, visitor)}
</form>
<p class="ds-paragraph dempet">${t.after}</p>
</div>`,
  }
}

export function noRenewalPage(why: 'ugyldig_lenke' | 'alt_fornyet', { language, at }: Visitor): PageContent {
  const t = words[language]
  const next = why === 'ugyldig_lenke' ? nextButton(t.buy, at('/kjop')) : ''
  return messagePage({ ...t.outcomes[why], next })
}

const words = {
  nb: {
    title: 'Kjøp neste år',
    lead: 'Det nye året begynner der det gamle slutter, så du mister ingen dager. Nøkkelen kommer på e-post til samme adresse som før.',
    key: 'Nøkkelens id',
    ends: 'Gjelder til',
    after: 'Beløpet reserveres, og trekkes først når den nye nøkkelen er sendt til deg.',
    buy: 'Kjøp nøkkel',
    outcomes: {
      ugyldig_lenke: {
        title: 'Lenken virker ikke lenger',
        text: 'Den er for gammel, eller nøkkelen er avsluttet. Du kan kjøpe en ny nøkkel i stedet.',
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
    after: 'The amount is reserved, and taken only once the new key has been sent to you.',
    buy: 'Buy a key',
    outcomes: {
      ugyldig_lenke: {
        title: 'The link no longer works',
        text: 'It is too old, or the key has been ended. You can buy a new key instead.',
      },
      alt_fornyet: {
        title: 'The next year has been bought already',
        text: 'The new key was sent to the address the old one went to.',
      },
    },
  },
} as const
