import type { Queryable } from '../database.ts'
import {
  createHolderReader,
  HIDDEN_PERSONS,
  type HiddenPersons,
  type PackedHolder,
  type StoredHolder,
} from './hidden-holders.ts'
import { DeliveryReplacedError } from './read-deliveries.ts'

export type OwnershipBook = {
  orgnr: number
  navn: string | null
  aksjerTotalt: number | null
  aksjerSum: number
  innehavere: number
  storste: StoredHolder[]
}

/** `eier` holds `aksjer` shares in `eid`; the rest is the owned company's, null or 0 when its share book is not there. */
export type OwnershipEdge = {
  eier: number
  eid: number
  aksjer: number
  navn: string | null
  aksjerTotalt: number | null
  aksjerSum: number
}

/**
 * The share books of these companies in one delivery, those that have one. A probe of the primary key for each.
 *
 * @throws DeliveryReplacedError when the delivery is not its year's any more
 */
export async function readOwnershipBooks(
  db: Queryable,
  delivery: number,
  orgnrs: readonly number[],
): Promise<OwnershipBook[]> {
  const rows = await db.query<Current & BookRow>(
    `select ${IS_CURRENT} as er_gjeldende, ${HIDDEN_PERSONS} as skjulte,
            b.orgnr, b.navn, b.aksjer_totalt, b.aksjer_sum, b.innehavere, b.storste
     from (select) as en left join aksjebok b on b.leveranse = $1 and b.orgnr = any($2::int[])`,
    [delivery, orgnrs],
  )
  const holdersOf = createHolderReader(current(rows).skjulte)
  return rows.flatMap((row) =>
    row.orgnr === null
      ? []
      : {
          orgnr: row.orgnr,
          navn: row.navn,
          aksjerTotalt: row.aksjer_totalt === null ? null : Number(row.aksjer_totalt),
          aksjerSum: Number(row.aksjer_sum),
          innehavere: row.innehavere,
          storste: holdersOf(row.storste, row.orgnr),
        },
  )
}

/**
 * What these companies hold shares in, in one delivery; at most EDGES_MAX, by the owner's and then the owned's number.
 *
 * @throws DeliveryReplacedError when the delivery is not its year's any more
 */
export async function readOwnershipEdges(
  db: Queryable,
  delivery: number,
  owners: readonly number[],
): Promise<OwnershipEdge[]> {
  // The limit inside keeps the look-up of the owned company a probe of its key, however many are expected.
  const rows = await db.query<Current & EdgeRow>(
    `select ${IS_CURRENT} as er_gjeldende, null as skjulte,
            e.eier, e.eid, e.aksjer, b.navn, b.aksjer_totalt, b.aksjer_sum
     from (select) as en
     left join (
       select * from eierandel where leveranse = $1 and eier = any($2::int[]) order by eier, eid limit ${EDGES_MAX}
     ) e on true
     left join lateral (
       select navn, aksjer_totalt, aksjer_sum from aksjebok where leveranse = $1 and orgnr = e.eid limit 1
     ) b on true`,
    [delivery, owners],
  )
  current(rows)
  return rows.flatMap(({ eier, eid, ...row }) =>
    eier === null || eid === null
      ? []
      : {
          eier,
          eid,
          aksjer: Number(row.aksjer),
          navn: row.navn,
          aksjerTotalt: row.aksjer_totalt === null ? null : Number(row.aksjer_totalt),
          aksjerSum: Number(row.aksjer_sum ?? 0),
        },
  )
}

const EDGES_MAX = 20_000
const IS_CURRENT = `exists (select from aksjeleveranse where id = $1 and tilstand = 'gjeldende')`

/** Columns of the statement itself; those of the table are all null when it found no row. */
type Current = { er_gjeldende: boolean; skjulte: HiddenPersons }
type BookRow = {
  orgnr: number | null
  navn: string | null
  aksjer_totalt: string | null
  aksjer_sum: string
  innehavere: number
  storste: PackedHolder[]
}
type EdgeRow = {
  eier: number | null
  eid: number | null
  aksjer: string
  navn: string | null
  aksjer_totalt: string | null
  aksjer_sum: string | null
}

function current<Row extends Current>([first]: readonly Row[]): Current {
  if (first === undefined || !first.er_gjeldende) throw new DeliveryReplacedError()
  return first
}
