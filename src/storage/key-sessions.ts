import type { Queryable } from './database.ts'

/** `right`: what its key is held by (`KeyRight`), for as long as there is the key. */
export type StoredKeySession = { keyId: string; right: string; expiresAt: Date }

/**
 * Begins a session, and forgets those that are over and the key's oldest beyond so many, of which every process is told. What another
 * is at in this moment is left to them: a key that is logged in with by a hundred at once would have each of them wait for others'
 * rows with a connection in hand, in whatever order, until PostgreSQL ends one of them a second later.
 */
export async function insertKeySession(
  db: Queryable,
  session: { hash: Buffer; keyId: string; expiresAt: Date },
  { at, perKeyMax }: { at: Date; perKeyMax: number },
): Promise<void> {
  await db.query(
    'delete from nokkel_okt where hash in (select hash from nokkel_okt where utloper_at <= $1 for update skip locked)',
    [at],
  )
  await db.query('insert into nokkel_okt (hash, nokkel, begynt_at, utloper_at) values ($1, $2, $3, $4)', [
    session.hash,
    session.keyId,
    at,
    session.expiresAt,
  ])
  await endSessions(
    db,
    `select hash from nokkel_okt where hash in (
       select hash from nokkel_okt where nokkel = $1 order by begynt_at desc, hash offset $2) for update skip locked`,
    [session.keyId, perKeyMax],
  )
}

/** Sessions that are not over, by their hash in base64url. */
export async function findKeySessions(
  db: Queryable,
  hashes: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, StoredKeySession>> {
  const rows = await db.query<{ hash: Buffer; nokkel: string; rett: string; utloper_at: Date }>(
    `select o.hash, o.nokkel, o.utloper_at, coalesce(n.tilhorer, n.kjede) as rett
     from nokkel_okt o join api_nokkel n on n.id = o.nokkel where o.hash = any($1) and o.utloper_at > $2`,
    [hashes.map((hash) => Buffer.from(hash, 'base64url')), at],
  )
  return new Map(
    rows.map(({ hash, nokkel, rett, utloper_at }) => [
      hash.toString('base64url'),
      { keyId: nokkel, right: rett, expiresAt: utloper_at },
    ]),
  )
}

/** Ends one, and every process that remembers it is told. */
export async function deleteKeySession(db: Queryable, hash: Buffer): Promise<void> {
  await endSessions(db, 'select $1::bytea', [hash])
}

/** @param which a query for their hashes */
async function endSessions(db: Queryable, which: string, values: readonly unknown[]): Promise<void> {
  // Base64url has neither the lines nor the padding of base64.
  await db.query(
    `with endt as (delete from nokkel_okt where hash in (${which}) returning hash)
     select pg_notify('okt_avsluttet', translate(encode(hash, 'base64'), E'+/=\\n', '-_')) from endt`,
    values,
  )
}
