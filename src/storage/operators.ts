import { Type } from 'typebox'
import type { Queryable } from './database.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

export type OperatorRole = 'lese' | 'skrive'
export type Operator = { id: string; navn: string; rolle: OperatorRole }
type ListedOperator = Operator & { laget: Date; tilbakekalt: Date | null }

/** Stores an operator unless somebody is called so already. @returns whether it was stored */
export async function insertOperator(
  db: Queryable,
  operator: Operator & { hash: Buffer },
  at: Date,
): Promise<boolean> {
  const rows = await db.query(
    `insert into operator (id, navn, rolle, hash, laget_at) values ($1, $2, $3, $4, $5)
     on conflict (lower(navn)) where tilbakekalt_at is null do nothing returning id`,
    [operator.id, operator.navn, operator.rolle, operator.hash, at],
  )
  return rows.length > 0
}

/** Whose token this is; null for one that is not known, or no longer good. */
export async function findOperatorByHash(db: Queryable, hash: Buffer): Promise<Operator | null> {
  const rows = await db.query(
    'select id, navn, rolle from operator where hash = $1 and tilbakekalt_at is null',
    [hash],
  )
  return readOperators(rows)[0] ?? null
}

/** The hash of every token and session that is good now, in base64. There are a handful for each operator. */
export async function listGoodHashes(db: Queryable, at: Date): Promise<Set<string>> {
  const rows = await db.query<{ hash: Buffer }>(
    `select hash from operator where tilbakekalt_at is null
     union all select hash from operator_okt where utloper_at > $1`,
    [at],
  )
  return new Set(rows.map(({ hash }) => hash.toString('base64')))
}

/** Ends an operator's token and all that was begun with it. False when there is no such operator. */
export async function revokeOperator(db: Queryable, navn: string, at: Date): Promise<boolean> {
  const rows = await db.query<{ id: string }>(
    'update operator set tilbakekalt_at = $2 where lower(navn) = lower($1) and tilbakekalt_at is null returning id',
    [navn, at],
  )
  const [row] = rows
  if (row === undefined) return false
  await db.query('delete from operator_okt where operator = $1', [row.id])
  return true
}

/** All there have been, newest first; at most `limit`. */
export async function listOperators(db: Queryable, limit: number): Promise<ListedOperator[]> {
  return readListed(
    await db.query(
      `select id, navn, rolle, laget_at as laget, tilbakekalt_at as tilbakekalt
       from operator order by laget_at desc, id limit $1`,
      [limit],
    ),
  )
}

/** Begins a session, and forgets those that are over. */
export async function insertSession(
  db: Queryable,
  session: { hash: Buffer; operator: string; utloper: Date },
  at: Date,
): Promise<void> {
  await db.query('delete from operator_okt where utloper_at <= $1', [at])
  await db.query('insert into operator_okt (hash, operator, utloper_at) values ($1, $2, $3)', [
    session.hash,
    session.operator,
    session.utloper,
  ])
}

/** Whose session this is; null when it is over, or its operator's token is. */
export async function findSession(db: Queryable, hash: Buffer, at: Date): Promise<Operator | null> {
  const rows = await db.query(
    `select o.id, o.navn, o.rolle from operator_okt s join operator o on o.id = s.operator
     where s.hash = $1 and s.utloper_at > $2 and o.tilbakekalt_at is null`,
    [hash, at],
  )
  return readOperators(rows)[0] ?? null
}

export async function deleteSession(db: Queryable, hash: Buffer): Promise<void> {
  await db.query('delete from operator_okt where hash = $1', [hash])
}

const operator = {
  id: Type.String(),
  navn: Type.String(),
  rolle: Type.Enum(['lese', 'skrive'] satisfies OperatorRole[]),
}
/** One whose role is not known may nothing. */
const readOperators = rowReader('operator', Type.Object(operator))
const readListed = rowReader('operator', Type.Object({ ...operator, laget: Tid, tilbakekalt: nullable(Tid) }))
