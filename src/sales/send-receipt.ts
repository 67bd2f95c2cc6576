import type { Errand } from '#src/storage/errands.ts'
import { findOrder } from '#src/storage/orders.ts'
import { findReceipt } from '#src/storage/receipts.ts'
import type { SalesContext } from './context.ts'
import { mailErrand, messageId, sendLetter } from './mailing.ts'
import { soldAs } from './sale-document.ts'
import { failpoint } from './steps.ts'

/** Mails the receipt of an order. Safe to run twice: a receipt that comes twice is the same one. */
export async function sendReceipt(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, shop, reached } = context
  await failpoint(reached, 'receipt-stored', () =>
    mailErrand(context, errand, {
      signal,
      send: (letter) => failpoint(reached, 'receipt-sent', () => sendLetter(context, letter, signal)),
      async write(claimed) {
        const order = await findOrder(db, errand.gjelder)
        const receipt = await findReceipt(db, errand.gjelder)
        // Of a state or shape that another release knows (P105).
        if (order === null) return 'not yet'
        if (order.epost === null || receipt === null || shop === null) return null
        return {
          kind: 'receipt',
          to: order.epost,
          order: order.id,
          receiptNumber: receipt.nummer,
          date: receipt.dato,
          product: receipt.produkt,
          amountOre: receipt.belopOre,
          currency: receipt.valuta,
          paymentReference: receipt.betalingsreferanse,
          ...soldAs(order, receipt, shop.offer),
          messageId: messageId(context, claimed),
        }
      },
    }),
  )
}
