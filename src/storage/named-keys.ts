import { Type } from 'typebox'
import type { Miljo } from '#src/core/api-key.ts'
import { lockChain } from './chain-lock.ts'
import type { Database, Queryable } from './database.ts'
import { keyInUse } from './key-life.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

/**
 * A key that is held by a right. `navn` null: it is of the chain that was bought or issued, and was mailed. `sistBrukt`: a day
 * in Norway.
 */
export type HeldKey = {
  id: string
  navn: string | null
  utstedt: Date
  utloper: Date
  tilbakekalt: Date | null
  sistBrukt: string | null
}

/**
 * The right a key is held by: the chain that was bought or issued. Keys its holder has made beside it (`isNamed`) are chains of
 * their own, and what belongs to a holder and not to a key belongs to this name: it is the `eier` of a watch, whichever of the keys
 * asked for it (`ownerOfKey`, which goes back through renewals too). It outlives each key, and a replacement.
 */
export type KeyRight = { right: string; isNamed: boolean }

/** Null: there is no such key, as of a test key of one's own, which is in no table. */
export async function findKeyRight(db: Queryable, id: string): Promise<KeyRight | null> {
  const [row] = await db.query<KeyRight>(
    `select coalesce(tilhorer, kjede) as right, tilhorer is not null as "isNamed" from api_nokkel where id = $1`,
    [id],
  )
  return row ?? null
}

/** What can be used of a right now: the chain's own first, then those with a name, the newest first. */
export async function listHeldKeys(db: Queryable, right: string, at: Date): Promise<HeldKey[]> {
  const rows = await db.query(
    `select id, navn, utstedt_at, utloper_at, tilbakekalt_at, sist_brukt::text as sist_brukt from api_nokkel
     where (kjede = $1 or tilhorer = $1) and ${keyInUse('$2')}
     order by tilhorer is not null, utstedt_at desc, id limit $3`,
    [right, at, SHOWN_MAX],
  )
  return readHeld(rows).map(heldKey)
}

/** The last of those with a name that were ended or have run out, newest first. */
export async function listEndedKeys(
  db: Queryable,
  right: string,
  at: Date,
  limit: number,
): Promise<HeldKey[]> {
  const rows = await db.query(
    `select id, navn, utstedt_at, utloper_at, tilbakekalt_at, sist_brukt::text as sist_brukt from api_nokkel
     where tilhorer = $1 and not (${keyInUse('$2')}) order by coalesce(tilbakekalt_at, utloper_at) desc, id limit $3`,
    [right, at, limit],
  )
  return readHeld(rows).map(heldKey)
}

/**
 * What became of a wish about the keys of a right. `ikke_din`: the key it was made with is not, or no longer, one of the chain
 * that was bought. `ukjent`: no such key with a name is in use.
 */
export type KeyChange = 'gjort' | 'ikke_din' | 'ukjent' | 'navn_i_bruk'

/**
 * Stores a key beside a chain, with the chain's end. One right's keys are changed one at a time, and whoever revokes, replaces
 * or refunds the chain holds it too: what comes after that is refused, whatever a process remembers of the key that asks.
 *
 * @param by the key of the chain that asks
 * @param bounds `madeMax`: since the bought key last leaked. What was made before, whoever had it may have made
 * @returns `for_mange`: so many are in use, or have been made
 */
export async function insertNamedKey(
  db: Pick<Database, 'transaction'>,
  key: { id: string; miljo: Miljo; navn: string; hash: string },
  { by, at, ...bounds }: { by: string; at: Date; inUseMax: number; madeMax: number; madeInAllMax: number },
): Promise<{ utloper: Date } | Exclude<KeyChange, 'gjort' | 'ukjent'> | 'for_mange'> {
  return db.transaction(async (connection) => {
    const held = await holdRight(connection, by, at)
    if (held === null) return 'ikke_din'
    const { right, utloper } = held
    if (await isNameInUse(connection, { right, navn: key.navn, except: null }, at)) return 'navn_i_bruk'
    const [count] = await connection.query<{ used: string; made: string; inAll: string }>(
      `select count(*) filter (where ${keyInUse('$2')}) as used, count(*) as "inAll",
         count(*) filter (where utstedt_at > coalesce((
           select max(laget_at) from utboks where gjelder = $1 and slag = 'erstatt' and grunn = 'lekket'), '-infinity')) as made
       from api_nokkel where tilhorer = $1`,
      [right, at],
    )
    const { inUseMax, madeMax, madeInAllMax } = bounds
    const isFull = Number(count?.made) >= madeMax || Number(count?.inAll) >= madeInAllMax
    if (isFull || Number(count?.used) >= inUseMax) return 'for_mange'
    await connection.query(
      `insert into api_nokkel (id, kjede, tilhorer, navn, miljo, hash, utstedt_at, utloper_at)
       values ($1, $1, $2, $3, $4, $5, $6, $7)`,
      [key.id, right, key.navn, key.miljo, key.hash, at, utloper],
    )
    return { utloper }
  })
}

