import type { Miljo } from '#src/core/api-key.ts'
import { OppslagError } from '#src/core/errors.ts'
import { lockChain, NOT_ARRIVED, shareChainOfKey } from './chain-lock.ts'
import type { Database, Queryable } from './database.ts'
import { keyInUse, keyOver } from './key-life.ts'
import { findKeyById, type NewKey, type StoredKey } from './keys.ts'

/** What a replacement or a reminder has to know of the right a chain of keys stands for. */
export type KeyChain = { kjede: string; nokkel: string; miljo: Miljo; epost: string | null; utloper: Date }

/**
 * Stores a key that waits for its first use. For whoever holds the chain.
 *
 * @param key.levering the errand that mails it; null when an operator has it mailed
 */
export async function insertWaitingKey(
  connection: Queryable,
  key: NewKey & { kjede: string; levering: string | null },
): Promise<void> {
  await connection.query(
    `insert into api_nokkel (id, kjede, miljo, epost, hash, utstedt_at, utloper_at, tilstand, levering)
     values ($1, $2, $3, $4, $5, $6, $7, 'ventende', $8)`,
    [key.id, key.kjede, key.miljo, key.epost, key.hash, key.utstedt, key.utloper, key.levering],
  )
}

/**
 * A mail server has taken the mail with this key.
 *
 * @returns false where there is no such key: what was stored before the mail went was lost with the server that had it (P193)
 */
export async function markKeySent(connection: Queryable, id: string): Promise<boolean> {
  const rows = await connection.query(
    `update api_nokkel set tilstand = 'sendt' where id = $1 and tilstand = 'ventende' returning id`,
    [id],
  )
  return rows.length > 0
}

/** Nobody has this key, for certain: it never works. One that was used after all is left alone. */
export async function voidKey(connection: Queryable, id: string, at: Date): Promise<void> {
  await connection.query(
    `update api_nokkel set tilbakekalt_at = $2
     where id = $1 and tilstand <> 'aktiv' and tilbakekalt_at is null`,
    [id, at],
  )
}

/** Ends keys of the chain that came before this errand, then; one that ends sooner keeps its end. */
export async function endEarlierKeys(
  connection: Queryable,
  { kjede, levering }: { kjede: string; levering: string },
  at: Date,
): Promise<void> {
  await connection.query(
    `update api_nokkel set slutter_at = $3
     where kjede = $1 and coalesce(levering, 0) < $2 and (slutter_at is null or slutter_at > $3)`,
    [kjede, levering, at],
  )
}

/** Whether a key of this errand, or of an earlier one for the same order, has been used: then it was delivered. */
export async function isKeyUsed(
  connection: Queryable,
  { kjede, levering }: { kjede: string; levering: string | null },
): Promise<boolean> {
  const rows = await connection.query(
    `select 1 from api_nokkel where kjede = $1 and tilstand = 'aktiv' and ($2::bigint is null or levering = $2) limit 1`,
    [kjede, levering],
  )
  return rows.length > 0
}

/**
 * The first use of a mailed key: from now on it is the chain's. Every other key of the chain that is not of a later errand is
 * void, in the same instant. Of two that are used at once for the first time one comes first, and the other is void.
 *
 * The use is the receipt of the mail, so what was going to mail another is due now and finds it used.
 *
 * @returns the key as it is afterwards, null when there is none
 */
export async function activateKey(
  db: Pick<Database, 'transaction'>,
  id: string,
  at: Date,
): Promise<StoredKey | null> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ kjede: string }>('select kjede from api_nokkel where id = $1', [
      id,
    ])
    if (row === undefined) return null
    await lockChain(connection, row.kjede)
    const key = await findKeyById(connection, id)
    if (key === null || !key.venter || keyOver(key, at) !== null) return key
    await connection.query(
      `update api_nokkel set tilbakekalt_at = $3
       where kjede = $1 and id <> $2 and tilbakekalt_at is null
         and coalesce(levering, 0) <= (select coalesce(levering, 0) from api_nokkel where id = $2)`,
      [row.kjede, id, at],
    )
    await connection.query(`update api_nokkel set tilstand = 'aktiv' where id = $1`, [id])
    await connection.query(
      `update utboks set neste_at = least(neste_at, $2)
       where gjelder = $1 and slag in ('lever', 'erstatt', 'kanseller') and ferdig_at is null`,
      [row.kjede, at],
    )
    return { ...key, venter: false }
  })
}

