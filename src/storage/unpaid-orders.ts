import type { Queryable } from './database.ts'

/** Holds the room unpaid orders have until the transaction ends: the bounds hold however many come at once, and wherever. */
export async function lockRoom(connection: Queryable): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [ROOM_LOCK])
}

/**
 * Makes room for one more unpaid order from this network, for whoever holds the room and stores it in the same transaction.
 *
 * Whoever has too many pays with their own: the oldest of the network gives way, and in a full shop the oldest of the network
 * that has most. Renewals are asked for by a link that was mailed: they are not counted and never give way.
 *
 * @param nettverk null when it is not known: it is counted among all then
 * @returns those that give way: they are to be let go at Vipps. Null, and no room, when too many of those wait for that
 */
export async function makeRoomForOrder(
  connection: Queryable,
  { nettverk, at }: { nettverk: string | null; at: Date },
  { ofNetworkMax, ofAllMax, givingWayMax }: { ofNetworkMax: number; ofAllMax: number; givingWayMax: number },
): Promise<string[] | null> {
  const [waiting] = await connection.query<{ antall: string }>(
    `select count(*) as antall from ordre where tilstand = 'opprettet' and viker_at is not null`,
  )
  if (Number(waiting?.antall) >= givingWayMax) return null
  // Counted from the newest: the room is for this one and so many less one.
  const own = await giveWay(
    connection,
    `select id from ordre where ${COUNTED} and nettverk = $2 order by laget_at desc, id desc offset $3`,
    [at, nettverk, ofNetworkMax - 1],
  )
  const others = await giveWay(
    connection,
    `select id from (
       select id, laget_at, row_number() over (partition by nettverk order by laget_at desc, id desc) as plass
       from ordre where ${COUNTED}
     ) ubetalt order by plass desc, laget_at, id
     limit greatest((select count(*) from ordre where ${COUNTED}) - $2::integer + 1, 0)`,
    [at, ofAllMax],
  )
  return [...own, ...others]
}

/** Unpaid orders to this address give way, renewals too. */
export async function letUnpaidGiveWay(connection: Queryable, epost: string, at: Date): Promise<string[]> {
  return giveWay(
    connection,
    `select id from ordre where tilstand = 'opprettet' and viker_at is null and lower(epost) = lower($2)`,
    [at, epost],
  )
}

/** @param which a query for ids; its first value is the time */
async function giveWay(
  connection: Queryable,
  which: string,
  values: readonly [Date, ...unknown[]],
): Promise<string[]> {
  const rows = await connection.query<{ id: string }>(
    `update ordre set viker_at = $1, neste_sjekk_at = $1
     where id in (${which}) and tilstand = 'opprettet' and viker_at is null returning id`,
    values,
  )
  return rows.map(({ id }) => id)
}

const COUNTED = `tilstand = 'opprettet' and viker_at is null and fornyer is null`

/** Advisory locks that are ours: 720251 is of chains. */
const ROOM_LOCK = 720_252
