import type { Database, Queryable } from './database.ts'
import type { ProcessKind } from './processes.ts'

/** A process that ended by an error. */
export type ProcessEnd = {
  /** Told twice it is one. */
  id: string
  slag: ProcessKind
  versjon: string
  endt: Date
  /** The error's class and, if it has one, its code. */
  feil: string
  /** Where in our own code it was thrown: `src/front/app.ts:12:3`; null when it was nowhere there. */
  sted: string | null
}

/** How many there have ever been, and the last that was told of. */
export type ProcessEnds = { antall: number; siste: ProcessEnd | null }

/** How many are remembered. */
const KEPT_MAX = 100
/** Whoever numbers an end holds this. The number means nothing but must never change. */
const LOCK = 7_202_511_210_006

/** Remembers it, once however often it is told. */
export async function keepProcessEnd(db: Pick<Database, 'transaction'>, end: ProcessEnd): Promise<void> {
  const { id, slag, versjon, endt, feil, sted } = end
  await db.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [LOCK])
    await connection.query(
      `insert into prosessfeil (nummer, id, slag, versjon, endt_at, feil, sted)
       select coalesce(max(nummer), 0) + 1, $1, $2, $3, $4, $5, $6 from prosessfeil
       on conflict (id) do nothing`,
      [id, slag, versjon, endt, feil, sted],
    )
    await connection.query(
      'delete from prosessfeil where nummer <= (select max(nummer) from prosessfeil) - $1::integer',
      [KEPT_MAX],
    )
  })
}

export async function readProcessEnds(db: Queryable): Promise<ProcessEnds> {
  const [newest] = await db.query<ProcessEnd & { nummer: number }>(
    `select nummer, id, slag, versjon, endt_at as endt, feil, sted from prosessfeil order by nummer desc limit 1`,
  )
  if (newest === undefined) return { antall: 0, siste: null }
  const { nummer, ...siste } = newest
  return { antall: nummer, siste }
}
