import type { Queryable } from '../database.ts'
import { LARGEST_MAX, PART_SIZE } from './book-rows.ts'
import {
  createHolderReader,
  HIDDEN_PERSONS,
  type HiddenPersons,
  type PackedHolder,
  type StoredHolder,
} from './hidden-holders.ts'
import type { StoredBook } from './read-books.ts'
import { DeliveryReplacedError } from './read-deliveries.ts'

export type HolderPage = Omit<StoredBook, 'leveranse' | 'storste'> & { holders: StoredHolder[] }

/**
 * `limit` holders of a share book, largest first, after the first `after`; null when the delivery has no such book. Reads no
 * more than the parts the page lies in, so that every depth costs the same.
 *
 * @throws DeliveryReplacedError when the delivery is not its year's any more
 */
export async function readHolderPage(
  db: Queryable,
  { delivery, orgnr, after, limit }: { delivery: number; orgnr: number; after: number; limit: number },
): Promise<HolderPage | null> {
  const end = after + limit
  const firstPart = Math.max(0, Math.floor((after - LARGEST_MAX) / PART_SIZE))
  const lastPart = Math.floor((end - 1 - LARGEST_MAX) / PART_SIZE)
  const [row] = await db.query<Row>(
    `select exists (select from aksjeleveranse where id = $1 and tilstand = 'gjeldende') as er_gjeldende,
            ${HIDDEN_PERSONS} as skjulte,
            b.navn, b.aksjer_totalt, b.aksjer_sum, b.innehavere, b.klasser,
            case when $3::int < ${LARGEST_MAX} then b.storste end as storste,
            (select json_agg(d.innehavere order by d.del) from aksjebok_del d
             where d.leveranse = $1 and d.orgnr = $2 and d.del between $4 and $5) as deler
     from (select) as en left join aksjebok b on b.leveranse = $1 and b.orgnr = $2`,
    [delivery, orgnr, after, firstPart, lastPart],
  )
  if (row === undefined || !row.er_gjeldende) throw new DeliveryReplacedError()
  if (row.klasser === null) return null
  const begin = after < LARGEST_MAX ? 0 : LARGEST_MAX + firstPart * PART_SIZE
  const packed = [...(row.storste ?? []), ...(row.deler ?? []).flat()].slice(after - begin, end - begin)
  return {
    navn: row.navn,
    aksjerTotalt: row.aksjer_totalt === null ? null : Number(row.aksjer_totalt),
    aksjerSum: Number(row.aksjer_sum),
    innehavere: row.innehavere,
    klasser: row.klasser,
    holders: createHolderReader(row.skjulte)(packed, orgnr),
  }
}

type Row = {
  er_gjeldende: boolean
  skjulte: HiddenPersons
  navn: string | null
  aksjer_totalt: string | null
  aksjer_sum: string
  innehavere: number
  /** Null: there is no such book. */
  klasser: string[] | null
  storste: PackedHolder[] | null
  deler: PackedHolder[][] | null
}
