import { type Static, Type } from 'typebox'
import type { Miljo } from '#src/core/api-key.ts'
import { lockRenewal } from './chain-lock.ts'
import type { Queryable } from './database.ts'
import { isRightOver } from './key-chain.ts'
import { inStates, type OrderState, type OrderStateFacts, orderStateNames } from './order-states.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

/** Who sold, and what was said of it and of VAT, on the day it was ordered. */
const OrderedSale = Type.Object({
  seller: Type.Object({
    name: Type.String(),
    organisationNumber: Type.String(),
    address: Type.String(),
    vatText: Type.String(),
  }),
  english: Type.Object({ product: Type.String(), vatText: Type.String() }),
})
type OrderedSale = Static<typeof OrderedSale>

/** An order as it is stored; `grunn` and `alarm` are the words of src/sales/order.ts. Amounts in øre. */
export type StoredOrder = {
  id: string
  referanse: string
  tilstand: OrderState
  /** Null once it is no longer kept. */
  epost: string | null
  miljo: Miljo
  produkt: string
  belopOre: number
  valuta: string
  /** Null of what an earlier release took. */
  salg: OrderedSale | null
  /** The chain of keys whose next year is bought, and where that year begins. */
  fornyer: { kjede: string; fra: Date } | null
  laget: Date
  endret: Date
  betalingslenke: string | null
  /** Since then it gives way to others: it is let go unless it was approved. */
  viker: Date | null
  pspReferanse: string | null
  reservert: Date | null
  garantertTil: Date | null
  adressefrist: Date | null
  leveringer: number
  trukket: Date | null
  refundert: Date | null
  /** What Vipps last said was taken and given back; null before it was taken, and of what an earlier release took. */
  trukketOre: number | null
  refundertOre: number | null
  grunn: string | null
  alarm: string | null
}

type NewOrder = Pick<
  StoredOrder,
  'id' | 'referanse' | 'miljo' | 'produkt' | 'belopOre' | 'valuta' | 'salg' | 'fornyer' | 'laget'
> & {
  epost: string
  tokenHash: Buffer
  /** Kept while it is unpaid. */
  nettverk: string | null
  vilkaarGodtatt: Date
  /** When its payment is read back first. */
  nesteSjekk: Date
}

/** What the steps of an order change. */
type OrderChange = Pick<
  StoredOrder,
  | 'tilstand'
  | 'pspReferanse'
  | 'reservert'
  | 'garantertTil'
  | 'adressefrist'
  | 'leveringer'
  | 'trukket'
  | 'refundert'
  | 'trukketOre'
  | 'refundertOre'
  | 'grunn'
  | 'alarm'
>

/** Stores an order unless there is one with this token. @returns whether it was stored */
export async function insertOrder(db: Queryable, order: NewOrder): Promise<boolean> {
  return (await insertOrders(db, [order])).length > 0
}

/** The same for many, in one statement. @returns the ids of those that were stored */
export async function insertOrders(db: Queryable, orders: readonly NewOrder[]): Promise<string[]> {
  const each = <T>(of: (order: NewOrder) => T) => orders.map(of)
  const rows = await db.query<{ id: string }>(
    `insert into ordre (tilstand, id, token_hash, referanse, epost, miljo, produkt, belop_ore, valuta, fornyer, fornyer_fra,
       vilkaar_godtatt_at, laget_at, endret_at, neste_sjekk_at, nettverk, salg)
     select 'opprettet', * from unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[],
       $8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $12::timestamptz[],
       $13::timestamptz[], $14::text[], $15::jsonb[])
     on conflict (token_hash) do nothing returning id`,
    [
      each(({ id }) => id),
      each(({ tokenHash }) => tokenHash),
      each(({ referanse }) => referanse),
      each(({ epost }) => epost),
      each(({ miljo }) => miljo),
      each(({ produkt }) => produkt),
      each(({ belopOre }) => belopOre),
      each(({ valuta }) => valuta),
      each(({ fornyer }) => fornyer?.kjede ?? null),
      each(({ fornyer }) => fornyer?.fra ?? null),
      each(({ vilkaarGodtatt }) => vilkaarGodtatt),
      each(({ laget }) => laget),
      each(({ nesteSjekk }) => nesteSjekk),
      each(({ nettverk }) => nettverk),
      each(({ salg }) => (salg === null ? null : JSON.stringify(salg))),
    ],
  )
  return rows.map(({ id }) => id)
}

