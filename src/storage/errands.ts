import { Type } from 'typebox'
import { MINUTE_MS } from '#src/core/units.ts'
import type { Queryable } from './database.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

const kinds = [
  'lever',
  'trekk',
  'kanseller',
  'kvittering',
  'lenke',
  'erstatt',
  'paaminn',
  'refunder',
  'kreditnota',
  'avslatt',
] as const
type ErrandKind = (typeof kinds)[number]
/** Of a kind this release does not know: left to the one that does, and in nobody's way. */
const IS_KNOWN = `slag in (${kinds.map((kind) => `'${kind}'`).join(', ')})`

/** Something to be done outside the database. `gjelder`: the order or chain of keys it is for. */
export type Errand = {
  id: string
  slag: ErrandKind
  gjelder: string
  nr: number
  nokkel: string | null
  grunn: 'tapt' | 'lekket' | null
  laget: Date
  /** Rises each time somebody takes it on, and tells the one who has it now from those before. */
  forsok: number
  /** How often the other side has refused it under its name. */
  omgang: number
}

/**
 * Writes down an errand; for whoever changes what it follows from, in the same transaction. One of this kind and number
 * that there is already stays as it is.
 */
export async function putErrand(
  connection: Queryable,
  errand: {
    slag: ErrandKind
    gjelder: string
    nr: number
    notBefore: Date
    nokkel?: string
    grunn?: 'tapt' | 'lekket' | null
  },
  at: Date,
): Promise<boolean> {
  const rows = await connection.query(
    `insert into utboks (slag, gjelder, nr, nokkel, grunn, laget_at, neste_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (slag, gjelder, nr) do nothing returning id`,
    [
      errand.slag,
      errand.gjelder,
      errand.nr,
      errand.nokkel ?? null,
      errand.grunn ?? null,
      at,
      errand.notBefore,
    ],
  )
  return rows.length > 0
}

/** Adds an errand of a kind to a chain, numbered after those there are. Whoever holds the chain is alone with it. */
export async function putNextErrand(
  connection: Queryable,
  errand: { slag: ErrandKind; gjelder: string; nokkel: string; grunn: 'tapt' | 'lekket' },
  at: Date,
): Promise<void> {
  const [row] = await connection.query<{ nr: number }>(
    'select coalesce(max(nr), 0) + 1 as nr from utboks where slag = $1 and gjelder = $2',
    [errand.slag, errand.gjelder],
  )
  await putErrand(connection, { ...errand, nr: row?.nr ?? 1, notBefore: at }, at)
}

/**
 * What has something due: money first, then keys, then longest waiting. What others have mailed to them holds up no key, and neither does
 * money or a key that was tried before: who did not answer then may not answer for as long again. Of those that were never tried the
 * newest is first, so that whoever buys waits for none of however many whose mail server hangs.
 *
 * @param but these are passed over
 */
export async function dueSubjects(
  db: Queryable,
  at: Date,
  limit: number,
  but: readonly string[] = [],
): Promise<string[]> {
  const rows = await db.query<{ gjelder: string }>(
    `select gjelder from (
       select gjelder, bool_or(slag in (${MONEY})) as er_penger, bool_or(slag in (${KEYS})) as er_nokkel,
         max(laget_at) filter (where forsok = 0 and slag in (${MONEY}, ${KEYS})) as ny_at, min(neste_at) as neste_at
       from utboks where ferdig_at is null and neste_at <= $1 and gjelder <> all($3) and ${IS_KNOWN} group by gjelder
     ) due
     order by ny_at is not null desc, er_penger desc, er_nokkel desc, ny_at desc, neste_at limit $2`,
    [at, limit, but],
  )
  return rows.map(({ gjelder }) => gjelder)
}

const MONEY = `'trekk', 'kanseller', 'refunder'`
const KEYS = `'lever', 'erstatt'`

