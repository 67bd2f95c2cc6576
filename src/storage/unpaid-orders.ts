import type { Queryable } from './database.ts'

/** How a transaction is asked for that holds the room. */
export const IN_THE_ROOM = { alone: 'ubetalte' } as const

/** Holds the room unpaid orders have until the transaction ends: the bounds hold however many come at once, and wherever. */
export async function lockRoom(connection: Queryable): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [ROOM_LOCK])
}

/**
 * Makes room for an unpaid order, for whoever holds the room and has stored it in the same transaction: it does not give way itself.
 *
 * Whoever has too many pays with their own: the oldest of the network gives way, and in a full shop the oldest of the network
 * that has most. Renewals are asked for by a link that was mailed: they are not counted and never give way.
 *
 * One question: all who order wait for whoever holds the room.
 *
 * @param order.nettverk null when it is not known: it is counted among all then
 * @returns those that give way: they are to be let go at Vipps. Null, and no room, when too many of those wait for that
 */
export async function makeRoomForOrder(
  connection: Queryable,
  { id, nettverk, at }: { id: string; nettverk: string | null; at: Date },
  { ofNetworkMax, ofAllMax, givingWayMax }: { ofNetworkMax: number; ofAllMax: number; givingWayMax: number },
): Promise<string[] | null> {
  // Counted from the newest: the room is for this one and so many less one.
  const [room] = await connection.query<{ venter: number; viker: string[] }>(
    `with andres as materialized (
       select id, nettverk, laget_at from ordre
       where tilstand = 'opprettet' and viker_at is null and fornyer is null and id <> $2
     ), egne as materialized (
       select id from andres where nettverk = $3 order by laget_at desc, id desc offset $4 - 1
     ), flest as (
       select id from (
         select id, laget_at, row_number() over (partition by nettverk order by laget_at desc, id desc) as plass
         from andres where id not in (select id from egne)
       ) ubetalt order by plass desc, laget_at, id
       limit greatest((select count(*) from andres) - (select count(*) from egne) - $5::integer + 1, 0)
     ), viker as (${givingWay('select id from egne union all select id from flest')})
     select array(select id from viker) as viker,
       (select count(*)::integer from ordre where tilstand = 'opprettet' and viker_at is not null) as venter`,
    [at, id, nettverk, ofNetworkMax, ofAllMax],
  )
  return room === undefined || room.venter >= givingWayMax ? null : room.viker
}

/** Unpaid orders to this address give way, renewals too. */
export async function letUnpaidGiveWay(connection: Queryable, epost: string, at: Date): Promise<string[]> {
  const rows = await connection.query<{ id: string }>(
    givingWay(
      `select id from ordre where tilstand = 'opprettet' and viker_at is null and lower(epost) = lower($2)`,
    ),
    [at, epost],
  )
  return rows.map(({ id }) => id)
}

/** @param which a query for ids; `$1` is the time */
function givingWay(which: string): string {
  return `update ordre set viker_at = $1, neste_sjekk_at = $1
     where id in (${which}) and tilstand = 'opprettet' and viker_at is null returning id`
}

/** Advisory locks that are ours: 720251 is of chains. */
const ROOM_LOCK = 720_252
