import { Type } from 'typebox'
import type { Miljo } from '#src/core/api-key.ts'
import type { Database, Queryable } from './database.ts'
import { putErrand } from './errands.ts'
import { keyInUse } from './key-life.ts'
import { inStates } from './order-states.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'
import { OUR_REFERENCE } from './reconciliation.ts'

/** A chain of keys as operators see it: no address, no hash. */
export type SeenKey = {
  id: string
  kjede: string
  /** It was made by the holder of the chain, beside it. */
  erVedSiden: boolean
  miljo: Miljo
  tilstand: 'ventende' | 'sendt' | 'aktiv'
  utstedt: Date
  utloper: Date
  tilbakekalt: Date | null
  slutter: Date | null
}
type SeenOrder = {
  id: string
  tilstand: string
  belopOre: number
  valuta: string
  laget: Date
  endret: Date
  /** What Vipps last said was taken of it and given back; null before, and of what an earlier release took. */
  trukketOre: number | null
  refundertOre: number | null
  grunn: string | null
  alarm: string | null
}
type SeenErrand = {
  slag: string
  laget: Date
  ferdig: Date | null
  utfall: string | null
  forsok: number
}
export type Customer = { kjede: string; keys: SeenKey[]; order: SeenOrder | null; errands: SeenErrand[] }

/**
 * Everything about one purchase or issue, found by the id of any of its keys or by that of its order: keys that were revoked behind the
 * others, or whoever makes and ends many has those that can be used seen by nobody. Null: no such id.
 */
export async function findCustomer(db: Queryable, id: string): Promise<Customer | null> {
  const [found] = await db.query<{ kjede: string }>(
    'select coalesce(tilhorer, kjede) as kjede from api_nokkel where id = $1 union all select id from ordre where id = $1 limit 1',
    [id],
  )
  if (found === undefined) return null
  const { kjede } = found
  const keys = await db.query(
    `select id, kjede, tilhorer is not null as "erVedSiden", miljo, tilstand, utstedt_at as utstedt, utloper_at as utloper,
       tilbakekalt_at as tilbakekalt, slutter_at as slutter
     from api_nokkel where kjede = $1 or tilhorer = $1 order by tilbakekalt_at is not null, utstedt_at desc, id limit $2`,
    [kjede, SHOWN_MAX],
  )
  const orders = await db.query(
    `select id, tilstand, belop_ore as "belopOre", valuta, laget_at as laget, endret_at as endret, trukket_ore as "trukketOre",
       refundert_ore as "refundertOre", grunn, alarm
     from ordre where id = $1`,
    [kjede],
  )
  const errands = await db.query(
    `select slag, laget_at as laget, ferdig_at as ferdig, utfall, forsok
     from utboks where gjelder = $1 order by id desc limit $2`,
    [kjede, SHOWN_MAX],
  )
  return {
    kjede,
    keys: readSeenKeys(keys),
    order: readSeenOrders(orders)[0] ?? null,
    errands: readSeenErrands(errands),
  }
}

/** Has the receipt of an order mailed once more. False when the order has none. */
export async function resendReceipt(
  db: Pick<Database, 'transaction'>,
  order: string,
  at: Date,
): Promise<boolean> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ nr: number }>(
      `select coalesce((select max(nr) from utboks where slag = 'kvittering' and gjelder = $1), 0) + 1 as nr
       from bilag where ordre = $1 for update`,
      [order],
    )
    if (row === undefined) return false
    return putErrand(connection, { slag: 'kvittering', gjelder: order, nr: row.nr, notBefore: at }, at)
  })
}

export type SalesCounts = {
  ordersByState: { tilstand: string; antall: number }[]
  /** Paid for, or Vipps has told that it is, and no key delivered yet. */
  oldestUndelivered: Date | null
  alarms: number
  /** That somebody approved within the last day, under a name of ours, and that are of no order here: it was lost. */
  paymentsOfNobody: number
  keysValid: number
  keysEndingSoon: number
}

/** How many orders there are in each state, and keys that work now. */
export async function countSales(db: Queryable, at: Date): Promise<SalesCounts> {
  const states = await db.query<{ tilstand: string; antall: string }>(
    'select tilstand, count(*) as antall from ordre group by tilstand order by tilstand',
  )
  const [row] = await db.query<{
    eldste: Date | null
    alarmer: string
    ingens: string
    gyldige: string
    snart: string
  }>(
    `select least((select min(coalesce(reservert_at, laget_at)) from ordre where ${WAITS_FOR_KEY}), (${TOLD_FIRST})) as eldste,
       (select count(*) from ordre where alarm is not null) as alarmer,
       (${PAYMENTS_OF_NOBODY}) as ingens,
       (select count(*) from api_nokkel where ${WORKS}) as gyldige,
       (select count(*) from api_nokkel where ${WORKS} and utloper_at < $1::timestamptz + interval '30 days') as snart`,
    [at],
  )
  return {
    ordersByState: states.map(({ tilstand, antall }) => ({ tilstand, antall: Number(antall) })),
    oldestUndelivered: row?.eldste ?? null,
    alarms: Number(row?.alarmer ?? 0),
    paymentsOfNobody: Number(row?.ingens ?? 0),
    keysValid: Number(row?.gyldige ?? 0),
    keysEndingSoon: Number(row?.snart ?? 0),
  }
}

const WAITS_FOR_KEY = inStates(({ leadsTo, isDelivered }) => leadsTo === 'key' && !isDelivered)
/** Vipps has told of the payment, and nobody has heard it from Vipps when asked, or could write down what it came to. */
const TOLD_FIRST = `select min(h.mottatt_at) from ordre o join betalingshendelse h on h.ordre = o.id
  where ${inStates(({ leadsTo }) => leadsTo === 'payment', 'o.tilstand')} and h.navn in ('AUTHORIZED', 'CAPTURED')`
const WORKS = keyInUse('$1')
const PAYMENTS_OF_NOBODY = `select count(distinct referanse) from betalingshendelse h
  where ordre is null and navn in ('AUTHORIZED', 'CAPTURED') and mottatt_at > $1::timestamptz - interval '1 day'
    and referanse ~ '${OUR_REFERENCE}' and not exists (select 1 from ordre o where o.referanse = h.referanse)
    and not exists (select 1 from betalingshendelse g where g.referanse = h.referanse and g.navn in ('CANCELLED', 'REFUNDED'))`
/** Of one chain; more is not needed to see what became of it. */
const SHOWN_MAX = 50

const readSeenKeys = rowReader(
  'nokkel',
  Type.Object({
    id: Type.String(),
    kjede: Type.String(),
    erVedSiden: Type.Boolean(),
    miljo: Type.Enum(['live', 'test']),
    tilstand: Type.Enum(['ventende', 'sendt', 'aktiv']),
    utstedt: Tid,
    utloper: Tid,
    tilbakekalt: nullable(Tid),
    slutter: nullable(Tid),
  }),
)
/** Whatever its state is called: who looks is a person. */
const readSeenOrders = rowReader(
  'ordre',
  Type.Object({
    id: Type.String(),
    tilstand: Type.String(),
    belopOre: Type.Integer(),
    valuta: Type.String(),
    laget: Tid,
    endret: Tid,
    trukketOre: nullable(Type.Integer()),
    refundertOre: nullable(Type.Integer()),
    grunn: nullable(Type.String()),
    alarm: nullable(Type.String()),
  }),
)
const readSeenErrands = rowReader(
  'arend',
  Type.Object({
    slag: Type.String(),
    laget: Tid,
    ferdig: nullable(Tid),
    utfall: nullable(Type.String()),
    forsok: Type.Integer(),
  }),
)
