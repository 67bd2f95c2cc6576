import type { Queryable } from './database.ts'

/**
 * Holds a chain of keys until the transaction ends. Taken after the order's lock, before anything else of the chain. A lock
 * on a name and not on rows, since the key that matters may not be there yet.
 */
export async function lockChain(connection: Queryable, kjede: string): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [CHAIN_LOCK, kjede])
}

/**
 * Holds the chain a key belongs to, or was made beside, together with others who do so: whoever holds it alone comes before or after.
 * Whoever waits for that comes before those that come later, which the rows themselves do not promise: shared again and again by few,
 * they are never free.
 */
export async function shareChainOfKey(connection: Queryable, id: string): Promise<void> {
  await connection.query(
    'select pg_advisory_xact_lock_shared($1, hashtext(coalesce(tilhorer, kjede))) from api_nokkel where id = $2',
    [CHAIN_LOCK, id],
  )
}

/** The space of advisory locks that is ours for chains. */
const CHAIN_LOCK = 720_251

/**
 * Whoever buys the next year of a chain, and whoever takes the right to it away, come one after the other: the later waits until the
 * earlier's transaction ends. Taken after the chain's lock, and by a payment without it.
 */
export async function lockRenewal(connection: Queryable, kjede: string): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [RENEWAL_LOCK, kjede])
}

const RENEWAL_LOCK = 720_260

/** Of errands: it was to replace a key that had leaked, and the new one could not be mailed. */
export const NOT_ARRIVED = `slag = 'erstatt' and grunn = 'lekket' and utfall in ('adresse_avvist', 'oppgitt', 'uaktuell')`

/** Who has lost the right gets no other key for it, and is not reminded of it. For whoever holds the chain. */
export async function endChainErrands(
  connection: Queryable,
  kjede: string,
  { outcome, at }: { outcome: string; at: Date },
): Promise<void> {
  await connection.query(
    `update utboks set ferdig_at = coalesce(ferdig_at, $2), utfall = $3
     where gjelder = $1
       and (slag in ('lenke', 'erstatt', 'paaminn', 'avslatt') and ferdig_at is null or ${NOT_ARRIVED})`,
    [kjede, at, outcome],
  )
}

/** Every key of the chain, and of those its holder has made beside it, at once and for ever. For whoever holds the chain. */
export async function revokeChain(connection: Queryable, kjede: string, at: Date): Promise<void> {
  await lockRenewal(connection, kjede)
  await connection.query(
    'update api_nokkel set tilbakekalt_at = $2 where (kjede = $1 or tilhorer = $1) and tilbakekalt_at is null',
    [kjede, at],
  )
}