export async function findOrderByToken(db: Queryable, tokenHash: Buffer): Promise<StoredOrder | null> {
  return firstOrder(await db.query(`select ${ORDER_COLUMNS} from ordre where token_hash = $1`, [tokenHash]))
}

export async function findOrder(db: Queryable, id: string): Promise<StoredOrder | null> {
  return firstOrder(await db.query(`select ${ORDER_COLUMNS} from ordre where id = $1`, [id]))
}

/** The order, held until the transaction ends: whoever else wants to change it waits. */
export async function lockOrder(connection: Queryable, id: string): Promise<StoredOrder | null> {
  return firstOrder(
    await connection.query(`select ${ORDER_COLUMNS} from ordre where id = $1 for update`, [id]),
  )
}

/**
 * For whoever holds the order. A payment that has come to something needs no link any more, and where it came from is nobody's
 * concern. Of one that gave way and came to nothing, be it approved before that, the address goes too, and from the keys that were made
 * for it: whoever typed it may not have been its owner, or was erased meanwhile.
 */
export async function changeOrder(
  connection: Queryable,
  id: string,
  change: OrderChange,
  at: Date,
): Promise<void> {
  await connection.query(
    `with endret as (
     update ordre set tilstand = $2, psp_referanse = $3, reservert_at = $4, garantert_til = $5, adressefrist_at = $6,
       leveringer = $7, trukket_at = $8, grunn = $9, alarm = $10, endret_at = $11, refundert_at = $12,
       trukket_ore = $13, refundert_ore = $14,
       betalingslenke = case when $2 = 'opprettet' then betalingslenke end,
       nettverk = case when $2 = 'opprettet' then nettverk end,
       epost = case when viker_at is null or not (${inStates(cameToNothing, '$2')}) then epost end
     where id = $1 returning id, viker_at)
     update api_nokkel set epost = null from endret
     where kjede = endret.id and viker_at is not null and ${inStates(cameToNothing, '$2')}`,
    [
      id,
      change.tilstand,
      change.pspReferanse,
      change.reservert,
      change.garantertTil,
      change.adressefrist,
      change.leveringer,
      change.trukket,
      change.grunn,
      change.alarm,
      at,
      change.refundert,
      change.trukketOre,
      change.refundertOre,
    ],
  )
}

const cameToNothing = ({ leadsTo, isEnd, isDelivered }: OrderStateFacts) =>
  leadsTo === 'nothing' && isEnd && !isDelivered

export async function setPaymentLink(db: Queryable, id: string, link: string): Promise<void> {
  await db.query(`update ordre set betalingslenke = $2 where id = $1 and tilstand = 'opprettet'`, [id, link])
}

export async function setOrderAddress(connection: Queryable, id: string, epost: string): Promise<void> {
  await connection.query('update ordre set epost = $2 where id = $1', [id, epost])
}

/** A renewal of the chain that was not broken off: somebody may pay for it, or has. */
export async function findRenewal(db: Queryable, kjede: string): Promise<StoredOrder | null> {
  return firstOrder(
    await db.query(
      `select ${ORDER_COLUMNS} from ordre
       where fornyer = $1 and ${inStates(({ leadsTo, isEnd }) => leadsTo === 'key' || (leadsTo === 'nothing' && !isEnd))}
       order by laget_at desc limit 1`,
      [kjede],
    ),
  )
}

/**
 * Why an order that renews a chain is not to be paid: another that renews the same has been, or is about to be; or the right is over.
 * Of two that ask at once, or of this and a refund, one comes first: the other waits until its transaction ends. Null: nothing
 * speaks against it, or it renews nothing.
 */
