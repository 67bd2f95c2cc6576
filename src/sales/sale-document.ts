import type { StoredOrder } from '#src/storage/orders.ts'
import type { Receipt } from '#src/storage/receipts.ts'
import type { Offer } from './ports.ts'

/**
 * Who sold, and what was said of VAT, as it stands on a document of a sale: as it was when it was ordered, whatever is sold by whom
 * today. Of what an earlier release took it is known in part: the books have its word on VAT.
 */
export function soldAs(
  { salg }: Pick<StoredOrder, 'salg'>,
  { produkt, mva }: Pick<Receipt, 'produkt' | 'mva'>,
  { product, seller, english }: Offer,
): Pick<Offer, 'seller' | 'english'> {
  if (salg !== null) return salg
  return {
    seller: { ...seller, vatText: mva },
    english: {
      product: produkt === product ? english.product : produkt,
      vatText: mva === seller.vatText ? english.vatText : mva,
    },
  }
}
