import type { Queryable } from '../database.ts'
import {
  createHolderReader,
  HIDDEN_PERSONS,
  type HiddenPersons,
  type PackedHolder,
  type StoredHolder,
} from './hidden-holders.ts'
import { CURRENT_DELIVERIES, DeliveryReplacedError } from './read-deliveries.ts'

/** One company's share book in one delivery. Numbers of shares are whole and below 2^53. */
export type StoredBook = {
  leveranse: number
  navn: string | null
  /** As the company reported it; null is missing or zero. */
  aksjerTotalt: number | null
  aksjerSum: number
  innehavere: number
  klasser: string[]
  /** The 200 largest, largest first. */
  storste: StoredHolder[]
}

/**
 * A company's share book in each of these deliveries that has one, in their order, from one state of the database. One probe
 * of a primary key for each delivery.
 *
 * @param deliveries all that are their years' own, as the reader knows them
 * @throws DeliveryReplacedError when they are others by now
 */
export async function readBooks(
  db: Queryable,
  orgnr: number,
  deliveries: readonly number[],
): Promise<StoredBook[]> {
  const rows = await db.query<Row & { gjeldende: number[]; skjulte: HiddenPersons }>(
    `select ${CURRENT_DELIVERIES} as gjeldende, ${HIDDEN_PERSONS} as skjulte,
            b.leveranse, b.navn, b.aksjer_totalt, b.aksjer_sum, b.innehavere, b.klasser, b.storste
     from (select) as en left join aksjebok b on b.leveranse = any($1::int[]) and b.orgnr = $2`,
    [deliveries, orgnr],
  )
  const [first] = rows
  if (first === undefined || !areSame(first.gjeldende, deliveries)) throw new DeliveryReplacedError()
  const holdersOf = createHolderReader(first.skjulte)
  const books = new Map<number, StoredBook>()
  for (const row of rows) {
    if (row.leveranse === null) continue
    books.set(row.leveranse, { ...factsOf(row), storste: holdersOf(row.storste, orgnr) })
  }
  return deliveries.flatMap((id) => books.get(id) ?? [])
}

type Row = {
  /** Null in all columns: no delivery has the company. */
  leveranse: number | null
  navn: string | null
  aksjer_totalt: string | null
  aksjer_sum: string
  innehavere: number
  klasser: string[]
  storste: PackedHolder[]
}

function factsOf(row: Row & { leveranse: number | null }): Omit<StoredBook, 'storste'> {
  return {
    leveranse: row.leveranse ?? 0,
    navn: row.navn,
    aksjerTotalt: row.aksjer_totalt === null ? null : Number(row.aksjer_totalt),
    aksjerSum: Number(row.aksjer_sum),
    innehavere: row.innehavere,
    klasser: row.klasser,
  }
}

function areSame(current: readonly number[], known: readonly number[]): boolean {
  return current.length === known.length && known.every((id) => current.includes(id))
}
