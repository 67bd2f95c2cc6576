import type { Language } from '#src/core/language.ts'
import type { OrderView } from '#src/sales/read-order.ts'

/** What a buyer is told of an order: where it stands, and what, if anything, is theirs to do. */
export type OrderText = { title: string; text: string; tone: 'info' | 'success' | 'warning' | 'danger' }

export function orderText({ tilstand, grunn, epost }: OrderView, language: Language): OrderText {
  const to = epost ?? (language === 'nb' ? 'adressen på ordren' : 'the address on the order')
  const told = texts[language](to)
  if (tilstand === 'kansellert' || tilstand === 'kanselleres') {
    if (grunn === 'alt_fornyet') return told.boughtAlready
    return grunn === 'adresse_avvist' ? told.refusedForGood : told.cancelled
  }
  return told[tilstand]
}

type Texts = Record<
  | Exclude<OrderView['tilstand'], 'kansellert' | 'kanselleres'>
  | 'refusedForGood'
  | 'boughtAlready'
  | 'cancelled',
  OrderText
>

const texts: Record<Language, (to: string) => Texts> = {
  nb: (to) => ({
    opprettet: {
      title: 'Vi venter på betalingen',
      text: 'Vi har ikke fått svar fra Vipps ennå. Har du godkjent betalingen, tar det bare noen sekunder.',
      tone: 'info',
    },
    reservert: {
      title: 'Betalingen er godkjent',
      text: `Nøkkelen er på vei til ${to}. Beløpet er reservert, og trekkes først når e-posten er tatt imot.`,
      tone: 'info',
    },
    avvist: {
      title: 'E-posten ble avvist',
      text: `E-posttjeneren tok ikke imot ${to}. Ingenting er trukket. Oppgi en annen adresse, så sender vi nøkkelen dit.`,
      tone: 'warning',
    },
    sendt: {
      title: 'Nøkkelen er sendt',
      text: `Se etter den i innboksen til ${to}, og i søppelposten om den ikke er der. Beløpet trekkes nå.`,
      tone: 'success',
    },
    fullfort: {
      title: 'Nøkkelen er sendt og betalt',
      text: `Se etter den i innboksen til ${to}, og i søppelposten om den ikke er der. Kvitteringen kommer i en egen e-post.`,
      tone: 'success',
    },
    refunderes: {
      title: 'Kjøpet blir refundert',
      text: 'Nøkkelen er avsluttet, og beløpet er på vei tilbake dit det ble betalt fra.',
      tone: 'info',
    },
    refundert: {
      title: 'Kjøpet er refundert',
      text: 'Nøkkelen er avsluttet. Beløpet er gitt tilbake; det kan ta noen dager før det vises. Kreditnotaen kommer i en egen e-post.',
      tone: 'success',
    },
    avbrutt: {
      title: 'Betalingen ble avbrutt',
      text: 'Ingenting er trukket, og ingen nøkkel er sendt. Du kan prøve igjen når du vil.',
      tone: 'warning',
    },
    utlopt: {
      title: 'Tiden gikk ut',
      text: 'Betalingen ble ikke godkjent i tide. Ingenting er trukket, og ingen nøkkel er sendt.',
      tone: 'warning',
    },
    cancelled: {
      title: 'Kjøpet er avbrutt',
      text: 'Nøkkelen kunne ikke leveres. Ingenting er trukket, og reservasjonen slippes.',
      tone: 'warning',
    },
    refusedForGood: {
      title: 'Kjøpet er avbrutt',
      text: 'E-posten ble avvist, og vi fikk ingen annen adresse i tide. Ingenting er trukket, og reservasjonen slippes.',
      tone: 'warning',
    },
    boughtAlready: {
      title: 'Det neste året er kjøpt fra før',
      text: 'Nøkkelen ble fornyet med en annen betaling. Denne trekkes ikke, og reservasjonen slippes.',
      tone: 'info',
    },
    tapt: {
      title: 'Beløpet kunne ikke trekkes',
      text: 'Nøkkelen som ble sendt, er derfor trukket tilbake. Ta kontakt, så finner vi ut av det.',
      tone: 'danger',
    },
    avvik: {
      title: 'Betalingen stemmer ikke med ordren',
      text: 'Derfor er ingen nøkkel sendt, og ingenting er trukket av oss. Vi ser på den. Ta gjerne kontakt.',
      tone: 'danger',
    },
  }),
  en: (to) => ({
    opprettet: {
      title: 'Waiting for the payment',
      text: 'Vipps has not answered yet. If you have approved the payment it takes only a few seconds.',
      tone: 'info',
    },
    reservert: {
      title: 'The payment is approved',
      text: `The key is on its way to ${to}. The amount is reserved, and taken only once the mail has been accepted.`,
      tone: 'info',
    },
    avvist: {
      title: 'The mail was refused',
      text: `The mail server did not accept ${to}. Nothing has been taken. Give another address, and the key is sent there.`,
      tone: 'warning',
    },
    sendt: {
      title: 'The key has been sent',
      text: `Look in the inbox of ${to}, and among the junk if it is not there. The amount is being taken now.`,
      tone: 'success',
    },
    fullfort: {
      title: 'The key is sent and paid for',
      text: `Look in the inbox of ${to}, and among the junk if it is not there. The receipt comes in a mail of its own.`,
      tone: 'success',
    },
    refunderes: {
      title: 'The purchase is being refunded',
      text: 'The key has ended, and the amount is on its way back to where it was paid from.',
      tone: 'info',
    },
    refundert: {
      title: 'The purchase has been refunded',
      text: 'The key has ended. The amount has been given back; it may take some days to show. The credit note comes in a mail of its own.',
      tone: 'success',
    },
    avbrutt: {
      title: 'The payment was cancelled',
      text: 'Nothing has been taken, and no key has been sent. You can try again whenever you like.',
      tone: 'warning',
    },
    utlopt: {
      title: 'The time ran out',
      text: 'The payment was not approved in time. Nothing has been taken, and no key has been sent.',
      tone: 'warning',
    },
    cancelled: {
      title: 'The purchase was cancelled',
      text: 'The key could not be delivered. Nothing has been taken, and the reservation is let go.',
      tone: 'warning',
    },
    refusedForGood: {
      title: 'The purchase was cancelled',
      text: 'The mail was refused, and no other address came in time. Nothing has been taken, and the reservation is let go.',
      tone: 'warning',
    },
    boughtAlready: {
      title: 'The next year is bought already',
      text: 'The key was renewed by another payment. This one is not taken, and the reservation is let go.',
      tone: 'info',
    },
    tapt: {
      title: 'The amount could not be taken',
      text: 'The key that was sent has therefore been revoked. Get in touch, and we will sort it out.',
      tone: 'danger',
    },
    avvik: {
      title: 'The payment does not match the order',
      text: 'Therefore no key has been sent, and we have taken nothing. We are looking into it. Do get in touch.',
      tone: 'danger',
    },
  }),
}
