import type { Language } from '#src/core/language.ts'
import type { Content } from '../compose.ts'
import { factsBlock, noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { type ReceiptMail, saleRows } from './receipt.ts'
import { price } from './wording.ts'
import { write } from './write.ts'

/**
 * `receiptNumber`: of the receipt that it credits, whole, with its VAT. `givenBackOre`: what came back to the buyer, all that was taken:
 * less than the receipt says, where less was taken.
 */
export type CreditNoteMail = ReceiptMail & { number: number; givenBackOre: number }

/** What bokføringsforskriften § 5-2-7 wants of a credit note: the same as of a receipt, and which one it is of. */
export function creditNoteMail(data: CreditNoteMail, head: Letterhead): Content {
  const { number } = data
  return write(
    {
      subject: `Kreditnota ${number} fra ${head.name}`,
      norsk: {
        title: `Kreditnota ${number}`,
        blocks: [
          wordsBlock(
            'Kjøpet er refundert. Beløpet kommer tilbake dit det ble betalt fra; det kan ta noen dager.',
          ),
          wordsBlock('Nøkkelen som hørte til kjøpet, er avsluttet.'),
          factsBlock(...rows(data, 'nb')),
          noteBlock('Ta vare på kreditnotaen. Den kan brukes som bilag i regnskapet.'),
        ],
        sender: `Hilsen ${data.seller.name}`,
      },
      english: {
        title: `Credit note ${number}`,
        blocks: [
          wordsBlock(
            'Your purchase has been refunded. The amount goes back to where it was paid from; it may take some days.',
          ),
          wordsBlock('The key that came with it has ended.'),
          factsBlock(...rows(data, 'en')),
          noteBlock('Keep this credit note. It can be used as a voucher in your accounts.'),
        ],
        sender: `Regards, ${data.seller.name}`,
      },
    },
    head,
  )
}

function rows(data: CreditNoteMail, language: Language): (readonly [string, string])[] {
  const name = names[language]
  return [
    [name.number, String(data.number)],
    [name.credits, String(data.receiptNumber)],
    ...saleRows(data, language, { amount: name.amount }),
    [name.givenBack, price(data.givenBackOre, data.currency, language)],
  ]
}

const names = {
  nb: {
    number: 'Kreditnota nr.',
    credits: 'Gjelder kvittering nr.',
    amount: 'Kreditert',
    givenBack: 'Refundert',
  },
  en: {
    number: 'Credit note no.',
    credits: 'Credits receipt no.',
    amount: 'Credited',
    givenBack: 'Refunded',
  },
}
