import { choice, NotUnderstood, unlessEmpty, whole, words } from './kinds.ts'
import { allOrNone, type Given, valuesOf } from './variable.ts'

/** What is sold, and by whom. */
export const saleVariables = {
  SELLER_NAME: {
    meaning:
      'Who sells, as it stands on receipts and pages. SELLER_* and PRICE_ORE are all set, or none: then nothing is sold.',
    standard: '',
    read: unlessEmpty(words(2, 200)),
  },
  SELLER_ORGNR: {
    meaning: "The seller's organisation number, with MVA behind it when it is in the VAT register.",
    standard: '',
    read: unlessEmpty(sellerNumber),
  },
  SELLER_ADDRESS: {
    meaning: "The seller's postal address, on one line.",
    standard: '',
    read: unlessEmpty(words(5, 300)),
  },
  SELLER_VAT_TEXT: {
    meaning: 'What receipts say of VAT: rate and amount, or that none is charged, and why.',
    standard: '',
    read: unlessEmpty(words(3, 200)),
  },
  SELLER_VAT_TEXT_EN: {
    meaning: 'The same for who reads English. Left out, the Norwegian words stand there.',
    standard: '',
    read: unlessEmpty(words(3, 200)),
  },
  PRODUCT_NAME: {
    meaning: 'What is sold, as the buyer sees it at Vipps and on the receipt.',
    standard: 'API-nøkkel, ett år',
    read: words(3, 100),
  },
  PRODUCT_NAME_EN: {
    meaning: 'The same for who reads English.',
    standard: 'API key, one year',
    read: words(3, 100),
  },
  PRICE_ORE: {
    meaning: 'The price of a year in øre (hundredths of CURRENCY), VAT included.',
    standard: '',
    read: unlessEmpty(whole(100, 100_000_000)),
  },
  CURRENCY: {
    meaning: 'The currency of the price.',
    standard: 'NOK',
    read: choice('NOK', 'DKK', 'EUR', 'SEK'),
  },
  SALE: {
    meaning: 'stengt: no new orders; those there are come to their end.',
    standard: 'apen',
    read: choice('apen', 'stengt'),
  },
} as const

export type SaleTerms = {
  readonly isOpen: boolean
  readonly seller: {
    readonly name: string
    readonly organisationNumber: string
    readonly address: string
    readonly vatText: string
  }
  readonly product: string
  /** What is sold and what is said of VAT, for who reads English. */
  readonly english: { readonly product: string; readonly vatText: string }
  readonly priceOre: number
  readonly currency: string
}

/**
 * Norwegian law wants all of it on a receipt.
 *
 * @returns null when nothing is sold
 */
export function saleTerms(env: Given): SaleTerms | null {
  const value = valuesOf(saleVariables, env)
  const set = {
    SELLER_NAME: value('SELLER_NAME'),
    SELLER_ORGNR: value('SELLER_ORGNR'),
    SELLER_ADDRESS: value('SELLER_ADDRESS'),
    SELLER_VAT_TEXT: value('SELLER_VAT_TEXT'),
    PRICE_ORE: value('PRICE_ORE'),
  }
  const common = {
    isOpen: value('SALE') === 'apen',
    product: value('PRODUCT_NAME'),
    currency: value('CURRENCY'),
  }
  const terms = allOrNone(set, 'since other variables of the sale are set. (All are set, or none.)')
  if (terms === null) return null
  return {
    ...common,
    english: {
      product: value('PRODUCT_NAME_EN'),
      vatText: value('SELLER_VAT_TEXT_EN') ?? terms.SELLER_VAT_TEXT,
    },
    priceOre: terms.PRICE_ORE,
    seller: {
      name: terms.SELLER_NAME,
      organisationNumber: terms.SELLER_ORGNR,
      address: terms.SELLER_ADDRESS,
      vatText: terms.SELLER_VAT_TEXT,
    },
  }
}

function sellerNumber(value: string): string {
  if (!/^[0-9]{3} ?[0-9]{3} ?[0-9]{3}( ?MVA)?$/.test(value)) {
    throw new NotUnderstood('nine digits, and MVA behind them or not')
  }
  return value
}
