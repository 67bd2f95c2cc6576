import type { Queryable } from './database.ts'

/** How a transaction is asked for that holds the room. */
export const IN_THE_ROOM = { alone: 'ubetalte' } as const

/** Holds the room unpaid orders have until the transaction ends: the bounds hold however many come at once, and wherever. */
export async function lockRoom(connection: Queryable): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [ROOM_LOCK])
}

/**
 * Makes room for unpaid orders, for whoever holds the room and has stored them in the same transaction: they give way last.
 *
 * Whoever has too many pays with their own: the oldest of the network give way, and in a full shop the oldest of the network
 * that has most. Renewals are asked for by a link that was mailed: they are not counted and never give way.
 *
 * One question, however many orders: all who order wait for whoever holds the room.
 *
 * @returns those that give way: they are to be let go at Vipps. Null, and no room, when too many of those wait for that
 */
export async function makeRoomForOrders(
  connection: Queryable,
  { ids, at }: { ids: readonly string[]; at: Date },
  { ofNetworkMax, ofAllMax, givingWayMax }: { ofNetworkMax: number; ofAllMax: number; givingWayMax: number },
): Promise<string[] | null> {
  // Of a network that is not known there may be as many as of all.
  const [room] = await connection.query<{ venter: number; viker: string[] }>(
    `with ubetalte as materialized (
       select id, nettverk, laget_at, id = any($2) as ny,
         row_number() over (partition by nettverk order by id = any($2) desc, laget_at desc, id desc) as plass
       from ordre where tilstand = 'opprettet' and viker_at is null and fornyer is null
     ), egne as materialized (
       select id from ubetalte where nettverk is not null and plass > $3
     ), flest as (
       select id from ubetalte where id not in (select id from egne) order by ny, plass desc, laget_at, id
       limit greatest((select count(*) from ubetalte) - (select count(*) from egne) - $4::integer, 0)
     ), viker as (${givingWay('select id from egne union all select id from flest')})
     select array(select id from viker) as viker,
       (select count(*)::integer from ordre where tilstand = 'opprettet' and viker_at is not null) as venter`,
    [at, ids, ofNetworkMax, ofAllMax],
  )
  const isFull = room === undefined || room.venter >= givingWayMax
  return isFull || room.venter + room.viker.length > givingWayMax ? null : room.viker
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
