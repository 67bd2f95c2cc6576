import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from './database.ts'
import { holdKey } from './key-chain.ts'
import { keyNotEnded } from './key-life.ts'

/** A key's list of numbers as it stands. `done`: lines that are gone through. */
export type Batch = {
  id: string
  felt: string[] | null
  linjer: number
  dubletter: number
  parts: number
  partsDone: number
  /** Lines of the parts that are gone through. */
  done: number
  foretak: number
  feil: number
  ufullstendige: number
  mottatt: Date
  begynt: Date | null
  ferdig: Date | null
  slettes: Date
}

/** What stood in one place of a list: a number, what was no number, or nothing, since it was removed from the registers. */
export type BatchLine = { orgnr: string; given: null } | { orgnr: null; given: string | null }

export type NewBatch = {
  nokkel: string
  /** What the key is held by, as all keys of a purchase are. */
  right: string
  /** Of invented companies. */
  prove: boolean
  idempotens: Buffer
  innhold: Buffer
  felt: readonly string[] | null
  dubletter: number
  lines: readonly BatchLine[]
  mottatt: Date
  slettes: Date
}

/** Lines in one part: what is gone through in one turn of a key. */
export const PART_LINES = 100

/**
 * Stores a list, unless there is one of this key under the same name already; that one is returned, and what came with it can
 * be told from `sameContent`. One key's lists are stored one at a time.
 *
 * @param bounds `ofKey`: so many of one key; `inAll`: of all keys of its kind. Of test keys the oldest gives way, and others are
 *   refused. All keys of one purchase have no more than there is room for besides, so that however many purchases have all they may,
 *   another finds as much as each of them
 * @returns `full`: there is room for no more, of this key and those beside it, or of anybody
 * @throws KeyOverError when its key ended while it was sent. A test key is in no table, and its lists are of invented companies
 */
export async function insertBatch(
  db: Pick<Database, 'transaction'>,
  batch: NewBatch,
  bounds: { ofKey: number; inAll: number },
): Promise<{ batch: Batch; isNew: boolean; sameContent: boolean } | { full: 'key' | 'all' }> {
  return db.transaction(async (connection) => {
    if (!batch.prove) await holdKey(connection, batch.nokkel)
    await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [BATCH_LOCK, batch.nokkel])
    const [known] = await connection.query<Row & { same: boolean }>(
      `select ${COLUMNS}, innhold = $3 as same from bestilling where nokkel = $1 and idempotens = $2`,
      [batch.nokkel, batch.idempotens, batch.innhold],
    )
    if (known !== undefined) return { batch: batchOf(known), isNew: false, sameContent: known.same }
    if (batch.prove) {
      await connection.query(
        `delete from bestilling where id in (
           select id from bestilling where nokkel = $1 order by mottatt_at desc, id offset $2)
         or id in (select id from bestilling where prove order by mottatt_at desc, id offset $3)`,
        [batch.nokkel, bounds.ofKey - 1, bounds.inAll - 1],
      )
    } else {
      const [count] = await connection.query<{ own: string; ofRight: string; together: string }>(
        `select count(*) filter (where nokkel = $1) as own, count(*) as together,
           count(*) filter (where nokkel = $1 or nokkel in (
             select id from api_nokkel where kjede = $2 or tilhorer = $2)) as "ofRight"
         from bestilling where not prove`,
        [batch.nokkel, batch.right],
      )
      const free = bounds.inAll - Number(count?.together)
      if (free <= 0) return { full: 'all' }
      if (Number(count?.own) >= bounds.ofKey || Number(count?.ofRight) >= free) return { full: 'key' }
    }
    return { batch: await store(connection, batch), isNew: true, sameContent: true }
  })
}

