import type { Database, Queryable } from './database.ts'

/** One filing as it is kept. `orgnr` is nine digits, `id` is 0 when the filing has none, dates are YYYY-MM-DD. */
export type KeptFiling = {
  orgnr: string
  regnskapstype: string
  fra: string
  til: string
  id: number
  journalnr: string | null
  valuta: string
  kilde: 'regnskapsregisteret' | 'import'
  hentet: Date
  opplysninger: Record<string, unknown>
  tall: Record<string, unknown>
  felt: readonly string[] | null
}

/** What tells a filing from every other. */
export function filingKey({ orgnr, regnskapstype, fra, til, id }: KeptFiling): string {
  return `${orgnr} ${regnskapstype} ${fra} ${til} ${id}`
}

/**
 * What became, or would become, of a filing that is to be kept.
 *
 * - `uendret`: it is there as it is, or the register itself gave it: an import does not undo what the register says
 * - `fjernet`: the company was removed on legal grounds, and nothing of it may be kept
 */
export type Keeping = 'ny' | 'endret' | 'uendret' | 'fjernet'

/** More than thirty years of company and group, each filed three times. */
const FILINGS_MAX = 200

/** All that is kept of a company, newest period first, at most FILINGS_MAX; nothing of one that was removed. */
export async function readKeptFilings(db: Queryable, orgnr: string): Promise<KeptFiling[]> {
  const rows = await db.query<Row>(
    `select regnskapstype, fra::text, til::text, id, journalnr, valuta, kilde, hentet_at, opplysninger, tall, felt
     from regnskapsarkiv
     where orgnr = $1::integer
       and not exists (select from fjernet where organisasjonsnummer = $1::text)
     order by til desc, fra desc, regnskapstype desc, id desc limit ${FILINGS_MAX}`,
    [orgnr],
  )
  return rows.map(({ id, hentet_at, ...row }) => ({ orgnr, ...row, id: Number(id), hentet: hentet_at }))
}

/**
 * Keeps these filings, all or none. What is there already is not written again. What the register gave replaces what was
 * there of the same filing; what was imported replaces only what was imported.
 *
 * A removal is not overtaken: whoever buries a company waits for this to be over, and erases it then (P11).
 *
 * @param filings no two of the same company, type, period and id
 * @returns what became of each, in their order
 */
export async function keepFilings(
  db: Pick<Database, 'transaction'>,
  filings: readonly KeptFiling[],
): Promise<Keeping[]> {
  if (filings.length === 0) return []
  return db.transaction(async (connection) => {
    // Any number may keep at the same time; a burial is held up by this mode, and holds us up.
    await connection.query('lock table fjernet in row exclusive mode')
    const keepings = await compareFilings(connection, filings)
    const wanted = filings.filter((_, index) => keepings[index] === 'ny' || keepings[index] === 'endret')
    if (wanted.length > 0) await write(connection, wanted)
    return keepings
  })
}

/** What `keepFilings` would do with each now. Writes nothing. */
export async function compareFilings(db: Queryable, filings: readonly KeptFiling[]): Promise<Keeping[]> {
  const rows = await db.query<{ keeping: Keeping }>(
    `select case
         when exists (select from fjernet f where f.organisasjonsnummer = ny.organisasjonsnummer) then 'fjernet'
         when a.orgnr is null then 'ny'
         when a.kilde = 'regnskapsregisteret' and ny.kilde = 'import' then 'uendret'
         when (a.journalnr, a.valuta, a.opplysninger, a.tall, a.felt) is not distinct from
              (ny.journalnr, ny.valuta, ny.opplysninger, ny.tall, ny.felt)
           and a.kilde = ny.kilde then 'uendret'
         else 'endret'
       end as keeping
     from ${INCOMING}
     left join regnskapsarkiv a
       on a.orgnr = ny.orgnr and a.regnskapstype = ny.regnskapstype
         and a.fra = ny.fra and a.til = ny.til and a.id = ny.id
     order by ny.plass`,
    [JSON.stringify(filings.map(incoming))],
  )
  return rows.map(({ keeping }) => keeping)
}

/** Forgets every filing of a company. Again changes nothing. */
export async function eraseAccounts(db: Queryable, orgnr: string): Promise<void> {
  await db.query('delete from regnskapsarkiv where orgnr = $1::integer', [orgnr])
}

type Row = Omit<KeptFiling, 'orgnr' | 'id' | 'hentet'> & { id: string; hentet_at: Date }

/** Two who keep the same filing at once come after each other, and the later stays. */
async function write(db: Queryable, filings: readonly KeptFiling[]): Promise<void> {
  await db.query(
    `insert into regnskapsarkiv
       (orgnr, regnskapstype, fra, til, id, journalnr, valuta, kilde, hentet_at, opplysninger, tall, felt)
     select orgnr, regnskapstype, fra, til, id, journalnr, valuta, kilde, hentet_at, opplysninger, tall, felt
     from ${INCOMING}
     -- In one order, so that two who keep many at once do not wait for each other.
     order by orgnr, regnskapstype, fra, til, id
     on conflict (orgnr, regnskapstype, fra, til, id) do update
     set journalnr = excluded.journalnr, valuta = excluded.valuta, kilde = excluded.kilde,
         hentet_at = excluded.hentet_at, opplysninger = excluded.opplysninger, tall = excluded.tall,
         felt = excluded.felt
     where not (regnskapsarkiv.kilde = 'regnskapsregisteret' and excluded.kilde = 'import')`,
    [JSON.stringify(filings.map(incoming))],
  )
}

/** Filings given as one JSON text in $1, as rows named `ny`. */
const INCOMING = `jsonb_to_recordset($1::jsonb) as ny (
  plass integer, organisasjonsnummer text, orgnr integer, regnskapstype text, fra date, til date, id bigint,
  journalnr text, valuta text, kilde text, hentet_at timestamptz, opplysninger jsonb, tall jsonb, felt text[]
)`

function incoming({ orgnr, hentet, ...filing }: KeptFiling, plass: number) {
  return { ...filing, plass, organisasjonsnummer: orgnr, orgnr: Number(orgnr), hentet_at: hentet }
}
