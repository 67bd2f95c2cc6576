import type { Queryable } from './database.ts'
import { inStates } from './order-states.ts'
import { ORDER_COLUMNS, orderOf, readOrders, type StoredOrder } from './orders.ts'

/** A message of Vipps about a payment. */
export type PaymentMessage = { reference: string; name: string; pspReference: string }

/**
 * Keeps a message, and has the payment it is about read back now. One that was told before changes nothing; one about a
 * payment of nobody here is put aside.
 *
 * The order is held first: a message that names it keeps it from being held whole (PostgreSQL, `for key share`), and whoever has
 * begun to change it, and is to hold it whole, would wait for us while we wait for them.
 *
 * @returns the order it is about, null when there is none or the message was known
 */
export async function notePaymentEvent(
  connection: Queryable,
  event: PaymentMessage,
  at: Date,
): Promise<string | null> {
  const [noted] = await connection.query<{ ordre: string | null }>(
    `with holdt as materialized (select id from ordre where referanse = $1 for no key update)
     insert into betalingshendelse (referanse, navn, psp_referanse, ordre, mottatt_at)
     values ($1, $2, $3, (select id from holdt), $4)
     on conflict do nothing returning ordre`,
    [event.reference, event.name, event.pspReference, at],
  )
  if (noted === undefined || noted.ordre === null) return null
  // In front of all that merely wait.
  await connection.query(`update ordre set neste_sjekk_at = 'epoch' where id = $1`, [noted.ordre])
  return noted.ordre
}

/**
 * Takes it on to read payments back, at most `limit`, each for one of all who want to: those Vipps has told of first, the
 * newest before the others, then the longest waiting. One it has told of stays in front when it is due again: it was asked about, and
 * did not answer. The next time is as with `claimCheck`.
 */
export async function claimChecks(
  db: Queryable,
  {
    at,
    limit,
    windowMs,
    everyMs,
    slowlyMs,
    takenMs,
  }: { at: Date; limit: number; windowMs: number; everyMs: number; slowlyMs: number; takenMs: number },
): Promise<{ order: StoredOrder; next: Date }[]> {
  const then = (ms: number) => new Date(at.getTime() + ms)
  const rows = await db.query<{ id: string; neste: Date }>(
    // What an update returns has no order of its own.
    `with valgt as materialized (
       select id as valgt_id, neste_sjekk_at as ventet_fra, ${IS_TOLD} as fortalt from ordre
       where neste_sjekk_at <= $1 order by fortalt desc, neste_sjekk_at, laget_at desc limit $2 for update skip locked
     ), tatt as (
       update ordre set neste_sjekk_at = case when ${isTaken('ordre')} then $6::timestamptz
         when laget_at > $3 then $4::timestamptz else $5::timestamptz end
       from valgt where id = valgt_id returning ${ORDER_COLUMNS}, neste_sjekk_at as neste, ventet_fra, fortalt
     )
     select * from tatt order by fortalt desc, ventet_fra, laget_at desc`,
    [at, limit, then(-windowMs), then(everyMs), then(slowlyMs), then(takenMs)],
  )
  const next = new Map(rows.map(({ id, neste }) => [id, neste]))
  return readOrders(rows).map((row) => ({ order: orderOf(row), next: next.get(row.id) ?? at }))
}

/**
 * Vipps tells of nothing that leaves a payment unpaid: what it told of an order that seems to be is not read yet. Looked up for each of
 * the unpaid (`limit`), since a month of what it told of all others is longer than they are.
 */
const IS_TOLD = `(neste_sjekk_at = 'epoch' or tilstand = 'opprettet'
  and coalesce((select true from betalingshendelse h where h.ordre = ordre.id limit 1), false))`

/**
 * Takes it on to read a payment back, for one of all who want to: the next is due at `next`, null when the order needs no
 * more. A message that comes meanwhile makes it due again.
 *
 * @returns false when it is not due, or somebody else has taken it on
 */
export async function claimCheck(
  db: Queryable,
  id: string,
  { at, next }: { at: Date; next: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update ordre set neste_sjekk_at = $3 where id = $1 and neste_sjekk_at <= $2 returning id`,
    [id, at, next],
  )
  return rows.length > 0
}

/** Has a payment read back soon: something was asked of Vipps, and what has become of it is not all in the answer. */
export async function askForCheck(connection: Queryable, id: string, at: Date): Promise<void> {
  await connection.query(
    'update ordre set neste_sjekk_at = least(neste_sjekk_at, $2::timestamptz) where id = $1',
    [id, at],
  )
}

/**
 * Has payments that were taken, and whose keys work, read back once more: each when its age is a whole number of times `afterMs`, which
 * is written down beforehand. So it is read once, however many ask, and one that comes late to it misses none: what comes within twice
 * `everyMs` is asked for, and what waits already waits on. What an operator is told of, or has decided, is left alone.
 *
 * @param waitingMax so many wait to be read back again, and no more: the soonest
 */
export async function askForLaterChecks(
  db: Queryable,
  { at, everyMs, afterMs, waitingMax }: { at: Date; everyMs: number; afterMs: number; waitingMax: number },
): Promise<void> {
  await db.query(
    `with ventes as (
       select o.id, o.trukket_at + $3 * interval '1 ms'
         * (floor(extract(epoch from $1::timestamptz - o.trukket_at) * 1000 / $3) + 1) as neste
       from ordre o
       where ${isTaken('o')} and o.neste_sjekk_at is null and o.alarm is null
         and o.trukket_at <= $1::timestamptz + $2 * interval '2 ms' - $3 * interval '1 ms'
         and exists (select 1 from api_nokkel where kjede = o.id and tilbakekalt_at is null and utloper_at > $1)
         and not exists (select 1 from operator_spor where gjelder = o.id and handling = 'ordre.avgjort' and utfall = 'gjort')
     ), snart as (
       select id, neste from ventes where neste <= $1::timestamptz + $2 * interval '2 ms' order by neste
       limit greatest($4 - (select count(*) from ordre w where ${isTaken('w')} and w.neste_sjekk_at is not null), 0)
     )
     update ordre set neste_sjekk_at = neste from snart where ordre.id = snart.id and neste_sjekk_at is null`,
    [at, everyMs, afterMs, waitingMax],
  )
}

const isTaken = (order: string) =>
  inStates(({ money, isEnd }) => money === 'taken' && isEnd, `${order}.tilstand`)

/** An order that has come to something is looked at once for every message, and then no more. */
export async function endCheck(connection: Queryable, id: string, claimed: Date): Promise<void> {
  await connection.query(
    `update ordre set neste_sjekk_at = null where id = $1 and neste_sjekk_at = $2 and tilstand <> 'opprettet'`,
    [id, claimed],
  )
}