export async function whyNotRenewed(
  connection: Queryable,
  { id, fornyer }: Pick<StoredOrder, 'id' | 'fornyer'>,
): Promise<'alt_fornyet' | 'nokkel_tilbakekalt' | null> {
  if (fornyer === null) return null
  await lockRenewal(connection, fornyer.kjede)
  if (await isRightOver(connection, fornyer.kjede)) return 'nokkel_tilbakekalt'
  const others = await connection.query(
    `select 1 from ordre where fornyer = $1 and id <> $2 and ${inStates(({ leadsTo }) => leadsTo === 'key')} limit 1`,
    [fornyer.kjede, id],
  )
  return others.length > 0 ? 'alt_fornyet' : null
}

/** How far operators have to look: orders that want them, and errands that are late. */
export async function readSalesState(
  db: Queryable,
  at: Date,
): Promise<{ unpaid: number; alarms: number; errands: number; oldestErrandAt: Date | null }> {
  const [row] = await db.query<{ ubetalt: string; alarmer: string; arend: string; eldste: Date | null }>(
    `select (select count(*) from ordre where tilstand = 'opprettet') as ubetalt,
       (select count(*) from ordre where alarm is not null) as alarmer,
       (select count(*) from utboks where ferdig_at is null and neste_at <= $1) as arend,
       (select min(laget_at) from utboks where ferdig_at is null and neste_at <= $1) as eldste`,
    [at],
  )
  return {
    unpaid: Number(row?.ubetalt ?? 0),
    alarms: Number(row?.alarmer ?? 0),
    errands: Number(row?.arend ?? 0),
    oldestErrandAt: row?.eldste ?? null,
  }
}

export const ORDER_COLUMNS = `id, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, salg, fornyer, fornyer_fra,
  laget_at, endret_at, betalingslenke, viker_at, psp_referanse, reservert_at, garantert_til, adressefrist_at, leveringer, trukket_at, refundert_at,
  trukket_ore, refundert_ore, grunn, alarm`

const OrderRow = Type.Object({
  id: Type.String(),
  referanse: Type.String(),
  tilstand: Type.Enum(orderStateNames),
  epost: nullable(Type.String()),
  miljo: Type.Enum(['live', 'test']),
  produkt: Type.String(),
  belop_ore: Type.Integer({ minimum: 0 }),
  valuta: Type.String(),
  salg: nullable(OrderedSale),
  fornyer: nullable(Type.String()),
  fornyer_fra: nullable(Tid),
  laget_at: Tid,
  endret_at: Tid,
  betalingslenke: nullable(Type.String()),
  viker_at: nullable(Tid),
  psp_referanse: nullable(Type.String()),
  reservert_at: nullable(Tid),
  garantert_til: nullable(Tid),
  adressefrist_at: nullable(Tid),
  leveringer: Type.Integer({ minimum: 0 }),
  trukket_at: nullable(Tid),
  refundert_at: nullable(Tid),
  trukket_ore: nullable(Type.Integer()),
  refundert_ore: nullable(Type.Integer()),
  grunn: nullable(Type.String()),
  alarm: nullable(Type.String()),
})
type OrderRow = Static<typeof OrderRow>

/** What the rows of a query are read by: orders of a state this release does not know are left to the one that does. */
export const readOrders = rowReader('ordre', OrderRow)

function firstOrder(rows: readonly unknown[]): StoredOrder | null {
  const [row] = readOrders(rows)
  return row === undefined ? null : orderOf(row)
}

export function orderOf(row: OrderRow): StoredOrder {
  return {
    id: row.id,
    referanse: row.referanse,
    tilstand: row.tilstand,
    epost: row.epost,
    miljo: row.miljo,
    produkt: row.produkt,
    belopOre: row.belop_ore,
    valuta: row.valuta,
    salg: row.salg,
    fornyer:
      row.fornyer === null || row.fornyer_fra === null ? null : { kjede: row.fornyer, fra: row.fornyer_fra },
    laget: row.laget_at,
    endret: row.endret_at,
    betalingslenke: row.betalingslenke,
    viker: row.viker_at,
    pspReferanse: row.psp_referanse,
    reservert: row.reservert_at,
    garantertTil: row.garantert_til,
    adressefrist: row.adressefrist_at,
    leveringer: row.leveringer,
    trukket: row.trukket_at,
    refundert: row.refundert_at,
    trukketOre: row.trukket_ore,
    refundertOre: row.refundert_ore,
    grunn: row.grunn,
    alarm: row.alarm,
  }
}
