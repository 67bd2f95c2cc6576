import type { Miljo } from '#src/core/api-key.ts'
import type { Queryable } from './database.ts'

export type NewKey = {
  id: string
  miljo: Miljo
  epost: string
  /** The argon2id string of the whole key. */
  hash: string
  utstedt: Date
  utloper: Date
}

/** What it takes to decide whether a key is valid. Whose it is does not belong here. */
export type StoredKey = { id: string; miljo: Miljo; hash: string; utloper: Date; tilbakekalt: Date | null }

/** A key as its keeper sees it. */
export type ListedKey = {
  id: string
  miljo: Miljo
  epost: string
  utstedt: Date
  utloper: Date
  tilbakekalt: Date | null
}

/** Stores a key; an id that exists is refused by PostgreSQL, never overwritten. */
export async function insertKey(db: Queryable, key: NewKey): Promise<void> {
  await db.query(
    `insert into api_nokkel (id, miljo, epost, hash, utstedt_at, utloper_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [key.id, key.miljo, key.epost, key.hash, key.utstedt, key.utloper],
  )
}

/** One read of the primary key. Expired and revoked keys are found too: the caller tells them apart. */
export async function findKeyById(db: Queryable, id: string): Promise<StoredKey | null> {
  const [row] = await db.query<Pick<KeyRow, 'id' | 'miljo' | 'hash' | 'utloper_at' | 'tilbakekalt_at'>>(
    'select id, miljo, hash, utloper_at, tilbakekalt_at from api_nokkel where id = $1',
    [id],
  )
  if (row === undefined) return null
  return {
    id: row.id,
    miljo: row.miljo,
    hash: row.hash,
    utloper: row.utloper_at,
    tilbakekalt: row.tilbakekalt_at,
  }
}

/**
 * Newest first, at most `limit`. `after` is the `next` of the page before; an id that is not known gives an empty page.
 * Keys issued meanwhile come before the first page, so none is shown twice and none is left out.
 */
export async function listKeys(
  db: Queryable,
  { limit, after = null }: { limit: number; after?: string | null },
): Promise<{ keys: ListedKey[]; next: string | null }> {
  const rows = await db.query<Omit<KeyRow, 'hash'>>(
    `select id, miljo, epost, utstedt_at, utloper_at, tilbakekalt_at
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
    utstedt: row.utstedt_at,
    utloper: row.utloper_at,
    tilbakekalt: row.tilbakekalt_at,
  }))
  return { keys, next: rows.length > limit ? (keys.at(-1)?.id ?? null) : null }
}

/** Revokes for ever. A key revoked before keeps its first instant, which is returned; null when there is no such key. */
export async function revokeKey(db: Queryable, id: string, at: Date): Promise<Date | null> {
  const [row] = await db.query<{ tilbakekalt_at: Date }>(
    `update api_nokkel set tilbakekalt_at = coalesce(tilbakekalt_at, $2)
     where id = $1
     returning tilbakekalt_at`,
    [id, at],
  )
  return row?.tilbakekalt_at ?? null
}

type KeyRow = {
  id: string
  miljo: Miljo
  epost: string
  hash: string
  utstedt_at: Date
  utloper_at: Date
  tilbakekalt_at: Date | null
}