/** What is due first of an order or chain. One that can not be read is left for a while, and holds up none of the others (P105). */
export async function nextErrandOf(db: Queryable, gjelder: string, at: Date): Promise<Errand | null> {
  const rows = await db.query<{ id: string }>(
    `select ${COLUMNS} from utboks where gjelder = $1 and ferdig_at is null and neste_at <= $2 and ${IS_KNOWN}
     order by neste_at, id limit 1`,
    [gjelder, at],
  )
  const errand = firstErrand(rows)
  if (errand !== null || rows[0] === undefined) return errand
  const again = new Date(at.getTime() + MINUTE_MS)
  await db.query('update utboks set neste_at = $2 where id = $1 and ferdig_at is null', [rows[0].id, again])
  return nextErrandOf(db, gjelder, at)
}

/**
 * Takes an errand on until `until`: whoever dies with it is followed by another then. For exactly one of all who saw it as
 * it is here.
 *
 * @returns it as it is now, null when it is done, not due any more, or taken
 */
export async function claimErrand(
  connection: Queryable,
  errand: SameErrand & Pick<Errand, 'forsok'>,
  { at, until }: { at: Date; until: Date },
): Promise<Errand | null> {
  const rows = await connection.query(
    `update utboks set forsok = forsok + 1, neste_at = $6
     where ${IS_IT} and forsok = $4 and neste_at <= $5 returning ${COLUMNS}`,
    [...nameOf(errand), errand.forsok, at, until],
  )
  return firstErrand(rows)
}

/** Whether it is still to be done: somebody may have made it needless since it was taken on. */
export async function isErrandOpen(db: Queryable, errand: SameErrand): Promise<boolean> {
  const rows = await db.query(`select 1 from utboks where ${IS_IT}`, nameOf(errand))
  return rows.length > 0
}

/** Done for good. One that is done keeps its first outcome. */
export async function finishErrand(
  connection: Queryable,
  errand: SameErrand,
  outcome: string,
  at: Date,
): Promise<void> {
  await connection.query(`update utboks set ferdig_at = $4, utfall = $5 where ${IS_IT}`, [
    ...nameOf(errand),
    at,
    outcome,
  ])
}

/** To be tried again then, unless somebody else has taken it on since. */
export async function postponeErrand(
  connection: Queryable,
  errand: SameErrand & Pick<Errand, 'forsok'>,
  until: Date,
  { isRefused = false }: { isRefused?: boolean } = {},
): Promise<void> {
  await connection.query(
    `update utboks set neste_at = $5, omgang = omgang + $6 where ${IS_IT} and forsok = $4`,
    [...nameOf(errand), errand.forsok, until, isRefused ? 1 : 0],
  )
}

/** By what it is, too: a PostgreSQL that was set back while somebody was at one may have given its number to another's. */
type SameErrand = Pick<Errand, 'id' | 'slag' | 'gjelder'>

/** It, and not done yet. */
const IS_IT = 'id = $1 and slag = $2 and gjelder = $3 and ferdig_at is null'

function nameOf({ id, slag, gjelder }: SameErrand) {
  return [id, slag, gjelder] as const
}

const COLUMNS = 'id, slag, gjelder, nr, nokkel, grunn, laget_at, forsok, omgang'

const ErrandRow = Type.Object({
  // A bigint, as pg gives it.
  id: Type.String(),
  slag: Type.Enum(kinds),
  gjelder: Type.String(),
  nr: Type.Integer(),
  nokkel: nullable(Type.String()),
  grunn: nullable(Type.Enum(['tapt', 'lekket'])),
  laget_at: Tid,
  forsok: Type.Integer({ minimum: 0 }),
  omgang: Type.Integer({ minimum: 0 }),
})
const readErrands = rowReader('arend', ErrandRow)

function firstErrand(rows: readonly unknown[]): Errand | null {
  const [row] = readErrands(rows)
  if (row === undefined) return null
  const { laget_at, ...errand } = row
  return { ...errand, laget: laget_at }
}