/** What was asked with this key was not done: it had ended when its turn came. */
export class KeyOverError extends OppslagError {
  constructor() {
    super('tilbakekalt_nokkel', 'Nøkkelen er tilbakekalt.')
  }
}

/**
 * For what outlives the key it is asked with: whoever revokes it does so before, and then nothing is done, or after.
 *
 * @throws KeyOverError
 */
export async function holdKey(connection: Queryable, id: string): Promise<void> {
  await shareChainOfKey(connection, id)
  const rows = await connection.query('select 1 from api_nokkel where id = $1 and tilbakekalt_at is null', [
    id,
  ])
  if (rows.length === 0) throw new KeyOverError()
}

/**
 * The chains whose keys go to this address and could be used now, or that leaked and have got no other yet, newest first, each with
 * its newest key. A key that an operator revoked has taken its chain with it.
 */
export async function findChainsByAddress(
  db: Queryable,
  epost: string,
  at: Date,
  limit: number,
): Promise<KeyChain[]> {
  return (
    await db.query<ChainRow>(
      `select * from (
         select distinct on (kjede) kjede, id, miljo, epost, utloper_at, utstedt_at from api_nokkel
         where lower(epost) = lower($1) and (${keyInUse('$2')} or ${isLeftWithout('$2', 'api_nokkel')})
         order by kjede, utstedt_at desc, id
       ) as kjeder order by utstedt_at desc limit $3`,
      [epost, at, limit],
    )
  ).map(chainOf)
}

/** The chain of a key, as far as there is one to use or replace; its `nokkel` is this key. */
export async function findChainOfKey(
  db: Queryable,
  id: string,
  at: Date,
): Promise<(KeyChain & { isAlive: boolean }) | null> {
  const [row] = await db.query<ChainRow & { lever: boolean }>(
    `select n.kjede, n.id, n.miljo, n.epost, n.utloper_at, exists (
       select 1 from api_nokkel l where l.kjede = n.kjede and (${keyInUse('$2', 'l')} or ${isLeftWithout('$2', 'l')})
     ) as lever from api_nokkel n where n.id = $1`,
    [id, at],
  )
  return row === undefined ? null : { ...chainOf(row), isAlive: row.lever }
}

/**
 * Whether the right a chain stands for was taken away: revoked, or its money given back. One whose key leaked has no key for a while
 * either: another is on its way, or did not arrive and is to be asked for again.
 */
export async function isRightOver(db: Queryable, kjede: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 where not exists (select 1 from api_nokkel where kjede = $1 and tilbakekalt_at is null)
       and not exists (select 1 from utboks where gjelder = $1 and slag = 'erstatt' and ferdig_at is null)
       and not exists (select 1 from utboks where gjelder = $1 and ${NOT_ARRIVED})`,
    [kjede],
  )
  return rows.length > 0
}

/** A key that had arrived, of a chain that leaked, in whose place none could be mailed: the mailbox was full, or the server away. */
function isLeftWithout(at: string, key: string): string {
  return `(${key}.tilstand <> 'ventende' and ${key}.utloper_at > ${at}
    and exists (select 1 from utboks u where u.gjelder = ${key}.kjede and ${NOT_ARRIVED}))`
}

type ChainRow = { kjede: string; id: string; miljo: Miljo; epost: string | null; utloper_at: Date }

function chainOf({ kjede, id, miljo, epost, utloper_at }: ChainRow): KeyChain {
  return { kjede, nokkel: id, miljo, epost, utloper: utloper_at }
}
