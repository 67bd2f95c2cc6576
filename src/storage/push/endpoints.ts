import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { randomText } from '#src/core/api-key.ts'
import type { Database, Queryable } from '../database.ts'
import { holdKey } from '../key-chain.ts'
import { nullable, rowReader, Tid } from '../read-rows.ts'

/** Why nothing is sent there. `hviler`: no key of its owner is valid. */
type EndpointOff = 'eier' | 'borte' | 'feilet' | 'hviler'

/** An address somebody has changes sent to, as its owner sees it. */
export type Endpoint = {
  id: string
  adresse: string
  typer: string[] | null
  opprettet: Date
  /** null: it is sent to. */
  av: { at: Date; grunn: EndpointOff } | null
  /** Since when nothing has been taken; null while all goes well. */
  feiletFra: Date | null
  levert: Date | null
  /** Until when the secret before signs too. */
  forrigeTil: Date | null
  venter: number
}

/**
 * Whose endpoints: `slutter` is the end of a test key of one's own, which nothing else tells of. `nokkel`: the key that asks; null of
 * a test key, which is in no table.
 */
export type EndpointOwner = { eier: string; prove: boolean; slutter: Date | null; nokkel: string | null }

/** What secrets are computed of: the one now, and the one before while it still signs. */
export type Salts = { salt: Buffer; forrige: Buffer | null }

/**
 * Stores an endpoint: it is sent what comes after this. One owner's are stored one at a time.
 *
 * @param bounds `ofOwner`: so many of one; `ofTests`: of all test keys together, of which the oldest gives way: whoever asks is mailed
 *   such keys, and with some days' of them would have all the room there is for months
 * @returns `full`: this owner has room for no more
 * @throws KeyOverError
 */
export async function insertEndpoint(
  db: Pick<Database, 'transaction'>,
  { eier, prove, slutter, nokkel }: EndpointOwner,
  wish: { adresse: string; typer: readonly string[] | null },
  bounds: { ofOwner: number; ofTests: number },
): Promise<{ endpoint: Endpoint; salt: Buffer } | { full: true }> {
  const salt = randomBytes(32)
  return db.transaction(
    async (connection) => {
      if (nokkel !== null) await holdKey(connection, nokkel)
      await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [
        ENDPOINT_LOCK,
        prove ? '' : eier,
      ])
      const [count] = await connection.query<{ own: string; tests: string }>(
        `select (select count(*) from endepunkt where eier = $1) as own,
         (select count(*) from endepunkt where prove) as tests`,
        [eier],
      )
      if (Number(count?.own) >= bounds.ofOwner) return { full: true }
      const tooMany = prove ? Number(count?.tests) + 1 - bounds.ofTests : 0
      if (tooMany > 0) await removeOldestOfTests(connection, eier, tooMany)
      const rows = await connection.query(
        `insert into endepunkt (id, eier, prove, eier_slutter_at, adresse, typer, salt, fra_nr)
       values ($1, $2, $3, $4, $5, $6, $7, (select greatest(coalesce((select max(nr) from endring), 0),
         coalesce((select nr from leveringspeker), 0))))
       returning ${COLUMNS}`,
        [`ep_${randomText(20)}`, eier, prove, slutter, wish.adresse, wish.typer, salt],
      )
      const [endpoint] = readEndpoints(rows).map(endpointOf)
      if (endpoint === undefined) throw new Error('an endpoint that was stored is not there')
      return { endpoint, salt }
    },
    prove ? { alone: 'endepunkt' } : undefined,
  )
}

/** Others' than this owner's. One that somebody is at in this moment is passed over: nobody waits for them. */
async function removeOldestOfTests(connection: Queryable, eier: string, count: number): Promise<void> {
  await connection.query(
    `delete from endepunkt where id in (
       select id from endepunkt where prove and eier <> $1 order by opprettet_at, id limit $2 for update skip locked)`,
    [eier, count],
  )
}

/** One owner's, the oldest first. There are few. */
export async function listEndpoints(db: Queryable, eier: string): Promise<Endpoint[]> {
  const rows = await db.query(
    `select ${COLUMNS} from endepunkt where eier = $1 order by opprettet_at, id limit 1000`,
    [eier],
  )
  return readEndpoints(rows).map(endpointOf)
}

/** This owner's own; another's is as if it were not there. */
export async function findEndpoint(db: Queryable, eier: string, id: string): Promise<Endpoint | null> {
  return one(await db.query(`select ${COLUMNS} from endepunkt where id = $1 and eier = $2`, [id, eier]))
}

/**
 * Changes where it goes, what is sent, and whether anything is. Switched on, it begins anew: what failed before is forgotten.
 *
 * What waits while it is switched off is given up, and can be asked for again.
 *
 * @param wish.by the key that asks, as in EndpointOwner
 * @throws KeyOverError
 */
