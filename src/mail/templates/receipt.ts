import type { Language } from '#src/core/language.ts'
import type { Content } from '../compose.ts'
import { factsBlock, noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { day, organisationNumber, price } from './wording.ts'
import { write } from './write.ts'

/** Who sells. `organisationNumber` has MVA behind it when the seller is in the VAT register, `vatText` says the rest. */
export type Seller = { name: string; organisationNumber: string; address: string; vatText: string }

export type ReceiptMail = {
  to: string
  order: string
  receiptNumber: number
  date: Date
  product: string
  /** What was bought and what is said of VAT, for who reads English. */
  english: { product: string; vatText: string }
  /** In hundredths, VAT included. */
  amountOre: number
  currency: string
  /** Ours at Vipps, as it stands in the buyer's app. */
  paymentReference: string
  seller: Seller
}

/** What bokføringsforskriften § 5-1-1 wants of a sales document: number, date, parties, what, when and where, price, VAT. */
export function receiptMail(data: ReceiptMail, head: Letterhead): Content {
  const { receiptNumber } = data
  return write(
    {
      subject: `Kvittering ${receiptNumber} fra ${head.name}`,
      norsk: {
        title: `Kvittering ${receiptNumber}`,
        blocks: [
          wordsBlock('Takk for kjøpet. Nøkkelen er sendt i en egen e-post.'),
          factsBlock(...rows(data, 'nb')),
          noteBlock('Ta vare på kvitteringen. Den kan brukes som bilag i regnskapet.'),
        ],
        sender: `Hilsen ${data.seller.name}`,
      },
      english: {
        title: `Receipt ${receiptNumber}`,
        blocks: [
          wordsBlock('Thank you for your purchase. The key was sent in a mail of its own.'),
          factsBlock(...rows(data, 'en')),
          noteBlock('Keep this receipt. It can be used as a voucher in your accounts.'),
        ],
        sender: `Regards, ${data.seller.name}`,
      },
    },
    head,
  )
}

function rows(data: ReceiptMail, language: Language): (readonly [string, string])[] {
  return [[names[language].number, String(data.receiptNumber)], ...saleRows(data, language)]
}

/** All but the number: what a document of the same sale says too, with another word for what became of the amount. */
export function saleRows(
  data: ReceiptMail,
  language: Language,
  words: { amount?: string } = {},
): (readonly [string, string])[] {
  const { seller } = data
  const name = { ...names[language], ...words }
  return [
    [name.date, day(data.date, language)],
    [name.seller, seller.name],
    [name.organisation, organisationNumber(seller.organisationNumber)],
    [name.address, seller.address],
    [name.buyer, data.to],
    [name.order, data.order],
    [name.product, language === 'en' ? data.english.product : data.product],
    [name.delivered, name.byMail],
    [name.amount, price(data.amountOre, data.currency, language)],
    [name.vat, language === 'en' ? data.english.vatText : seller.vatText],
    [name.paidWith, `Vipps, ${name.reference} ${data.paymentReference}`],
  ]
}

const names = {
  nb: {
    number: 'Kvittering nr.',
    date: 'Dato',
    seller: 'Selger',
    organisation: 'Org.nr.',
    address: 'Adresse',
    buyer: 'Kjøper',
    order: 'Ordre',
    product: 'Vare',
    delivered: 'Levert',
    byMail: 'elektronisk, på e-post',
    amount: 'Betalt',
    vat: 'Merverdiavgift',
    paidWith: 'Betalingsmåte',
    reference: 'referanse',
  },
  en: {
    number: 'Receipt no.',
    date: 'Date',
    seller: 'Seller',
    organisation: 'Org. no.',
    address: 'Address',
    buyer: 'Buyer',
    order: 'Order',
    product: 'Item',
    delivered: 'Delivered',
    byMail: 'electronically, by mail',
    amount: 'Paid',
    vat: 'VAT',
    paidWith: 'Payment method',
    reference: 'reference',
  },
}
