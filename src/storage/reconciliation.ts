import { Type } from 'typebox'
import type { Queryable } from './database.ts'
import { type OrderState, orderStateNames } from './order-states.ts'
import { nullable, rowReader } from './read-rows.ts'

/** What an order of ours gives its payments for a name, as a pattern: see `placeOrder`. */
export const OUR_REFERENCE = '^bo-[0-9a-z]{10}-[0-9]{1,3}$'

/** What is looked at of an order when it is compared with its payment. */
export type BookedOrder = {
  id: string
  referanse: string
  tilstand: OrderState
  belopOre: number
  valuta: string
  /** Its line of the books; null when there is none. */
  bilag: number | null
}

/**
 * The orders that were made since, and those of these payments whenever they were made; oldest first, at most `limit`.
 *
 * @param wanted `since`: null for those of the payments alone
 */
export async function listBookedOrders(
  db: Queryable,
  { since, references, limit }: { since: Date | null; references: readonly string[]; limit: number },
): Promise<BookedOrder[]> {
  const rows = await db.query(
    `select o.id, o.referanse, o.tilstand, o.belop_ore as "belopOre", o.valuta, b.nummer as bilag
     from ordre o left join bilag b on b.ordre = o.id
     where o.laget_at >= $1 or o.referanse = any($2) order by o.laget_at, o.id limit $3`,
    [since, references, limit],
  )
  return readBooked(rows).map((row) => ({
    ...row,
    bilag: row.bilag === null ? null : Number(row.bilag),
  }))
}

const readBooked = rowReader(
  'ordre',
  Type.Object({
    id: Type.String(),
    referanse: Type.String(),
    tilstand: Type.Enum(orderStateNames),
    belopOre: Type.Integer({ minimum: 0 }),
    valuta: Type.String(),
    // A bigint, as pg gives it.
    bilag: nullable(Type.String({ pattern: '^[0-9]+$' })),
  }),
)

/** Payments Vipps has sent messages about that are of no order here, oldest first, at most `limit`. */
export async function listPaymentsOfNobody(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ referanse: string }>(
    `select referanse from betalingshendelse h where ordre is null
       and not exists (select 1 from ordre o where o.referanse = h.referanse)
     group by referanse order by min(mottatt_at), referanse limit $1`,
    [limit],
  )
  return rows.map(({ referanse }) => referanse)
}