export async function changeEndpoint(
  db: Pick<Database, 'transaction'>,
  eier: string,
  id: string,
  wish: { adresse: string; typer: readonly string[] | null; isOn: boolean; by: string | null },
): Promise<Endpoint | null> {
  return db.transaction(async (connection) => {
    if (wish.by !== null) await holdKey(connection, wish.by)
    const changed = one(
      await connection.query(
        `update endepunkt set adresse = $3, typer = $4,
           av_at = case when $5 then null else coalesce(av_at, now()) end,
           av_grunn = case when $5 then null else coalesce(av_grunn, 'eier') end,
           feil = case when $5 and (av_at is not null or adresse <> $3) then 0 else feil end,
           feilet_fra = case when $5 and (av_at is not null or adresse <> $3) then null else feilet_fra end,
           neste_at = case when $5 then now() else neste_at end
         where id = $1 and eier = $2 returning ${COLUMNS}`,
        [id, eier, wish.adresse, wish.typer, wish.isOn],
      ),
    )
    if (changed !== null && !wish.isOn) await giveUpWaiting(connection, id)
    return changed
  })
}

/** Nothing is left of it, its deliveries included. @returns whether there was one */
export async function deleteEndpoint(db: Queryable, eier: string, id: string): Promise<boolean> {
  const rows = await db.query('delete from endepunkt where id = $1 and eier = $2 returning id', [id, eier])
  return rows.length > 0
}

/**
 * A new secret; the one there is signs beside it for so long. Asked for again meanwhile, the newest two sign.
 *
 * @throws KeyOverError
 */
export async function renewSecret(
  db: Pick<Database, 'transaction'>,
  eier: string,
  id: string,
  { bothForMs, by }: { bothForMs: number; by: string | null },
): Promise<{ endpoint: Endpoint; salt: Buffer } | null> {
  const salt = randomBytes(32)
  return db.transaction(async (connection) => {
    if (by !== null) await holdKey(connection, by)
    const endpoint = one(
      await connection.query(
        `update endepunkt set forrige_salt = salt, forrige_til = now() + $4 * interval '1 ms', salt = $3
         where id = $1 and eier = $2 returning ${COLUMNS}`,
        [id, eier, salt, bothForMs],
      ),
    )
    return endpoint === null ? null : { endpoint, salt }
  })
}

/**
 * A key of this owner's was in the hands of others: who had it may have made one, led one elsewhere, or seen a new secret. So nothing
 * is sent to any until its owner switches it on, and the secret before signs no more. For whoever has ended the keys.
 */
export async function switchOffEndpoints(connection: Queryable, eier: string): Promise<void> {
  const rows = await connection.query<{ id: string }>(
    `update endepunkt set av_at = coalesce(av_at, now()), av_grunn = coalesce(av_grunn, 'eier'), forrige_salt = null,
       forrige_til = null where eier = $1 returning id`,
    [eier],
  )
  for (const { id } of rows) await giveUpWaiting(connection, id)
}

export async function hasEndpoints(db: Queryable, eier: string): Promise<boolean> {
  return (await db.query('select 1 from endepunkt where eier = $1 limit 1', [eier])).length > 0
}

/**
 * What was going to be sent there is given up; for whoever switches it off, in the same transaction. What somebody else is at in this
 * moment is left to them: it was just taken, or asked for again. Two who waited for each other's deliveries would be one undone.
 */
export async function giveUpWaiting(connection: Queryable, id: string): Promise<void> {
  for (let count = GIVEN_UP_AT_ONCE; count === GIVEN_UP_AT_ONCE; ) {
    const rows = await connection.query(
      `update levering set tilstand = 'oppgitt', ferdig_at = now() where id in (
         select id from levering where endepunkt = $1 and tilstand = 'venter' limit $2 for no key update skip locked)
       returning id`,
      [id, GIVEN_UP_AT_ONCE],
    )
    count = rows.length
  }
}

/** Of 400,000 at once PostgreSQL has no time for the statement, and the key they are sent for could never be ended. */
const GIVEN_UP_AT_ONCE = 10_000

const COLUMNS = `id, adresse, typer, opprettet_at, av_at, av_grunn, hviler_fra, feilet_fra, levert_at,
  case when forrige_til > now() then forrige_til end as forrige_til,
  (select count(*)::int from levering where endepunkt = endepunkt.id and tilstand = 'venter') as venter`

const Row = Type.Object({
  id: Type.String(),
  adresse: Type.String(),
  typer: nullable(Type.Array(Type.String())),
  opprettet_at: Tid,
  av_at: nullable(Tid),
  av_grunn: nullable(Type.Enum(['eier', 'borte', 'feilet'])),
  hviler_fra: nullable(Tid),
  feilet_fra: nullable(Tid),
  levert_at: nullable(Tid),
  forrige_til: nullable(Tid),
  venter: Type.Integer(),
})
const readEndpoints = rowReader('endepunkt', Row)

function one(rows: readonly unknown[]): Endpoint | null {
  const [endpoint] = readEndpoints(rows).map(endpointOf)
  return endpoint ?? null
}

function endpointOf(row: Static<typeof Row>): Endpoint {
  const off =
    row.av_at !== null && row.av_grunn !== null
      ? { at: row.av_at, grunn: row.av_grunn }
      : row.hviler_fra !== null
        ? { at: row.hviler_fra, grunn: 'hviler' as const }
        : null
  return {
    id: row.id,
    adresse: row.adresse,
    typer: row.typer,
    opprettet: row.opprettet_at,
    av: off,
    feiletFra: row.feilet_fra,
    levert: row.levert_at,
    forrigeTil: row.forrige_til,
    venter: row.venter,
  }
}

/** The space of advisory locks that is ours for endpoints. */
const ENDPOINT_LOCK = 720_258