/** Calls a key something else. */
export async function renameKey(
  db: Pick<Database, 'transaction'>,
  { id, navn }: { id: string; navn: string },
  { by, at }: { by: string; at: Date },
): Promise<KeyChange> {
  return db.transaction(async (connection) => {
    const held = await holdRight(connection, by, at)
    if (held === null) return 'ikke_din'
    const { right } = held
    if (await isNameInUse(connection, { right, navn, except: id }, at)) return 'navn_i_bruk'
    const rows = await connection.query(
      `update api_nokkel set navn = $3 where id = $1 and tilhorer = $2 and ${keyInUse('$4')} returning id`,
      [id, right, navn, at],
    )
    return rows.length === 0 ? 'ukjent' : 'gjort'
  })
}

/** Ends one key for ever, and none beside it. One that was ended before is left as it is. */
export async function endNamedKey(
  db: Pick<Database, 'transaction'>,
  id: string,
  { by, at }: { by: string; at: Date },
): Promise<KeyChange> {
  return db.transaction(async (connection) => {
    const held = await holdRight(connection, by, at)
    if (held === null) return 'ikke_din'
    const rows = await connection.query(
      `update api_nokkel set tilbakekalt_at = coalesce(tilbakekalt_at, $3) where id = $1 and tilhorer = $2 returning id`,
      [id, held.right, at],
    )
    return rows.length === 0 ? 'ukjent' : 'gjort'
  })
}

/**
 * Writes down that these keys were used on this day. Rows that somebody else is at are left for the next time, so that neither
 * waits for the other.
 */
export async function noteKeysUsed(db: Queryable, ids: readonly string[], day: string): Promise<void> {
  await db.query(
    `update api_nokkel set sist_brukt = $2 where id in (
       select id from api_nokkel where id = any($1) and (sist_brukt is null or sist_brukt < $2)
       for no key update skip locked)`,
    [ids, day],
  )
}

/** Holds the right of a key that can be used now and is of its chain; null when there is none. */
async function holdRight(
  connection: Queryable,
  by: string,
  at: Date,
): Promise<{ right: string; utloper: Date } | null> {
  const [found] = await connection.query<{ kjede: string }>(
    'select kjede from api_nokkel where id = $1 and tilhorer is null',
    [by],
  )
  if (found === undefined) return null
  await lockChain(connection, found.kjede)
  const [row] = await connection.query<{ utloper_at: Date }>(
    `select utloper_at from api_nokkel where id = $1 and ${keyInUse('$2')}`,
    [by, at],
  )
  return row === undefined ? null : { right: found.kjede, utloper: row.utloper_at }
}

async function isNameInUse(
  connection: Queryable,
  { right, navn, except }: { right: string; navn: string; except: string | null },
  at: Date,
): Promise<boolean> {
  const rows = await connection.query(
    `select 1 from api_nokkel where tilhorer = $1 and lower(navn) = lower($2) and id is distinct from $3
       and ${keyInUse('$4')} limit 1`,
    [right, navn, except, at],
  )
  return rows.length > 0
}

/** More than a right has at once. */
const SHOWN_MAX = 50

const readHeld = rowReader(
  'nokkel',
  Type.Object({
    id: Type.String(),
    navn: nullable(Type.String()),
    utstedt_at: Tid,
    utloper_at: Tid,
    tilbakekalt_at: nullable(Tid),
    sist_brukt: nullable(Type.String()),
  }),
)

function heldKey(row: ReturnType<typeof readHeld>[number]): HeldKey {
  const { id, navn, utstedt_at, utloper_at, tilbakekalt_at, sist_brukt } = row
  return {
    id,
    navn,
    utstedt: utstedt_at,
    utloper: utloper_at,
    tilbakekalt: tilbakekalt_at,
    sistBrukt: sist_brukt,
  }
}