async function store(connection: Queryable, batch: NewBatch): Promise<Batch> {
  const { nokkel, prove, idempotens, innhold, felt, dubletter, lines, mottatt, slettes } = batch
  const parts = Math.ceil(lines.length / PART_LINES)
  const [row] = await connection.query<Row>(
    `insert into bestilling (id, nokkel, prove, idempotens, innhold, felt, linjer, dubletter, deler, neste_at, mottatt_at,
       slettes_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11) returning ${COLUMNS}`,
    [
      randomBytes(16).toString('hex'),
      nokkel,
      prove,
      idempotens,
      innhold,
      felt,
      lines.length,
      dubletter,
      parts,
      mottatt,
      slettes,
    ],
  )
  if (row === undefined) throw new Error('a list that was stored is not there')
  for (let from = 0; from < parts; from += PARTS_AT_ONCE) {
    const some = Array.from({ length: Math.min(PARTS_AT_ONCE, parts - from) }, (_, index) =>
      packed(lines, from + index),
    )
    await connection.query(
      `insert into bestilling_del (bestilling, nr, numre, oppgitt)
       select $1, nr, numre::integer[], oppgitt::jsonb from unnest($2::integer[], $3::text[], $4::text[]) as del (nr, numre, oppgitt)`,
      [row.id, some.map(({ nr }) => nr), some.map(({ numre }) => numre), some.map(({ oppgitt }) => oppgitt)],
    )
  }
  return batchOf(row)
}

function packed(lines: readonly BatchLine[], nr: number) {
  const some = lines.slice(nr * PART_LINES, (nr + 1) * PART_LINES)
  const given = some.flatMap(({ orgnr, given }, place) =>
    orgnr === null ? [[place, storable(given ?? '')]] : [],
  )
  return {
    nr,
    numre: `{${some.map(({ orgnr }) => orgnr ?? NO_NUMBER).join(',')}}`,
    oppgitt: given.length === 0 ? null : JSON.stringify(Object.fromEntries(given)),
  }
}

/** PostgreSQL's JSON holds neither NUL nor halves of letters. */
function storable(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed()
}

/** This key's own; another's is as if it were not there. */
export async function findBatch(db: Queryable, nokkel: string, id: string): Promise<Batch | null> {
  const [row] = await db.query<Row>(`select ${COLUMNS} from bestilling where id = $1 and nokkel = $2`, [
    id,
    nokkel,
  ])
  return row === undefined ? null : batchOf(row)
}

/** Takes it back: nothing is left of it. @returns whether there was one */
export async function deleteBatch(db: Queryable, nokkel: string, id: string): Promise<boolean> {
  return (
    (await db.query('delete from bestilling where id = $1 and nokkel = $2 returning id', [id, nokkel]))
      .length > 0
  )
}

/** One part's lines in their order; null when there is no such part, or no such list any more. */
export async function readBatchPart(db: Queryable, id: string, nr: number): Promise<BatchLine[] | null> {
  const [row] = await db.query<{ numre: number[]; oppgitt: Record<string, string> | null }>(
    'select numre, oppgitt from bestilling_del where bestilling = $1 and nr = $2',
    [id, nr],
  )
  if (row === undefined) return null
  return row.numre.map((number, place): BatchLine => {
    if (number === NO_NUMBER) return { orgnr: null, given: row.oppgitt?.[place] ?? '' }
    return number === REMOVED
      ? { orgnr: null, given: null }
      : { orgnr: String(number).padStart(9, '0'), given: null }
  })
}

/**
 * Rights that have something to go through now, whose turn was longest ago first: all keys of one purchase are one. A test key, which
 * is in no table, is its own.
 */
export async function rightsWithWork(db: Queryable, at: Date, limit: number): Promise<RightWithWork[]> {
  return db.query<RightWithWork>(
    `select coalesce(n.tilhorer, n.kjede, b.nokkel) as rett, b.prove
     from bestilling b left join api_nokkel n on n.id = b.nokkel
     where b.ferdig_at is null and b.neste_at <= $1
     group by rett, b.prove order by b.prove, min(b.neste_at), rett limit $2`,
    [at, limit],
  )
}

/** `prove`: it is a test key's. */
export type RightWithWork = { rett: string; prove: boolean }

/**
 * What the next turn of one right is about: of those that are not done, and are not put off, each key's list that came first, and of
 * these the one whose turn was longest ago.
 */
