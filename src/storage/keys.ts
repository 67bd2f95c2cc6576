import { Type } from 'typebox'
import type { Miljo } from '#src/core/api-key.ts'
import { endChainErrands, lockChain, revokeChain } from './chain-lock.ts'
import type { Queryable } from './database.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

export type NewKey = {
  id: string
  miljo: Miljo
  epost: string
  /** The argon2id string of the whole key. */
  hash: string
  utstedt: Date
  utloper: Date
}

/**
 * What it takes to decide whether a key is valid. Whose it is does not belong here. `slutter`: it was replaced
 * and works until then. `venter`: it was mailed and not used yet, and its first use decides between it and others. `right`: what it
 * is held by (`KeyRight`).
 */
export type StoredKey = {
  id: string
  miljo: Miljo
  hash: string
  utloper: Date
  tilbakekalt: Date | null
  slutter: Date | null
  venter: boolean
  right: string
}

/** A key as its keeper sees it. */
export type ListedKey = {
  id: string
  miljo: Miljo
  /** Null once it is no longer kept, and of a key that was made beside another. */
  epost: string | null
  /** The chain it was made beside; null of one that was bought or issued. */
  tilhorer: string | null
  utstedt: Date
  utloper: Date
  tilbakekalt: Date | null
}

/** Stores a key that works at once, a chain of its own; an id that exists is refused by PostgreSQL, never overwritten. */
export async function insertKey(db: Queryable, key: NewKey): Promise<void> {
  await db.query(
    `insert into api_nokkel (id, kjede, miljo, epost, hash, utstedt_at, utloper_at)
     values ($1, $1, $2, $3, $4, $5, $6)`,
    [key.id, key.miljo, key.epost, key.hash, key.utstedt, key.utloper],
  )
}

/**
 * One read of the primary key. Expired and revoked keys are found too: the caller tells them apart. A key whose hash is no
 * longer kept is not: nobody can show that it is theirs.
 */
export async function findKeyById(db: Queryable, id: string): Promise<StoredKey | null> {
  return (await findKeysById(db, [id])).get(id) ?? null
}

/** The same for many at once. */
export async function findKeysById(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredKey>> {
  const rows = await db.query(
    `select id, miljo, hash, utloper_at, tilbakekalt_at, slutter_at, tilstand,
       coalesce(tilhorer, kjede) as rett
     from api_nokkel where id = any($1) and hash is not null`,
    [ids],
  )
  return new Map(
    readVerified(rows).map((row) => [
      row.id,
      {
        id: row.id,
        miljo: row.miljo,
        hash: row.hash,
        utloper: row.utloper_at,
        tilbakekalt: row.tilbakekalt_at,
        slutter: row.slutter_at,
        venter: row.tilstand !== 'aktiv',
        right: row.rett,
      },
    ]),
  )
}

/**
 * Newest first, at most `limit`. `after` is the `next` of the page before; an id that is not known gives an empty page.
 * Keys issued meanwhile come before the first page, so none is shown twice and none is left out.
 */
export async function listKeys(
  db: Queryable,
  { limit, after = null }: { limit: number; after?: string | null },
): Promise<{ keys: ListedKey[]; next: string | null }> {
  const rows = await db.query<ListedRow>(
    `select id, miljo, epost, tilhorer, utstedt_at, utloper_at, tilbakekalt_at
     from api_nokkel
     where $2::text is null
        or (utstedt_at, id) < (select utstedt_at, id from api_nokkel where id = $2)
     order by utstedt_at desc, id desc
     limit $1`,
    [limit + 1, after],
  )
  const keys = rows.slice(0, limit).map((row) => ({
    id: row.id,
    miljo: row.miljo,
    epost: row.epost,
    tilhorer: row.tilhorer,
    utstedt: row.utstedt_at,
    utloper: row.utloper_at,
    tilbakekalt: row.tilbakekalt_at,
  }))
  return { keys, next: rows.length > limit ? (keys.at(-1)?.id ?? null) : null }
}

/**
 * Revokes for ever, and with it every other key of its chain, also one that is still to be mailed, and those its holder has made
 * beside it: who has lost the right gets no other key for it. One that was made beside a chain is revoked alone. The keys of an
 * order are found by its number too. A key revoked before keeps its first instant, which is returned; null when there is no such key.
 *
 * @param connection of a transaction; the order of the key, if it has one, is held before (`revokeAsOperator`)
 */
export async function revokeKey(connection: Queryable, id: string, at: Date): Promise<Date | null> {
  const [row] = await connection.query<{ kjede: string; rett: string }>(
    'select kjede, coalesce(tilhorer, kjede) as rett from api_nokkel where id = $1 or kjede = $1 limit 1',
    [id],
  )
  if (row === undefined) return null
  await lockChain(connection, row.rett)
  await endChainErrands(connection, row.kjede, { outcome: 'tilbakekalt', at })
  await revokeChain(connection, row.kjede, at)
  const [revoked] = await connection.query<{ tilbakekalt_at: Date }>(
    'select tilbakekalt_at from api_nokkel where kjede = $2 order by id = $1 desc limit 1',
    [id, row.kjede],
  )
  return revoked?.tilbakekalt_at ?? null
}

/** The chain of a key; null when there is no such key. */
export async function chainOfKey(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.query<{ kjede: string }>('select kjede from api_nokkel where id = $1', [id])
  return row?.kjede ?? null
}

type ListedRow = {
  id: string
  miljo: Miljo
  epost: string | null
  tilhorer: string | null
  utstedt_at: Date
  utloper_at: Date
  tilbakekalt_at: Date | null
}
/** A key that can not be read is as one that is not there: it lets nobody in. */
const readVerified = rowReader(
  'nokkel',
  Type.Object({
    id: Type.String(),
    miljo: Type.Enum(['live', 'test']),
    hash: Type.String({ pattern: '^\\$argon2id\\$' }),
    utloper_at: Tid,
    tilbakekalt_at: nullable(Tid),
    slutter_at: nullable(Tid),
    tilstand: Type.Enum(['ventende', 'sendt', 'aktiv']),
    rett: Type.String(),
  }),
)
