import type { Errand } from '#src/storage/errands.ts'
import { findOrder } from '#src/storage/orders.ts'
import { findCreditNote } from '#src/storage/receipts.ts'
import type { SalesContext } from './context.ts'
import { mailErrand, messageId, sendLetter } from './mailing.ts'
import { soldAs } from './sale-document.ts'
import { failpoint } from './steps.ts'

/** Mails the credit note of an order that was refunded. Safe to run twice: one that comes twice is the same one. */
export async function sendCreditNote(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, shop, reached } = context
  await failpoint(reached, 'credit-note-stored', () =>
    mailErrand(context, errand, {
      signal,
      send: (letter) => failpoint(reached, 'credit-note-sent', () => sendLetter(context, letter, signal)),
      async write(claimed) {
        const order = await findOrder(db, errand.gjelder)
        const note = await findCreditNote(db, errand.gjelder)
        // Of a state or shape that another release knows (P105).
        if (order === null) return 'not yet'
        if (order.epost === null || note === null || shop === null) return null
        return {
          kind: 'credit_note',
          to: order.epost,
          order: order.id,
          number: note.nummer,
          receiptNumber: note.bilag,
          date: note.dato,
          product: note.produkt,
          amountOre: note.belopOre,
          // All that was taken is back by now, whichever release gave it.
          givenBackOre: order.trukketOre ?? note.belopOre,
          currency: note.valuta,
          paymentReference: note.betalingsreferanse,
          ...soldAs(order, note, shop.offer),
          messageId: messageId(context, claimed),
        }
      },
    }),
  )
}