export async function nextOfRight(
  db: Queryable,
  right: string,
  at: Date,
): Promise<{ id: string; prove: boolean; felt: string[] | null; nr: number; forsok: number } | null> {
  const [row] = await db.query<{
    id: string
    prove: boolean
    felt: string[] | null
    gjort: number
    forsok: number
  }>(
    `update bestilling set begynt_at = coalesce(begynt_at, $2) where id = (
       select id from (
         select distinct on (nokkel) id, neste_at from bestilling
         where (nokkel = $1 or nokkel in (select id from api_nokkel where kjede = $1 or tilhorer = $1))
           and ferdig_at is null and neste_at <= $2
         order by nokkel, mottatt_at, id
       ) foerste order by neste_at, id limit 1
     ) returning id, prove, felt, gjort, forsok`,
    [right, at],
  )
  if (row === undefined) return null
  const { gjort, ...rest } = row
  return { ...rest, nr: gjort }
}

/** A part is gone through. Whoever went through it besides, or after the list was taken back, changes nothing. */
export async function notePartDone(
  db: Queryable,
  { id, nr }: { id: string; nr: number },
  sums: { foretak: number; feil: number; ufullstendige: number },
  at: Date,
): Promise<void> {
  await db.query(
    `update bestilling set gjort = gjort + 1, forsok = 0, foretak = foretak + $3, feil = feil + $4,
       ufullstendige = ufullstendige + $5, neste_at = $6,
       ferdig_at = case when gjort + 1 = deler then $6::timestamptz end
     where id = $1 and gjort = $2`,
    [id, nr, sums.foretak, sums.feil, sums.ufullstendige, at],
  )
}

/** Most of a part could not be had: it is looked at again at this time. */
export async function putPartOff(
  db: Queryable,
  { id, nr }: { id: string; nr: number },
  until: Date,
): Promise<void> {
  await db.query(
    'update bestilling set forsok = forsok + 1, neste_at = $3 where id = $1 and gjort = $2 and ferdig_at is null',
    [id, nr, until],
  )
}

/** Lists whose days are over, and those of keys that have ended. @returns how many */
export async function removeOldBatches(db: Queryable, at: Date): Promise<number> {
  const rows = await db.query(
    `delete from bestilling where slettes_at <= $1 or exists (
       select 1 from api_nokkel n where n.id = bestilling.nokkel
         and not (${keyNotEnded('$1', 'n')} and n.utloper_at > $1)
     ) returning id`,
    [at],
  )
  return rows.length
}

/** Takes a removed company's number out of every list: all of them are looked through. Its line is left, and says that it is gone. */
export async function eraseFromBatches(db: Queryable, organisasjonsnummer: string): Promise<void> {
  await db.query(
    'update bestilling_del set numre = array_replace(numre, $1::integer, $2::integer) where $1::integer = any(numre)',
    [Number(organisasjonsnummer), REMOVED],
  )
}

/** The same of companies that were removed before the list came, out of the part they were found in. */
export async function eraseFromPart(
  db: Queryable,
  { id, nr }: { id: string; nr: number },
  organisasjonsnumre: readonly string[],
): Promise<void> {
  await db.query(
    `update bestilling_del set numre = array(
       select case when linje.nummer = any($3::integer[]) then $4::integer else linje.nummer end
       from unnest(numre) with ordinality as linje (nummer, plass) order by plass)
     where bestilling = $1 and nr = $2`,
    [id, nr, organisasjonsnumre.map(Number), REMOVED],
  )
}

const BATCH_LOCK = 720_253
const PARTS_AT_ONCE = 100
const NO_NUMBER = 0
const REMOVED = -1

const COLUMNS = `id, felt, linjer, dubletter, deler, gjort, foretak, feil, ufullstendige, mottatt_at, begynt_at, ferdig_at,
  slettes_at`
type Row = {
  id: string
  felt: string[] | null
  linjer: number
  dubletter: number
  deler: number
  gjort: number
  foretak: number
  feil: number
  ufullstendige: number
  mottatt_at: Date
  begynt_at: Date | null
  ferdig_at: Date | null
  slettes_at: Date
}

function batchOf(row: Row): Batch {
  const { id, felt, linjer, dubletter, deler, gjort, foretak, feil, ufullstendige } = row
  return {
    id,
    felt,
    linjer,
    dubletter,
    parts: deler,
    partsDone: gjort,
    done: Math.min(linjer, gjort * PART_LINES),
    foretak,
    feil,
    ufullstendige,
    mottatt: row.mottatt_at,
    begynt: row.begynt_at,
    ferdig: row.ferdig_at,
    slettes: row.slettes_at,
  }
}
