import { type TSchema, Type } from 'typebox'
import { nullish, ShortText, shape } from './shape.ts'

/** A line of Vipps' own books: money that was taken, given back or paid out, of one sales unit's ledger. */
export type SettledEntry = {
  /** Ours, as we gave it with the payment; null for what is of no payment, such as a payout. */
  reference: string | null
  /** `capture`, `refund`, …: new ones may come without notice. */
  kind: string
}

export type SettlementPage<T> = {
  items: T[]
  /** Null at the end. */
  cursor: string | null
  /** The day is not over in Vipps' books: more may come. */
  isOpen: boolean
}

export type Ledger = { id: string; salesUnits: string[] }

const paged = <S extends TSchema>(item: S) =>
  Type.Object({
    items: Type.Array(item, { maxItems: 10_000 }),
    cursor: nullish(Type.String({ maxLength: 2000 })),
    tryLater: nullish(Type.Boolean()),
  })

const readLedgers = shape(
  paged(
    Type.Object({
      ledgerId: Type.String({ pattern: '^[A-Za-z0-9-]{1,40}$' }),
      settlesForRecipientHandles: Type.Array(ShortText, { maxItems: 1000 }),
    }),
  ),
  'a list of ledgers',
)
const readEntries = shape(
  paged(Type.Object({ reference: nullish(ShortText), entryType: ShortText })),
  'a report of settlements',
)

/** @throws VippsAnswerError, as below, when the answer has another shape */
export function parseLedgers(body: unknown): SettlementPage<Ledger> {
  const { items, ...rest } = readLedgers(body)
  return settlementPageOf(
    items.map(({ ledgerId, settlesForRecipientHandles }) => ({
      id: ledgerId,
      salesUnits: settlesForRecipientHandles,
    })),
    rest,
  )
}

export function parseEntries(body: unknown): SettlementPage<SettledEntry> {
  const { items, ...rest } = readEntries(body)
  return settlementPageOf(
    items.map(({ reference, entryType }) => ({ reference: reference ?? null, kind: entryType })),
    rest,
  )
}

function settlementPageOf<T>(
  items: T[],
  { cursor, tryLater }: { cursor?: string | null; tryLater?: boolean | null },
): SettlementPage<T> {
  // The last page has an empty one, or none.
  return { items, cursor: cursor || null, isOpen: tryLater === true }
}
