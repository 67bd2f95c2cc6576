import { type Static, Type } from 'typebox'
import type { Change } from '../changes/change-log.ts'
import { COLUMNS as CHANGE_COLUMNS, changeOf, namesNoneRemoved, readChanges } from '../changes/change-log.ts'
import type { Database, Queryable } from '../database.ts'
import { nullable, rowReader, Tid } from '../read-rows.ts'
import { takeAllowance } from './allowance.ts'
import { DELIVERIES, watchedBy } from './fan-out.ts'
import { dueBehindOthers, dueInOrder } from './sending.ts'

export type DeliveryState = 'venter' | 'levert' | 'oppgitt'

/** One change to one endpoint, as its owner sees it. `endring`, its line in the log, and `orgnr` are null of a test. */
export type ChangeDelivery = {
  id: string
  endring: { nr: number; sett: Date } | null
  orgnr: number | null
  type: string
  tilstand: DeliveryState
  laget: Date
  forsok: number
  /** null: it is done. */
  neste: Date | null
  ferdig: Date | null
  /** The newest last. */
  logg: { tid: string; ms: number; status: number | null; arsak: string | null }[]
}

/** One endpoint's, the newest first, below this id. */
export async function listChangeDeliveries(
  db: Queryable,
  endepunkt: string,
  { below, tilstand, limit }: { below: string | null; tilstand: DeliveryState | null; limit: number },
): Promise<ChangeDelivery[]> {
  const rows = await db.query(
    `select ${COLUMNS} from levering where endepunkt = $1 and ($2::bigint is null or id < $2)
       and ($3::text is null or tilstand = $3) order by id desc limit $4`,
    [endepunkt, below, tilstand, limit],
  )
  return readDeliveries(rows).map(deliveryOf)
}

/** One, and the change it is of while that is in the log. `eier` as for the endpoint. */
export async function findDelivery(
  db: Queryable,
  endepunkt: string,
  id: string,
): Promise<{ delivery: ChangeDelivery; change: (Change & { navn: string | null }) | null } | null> {
  const [delivery] = readDeliveries(
    await db.query(`select ${COLUMNS} from levering where endepunkt = $1 and id = $2`, [endepunkt, id]),
  ).map(deliveryOf)
  if (delivery === undefined) return null
  const rows = await db.query<{ navn: string | null }>(
    `select ${CHANGE_COLUMNS.split(', ')
      .map((column) => `e.${column}`)
      .join(', ')}, o.navn from endring e join endepunkt p on p.id = $2
     left join overvaking o on o.eier = p.eier and o.orgnr = e.orgnr and o.prove = p.prove where e.nr = $1 and ${namesNoneRemoved('e')}`,
    [delivery.endring?.nr ?? null, endepunkt],
  )
  const [change] = readChanges(rows)
  return {
    delivery,
    change: change === undefined ? null : { ...changeOf(change), navn: rows[0]?.navn ?? null },
  }
}

/** A message that says nothing but that it is a test. @returns null: there is no such endpoint any more */
export async function putTestDelivery(
  db: Queryable,
  endepunkt: string,
  type: string,
): Promise<ChangeDelivery | null> {
  const rows = await db.query(
    `insert into levering (endepunkt, type)
     select id, $2 from endepunkt where id = $1 for key share returning ${COLUMNS}`,
    [endepunkt, type],
  )
  const [delivery] = readDeliveries(rows).map(deliveryOf)
  return delivery ?? null
}

/** Sends one again, with all its attempts before it. One that waits is tried at once. */
export async function sendAgain(
  db: Queryable,
  endepunkt: string,
  id: string,
): Promise<ChangeDelivery | null> {
  const rows = await db.query(
    `update levering set ${ANEW}, neste_at = ${dueBehindOthers('levering')} where endepunkt = $1 and id = $2 returning ${COLUMNS}`,
    [endepunkt, id],
  )
  const [delivery] = readDeliveries(rows).map(deliveryOf)
  return delivery ?? null
}

/**
 * Sends again all that was seen in a span of time and that the endpoint is to have: also what it was never sent, because it was
 * switched off or not there yet. In their order; what waits already waits on. Nothing is asked for twice at once.
 *
 * @param span from its beginning up to its end, which is not in it
 * @param bounds `most`: in one span; `perHourMax`: of its owner in an hour, with what waits already
 * @returns how many; `full`, `often`: there are more than the one or the other, and none was asked for
 */
export async function sendSpanAgain(
  db: Pick<Database, 'transaction'>,
  endepunkt: string,
  { from, to }: { from: Date; to: Date },
  { most, perHourMax }: { most: number; perHourMax: number },
): Promise<{ count: number } | 'full' | 'often'> {
  return db.transaction(async (connection) => {
    const [wanted] = await connection.query<{ count: number }>(
      `select count(*)::int as count from (select 1 from ${watchedBy('endring')}
       where p.id = $1 and e.sett_at >= $2 and e.sett_at < $3 limit $4) as noen`,
      [endepunkt, from, to, most + 1],
    )
    const count = wanted?.count ?? 0
    if (count > most) return 'full'
    if (!(await takeAllowance(connection, endepunkt, 'igjen', { count, perHourMax }))) return 'often'
    const rows = await connection.query(
      `with igjen as (${DELIVERIES} from ${watchedBy('endring')}
         where p.id = $1 and e.sett_at >= $2 and e.sett_at < $3)
       insert into levering (endepunkt, endring, orgnr, type, neste_at) ${dueInOrder('igjen')}
       on conflict (endepunkt, endring) do update set ${ANEW}, neste_at = excluded.neste_at
       where levering.tilstand <> 'venter' returning id`,
      [endepunkt, from, to],
    )
    return { count: rows.length }
  })
}

/** Everything about a company, sent or waiting. What is under way is not tried again. */
export async function eraseDeliveries(db: Queryable, orgnr: string): Promise<void> {
  await db.query('delete from levering where orgnr = $1', [Number(orgnr)])
}

const ANEW = `tilstand = 'venter', forsok = 0, begynt_at = null, ferdig_at = null`

/** When a change was seen goes with the log, which keeps it for longer than this. */
const COLUMNS = `levering.id, levering.endring, levering.orgnr, levering.type, tilstand, laget_at, forsok, levering.neste_at,
   ferdig_at, logg, coalesce((select sett_at from endring where nr = levering.endring), laget_at) as sett_at`

const Row = Type.Object({
  id: Type.String(),
  endring: nullable(Type.String()),
  orgnr: nullable(Type.Integer()),
  type: Type.String(),
  tilstand: Type.Enum(['venter', 'levert', 'oppgitt']),
  laget_at: Tid,
  forsok: Type.Integer(),
  neste_at: Tid,
  ferdig_at: nullable(Tid),
  sett_at: Tid,
  logg: Type.Array(
    Type.Object({
      tid: Type.String(),
      ms: Type.Integer(),
      status: nullable(Type.Integer()),
      arsak: nullable(Type.String()),
    }),
  ),
})
const readDeliveries = rowReader('levering', Row)

function deliveryOf(row: Static<typeof Row>): ChangeDelivery {
  return {
    id: row.id,
    endring: row.endring === null ? null : { nr: Number(row.endring), sett: row.sett_at },
    orgnr: row.orgnr,
    type: row.type,
    tilstand: row.tilstand,
    laget: row.laget_at,
    forsok: row.forsok,
    neste: row.tilstand === 'venter' ? row.neste_at : null,
    ferdig: row.ferdig_at,
    logg: row.logg,
  }
}
