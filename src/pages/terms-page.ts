import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import type { Language } from '#src/core/language.ts'
import { HOUR_MS } from '#src/core/units.ts'
import { lostKeyHours, organisationNumber } from '#src/mail/templates/wording.ts'
import type { Offer } from '#src/sales/ports.ts'
import { contactLink, type Frame, type PageContent } from './layout.ts'
import { priceText } from './price.ts'
import { productText, vatText } from './purchase-parts.ts'
import { type TextSection, textPage } from './text-page.ts'
import type { Visitor } from './visitor.ts'

/** The terms of purchase. Seller, product and price are configuration; the rest is what the service does. */
export function termsPage(offer: Offer | null, frame: Frame, { language, at }: Visitor): PageContent {
  const t = titles[language]
  const sections = written[language]({
    seller: sellerText(frame, language),
    price: offer === null ? null : `${priceText(offer, language)} (${vatText(offer, language)})`,
    product: offer === null ? null : productText(offer, offer.product, language),
    contact: contactLink(frame.contact),
    privacy: at('/personvern'),
    replace: at('/bytt-nokkel'),
  })
  return { title: t.title, description: t.opening, main: textPage(t.title, t.opening, sections) }
}

const otherAddressHours = policy.sales.otherAddressMs / HOUR_MS
const deliverDays = policy.sales.deliverForMs / (24 * HOUR_MS)

type TermsFacts = {
  /** Written HTML. */
  seller: string
  contact: string
  price: string | null
  product: string | null
  privacy: string
  replace: string
}

function sellerText({ seller }: Frame, language: Language): string {
  if (seller === null) return language === 'nb' ? 'den som driver tjenesten' : 'whoever runs the service'
  const orgnr = language === 'nb' ? 'org.nr.' : 'org. no.'
  return html`${seller.name}, ${orgnr} ${organisationNumber(seller.organisationNumber)}, ${seller.address}`
}

const titles = {
  nb: {
    title: 'Kjøpsvilkår',
    opening: 'Vilkårene gjelder når du kjøper en nøkkel til Bedriftsoppslag, og når du bruker den.',
  },
  en: {
    title: 'Terms of purchase',
    opening: 'These terms apply when you buy a key to Bedriftsoppslag, and when you use it.',
  },
}

const written: Record<Language, (facts: TermsFacts) => TextSection[]> = {
  nb: ({ seller, price, product, contact, privacy, replace }) => [
    {
      id: 'parter',
      title: 'Hvem avtalen er mellom',
      text: [
        html`Selger er !${seller}. Du når oss på !${contact}. Kjøper er den som bestiller, eller virksomheten det bestilles for.`,
      ],
    },
    {
      id: 'vare',
      title: 'Hva du kjøper',
      text: [
        html`${product === null ? 'En API-nøkkel' : `Varen er «${product}»: en API-nøkkel`} som gir lesetilgang til tjenesten i ett år fra den er laget. Kjøper du et år til før det er omme, begynner det nye året der det gamle slutter.`,
        'Ingenting fornyes av seg selv. Vi varsler på e-post 30, 7 og 1 dag før nøkkelen utløper, og når den har gjort det.',
      ],
    },
    {
      id: 'pris',
      title: 'Pris og betaling',
      text: [
        html`${price === null ? 'Prisen står på kjøpssiden' : `Prisen er ${price}`}. Den vises med merverdiavgift før du betaler, og det kommer ingenting i tillegg.`,
        'Du betaler med Vipps. Beløpet reserveres når du godkjenner, og trekkes først når e-posten med nøkkelen er tatt imot av e-posttjeneren din. Kan nøkkelen ikke leveres, trekkes ingenting.',
      ],
    },
    {
      id: 'levering',
      title: 'Levering',
      text: [
        `Nøkkelen sendes på e-post til adressen du oppga, vanligvis i løpet av et minutt. Avviser e-posttjeneren adressen, kan du i ${otherAddressHours} timer oppgi en annen på siden til ordren, som du kommer til etter betalingen; ellers avbrytes kjøpet. Svarer e-posttjeneren ikke, prøver vi i ${deliverDays} døgn før kjøpet avbrytes. Det du får neste år, er en nøkkel for seg: den begynner der den gamle slutter, begge virker til den gamle er utløpt, og ingen av dem stopper den andre.`,
        html`Vi har bare et avtrykk av nøkkelen og kan ikke sende den på nytt, men du kan når som helst <a class="ds-link" href="${replace}">bytte den i en ny</a>. Er den gamle mistet, virker den til du bruker den nye, men høyst i ${lostKeyHours} timer. Er den kommet på avveie, slutter den å virke med én gang.`,
      ],
    },
    {
      id: 'angrerett',
      title: 'Angrerett',
      text: [
        html`Er du forbruker, kan du angre kjøpet innen 14 dager etter at du bestilte, uten å oppgi grunn. Gi beskjed til !${contact} innen fristen; du kan bruke angrerettskjemaet, men må ikke. Nøkkelen trekkes da tilbake, og du får tilbake det du har betalt innen 14 dager, på samme måte som du betalte. Kjøper du for en virksomhet, gjelder ikke angreretten.`,
      ],
    },
    {
      id: 'bruk',
      title: 'Bruk av nøkkelen',
      text: [
        [
          'Nøkkelen er for deg eller virksomheten du kjøper for. Del den ikke med andre, og bytt den om andre kan ha sett den.',
          'Bruk tjenesten på en måte som ikke hindrer andre i å bruke den. Antall oppslag er ikke begrenset. Når mange spør samtidig, svares det etter tur, og en nøkkel som misbrukes, kan stanses.',
          'Opplysninger om mennesker er personopplysninger også når de står i et åpent register. Du er selv ansvarlig for at din bruk har et rettslig grunnlag.',
          'Tjenesten gir ikke kredittopplysninger og er ikke laget for kredittvurdering.',
        ],
      ],
    },
    {
      id: 'opplysningene',
      title: 'Opplysningene',
      text: [
        'Svarene er satt sammen av det registrene gir. Hver del sier hvor den kommer fra, hva den gjelder for, og om den er fersk. Registrene kan ta feil, og vi retter dem ikke: feil rettes hos kilden, og rettelsen vises her kort tid etter. Det er registeret selv som er den offisielle kilden.',
        'Opplysninger fra Brønnøysundregistrene brukes etter NLOD 2.0, fra Statistisk sentralbyrå etter CC BY 4.0. De lisensene følger med videre til deg.',
      ],
    },
    {
      id: 'feil',
      title: 'Når noe ikke virker',
      text: [
        html`En kilde som er nede, er ikke en feil ved tjenesten: svaret sier da hva som mangler. Er selve tjenesten borte over lengre tid, eller virker ikke nøkkelen, så si fra til !${contact}. Retter vi det ikke innen rimelig tid, kan du heve kjøpet og få tilbake den delen av prisen som gjelder tiden som er igjen. Overfor virksomheter er ansvaret vårt begrenset til det som er betalt for året. Forbrukeres rettigheter etter loven gjelder uansett.`,
      ],
    },
    {
      id: 'personvern',
      title: 'Personvern',
      text: [
        html`Hva vi lagrer om deg som kjøper, står på siden om <a class="ds-link" href="${privacy}">personvern</a>.`,
      ],
    },
    {
      id: 'tvist',
      title: 'Uenighet',
      text: [
        'Avtalen følger norsk rett. Blir vi ikke enige, kan forbrukere klage til Forbrukertilsynet, som mekler. Saker mellom oss og virksomheter hører under selgers verneting.',
      ],
    },
  ],
  en: ({ seller, price, product, contact, privacy, replace }) => [
    {
      id: 'parter',
      title: 'The parties',
      text: [
        html`The seller is !${seller}. You reach us at !${contact}. The buyer is whoever orders, or the organisation it is ordered for. Where this text differs from the Norwegian one, the Norwegian one applies.`,
      ],
    },
    {
      id: 'vare',
      title: 'What you buy',
      text: [
        html`${product === null ? 'An API key' : `The item is "${product}": an API key`} that gives read access to the service for one year from when it is made. If you buy another year before it is over, the new one begins where the old one ends.`,
        'Nothing is renewed by itself. We tell you by mail 30, 7 and 1 day before the key expires, and when it has.',
      ],
    },
    {
      id: 'pris',
      title: 'Price and payment',
      text: [
        html`${price === null ? 'The price is shown where you buy' : `The price is ${price}`}. It is shown with VAT before you pay, and nothing is added to it.`,
        'You pay with Vipps. The amount is reserved when you approve, and taken only when your mail server has accepted the mail with the key. If the key can not be delivered, nothing is taken.',
      ],
    },
    {
      id: 'levering',
      title: 'Delivery',
      text: [
        `The key is sent by mail to the address you gave, usually within a minute. If the mail server refuses the address, you can for ${otherAddressHours} hours give another on the page of the order, where you come to after the payment; otherwise the purchase is cancelled. If the mail server does not answer, we try for ${deliverDays} days before the purchase is cancelled. What you get for a next year is a key of its own: it begins where the old one ends, both work until the old one has expired, and neither stops the other.`,
        html`All we have is a hash of the key, so we can not send it again, but you can <a class="ds-link" href="${replace}">replace it with a new one</a> at any time. If the old one is lost, it works until you use the new one, and for ${lostKeyHours} hours at most. If it has leaked, it stops working at once.`,
      ],
    },
    {
      id: 'angrerett',
      title: 'Right of withdrawal',
      text: [
        html`If you are a consumer you may withdraw from the purchase within 14 days of ordering, without giving a reason. Tell !${contact} in time. The key is then revoked, and you get back what you paid within 14 days, in the way you paid it. There is no such right when you buy for an organisation.`,
      ],
    },
    {
      id: 'bruk',
      title: 'Use of the key',
      text: [
        [
          'The key is for you, or the organisation you buy for. Do not share it, and replace it if others may have seen it.',
          'Use the service in a way that does not keep others from using it. The number of look-ups is not limited. When many ask at once they are answered in turn, and a key that is misused may be stopped.',
          'Information about people is personal data even when it is in an open register. You are yourself responsible for the legal basis of your use.',
          'The service gives no credit information and is not made for credit assessment.',
        ],
      ],
    },
    {
      id: 'opplysningene',
      title: 'The information',
      text: [
        'The answers are put together from what the registers give. Each part says where it comes from, as of when, and whether it is fresh. Registers may be wrong, and we do not correct them: errors are corrected at the source, and the correction is shown here shortly after. The register itself is the official source.',
        'Information from Brønnøysundregistrene is used under NLOD 2.0, from Statistics Norway under CC BY 4.0. Those licences follow it on to you.',
      ],
    },
    {
      id: 'feil',
      title: 'When something does not work',
      text: [
        html`A source that is down is no defect of the service: the answer then says what is missing. If the service itself is gone for long, or the key does not work, tell !${contact}. If we do not put it right within reasonable time, you may cancel the purchase and get back the part of the price for the time that is left. Towards organisations our liability is limited to what was paid for the year. The rights consumers have by law apply in any case.`,
      ],
    },
    {
      id: 'personvern',
      title: 'Privacy',
      text: [
        html`What we keep about you as a buyer is told on the page about <a class="ds-link" href="${privacy}">privacy</a>.`,
      ],
    },
    {
      id: 'tvist',
      title: 'Disputes',
      text: [
        'Norwegian law applies. If we do not agree, consumers may complain to Forbrukertilsynet, which mediates. Cases between us and organisations belong to the court of the seller.',
      ],
    },
  ],
}
