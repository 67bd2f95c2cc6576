import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from './database.ts'

/** A line of the books. `selger` is the seller as it was then, `mva` its word on VAT. */
export type Receipt = {
  nummer: number
  ordre: string
  betalingsreferanse: string
  dato: Date
  produkt: string
  belopOre: number
  valuta: string
  mva: string
  selger: string
}

/**
 * Enters a sale in the books under the next number: without gaps within a series, since the number is taken in the transaction that
 * takes the money, and one at a time. A sale that is there already stays as it is.
 */
export async function insertReceipt(connection: Queryable, receipt: Omit<Receipt, 'nummer'>): Promise<void> {
  await connection.query('lock table bilag in share row exclusive mode')
  await connection.query(
    `insert into bilag (nummer, ordre, betalingsreferanse, dato, produkt, belop_ore, valuta, mva, selger)
     select greatest(coalesce(max(nummer), 0) + 1, ${SERIES_BEGINS}), $1, $2, $3, $4, $5, $6, $7, $8 from bilag
     on conflict (ordre) do nothing`,
    [
      receipt.ordre,
      receipt.betalingsreferanse,
      receipt.dato,
      receipt.produkt,
      receipt.belopOre,
      receipt.valuta,
      receipt.mva,
      receipt.selger,
    ],
  )
}

/** A line that credits another: `bilag` is the number of that. */
type CreditNote = Receipt & { bilag: number }

/** Credits the line of an order, whole, as `insertReceipt` enters one: without gaps, and once. */
export async function insertCreditNote(connection: Queryable, ordre: string, at: Date): Promise<void> {
  await connection.query('lock table kreditnota in share row exclusive mode')
  await connection.query(
    `insert into kreditnota (nummer, ordre, bilag, betalingsreferanse, dato, produkt, belop_ore, valuta, mva, selger)
     select greatest(coalesce((select max(nummer) from kreditnota), 0) + 1, ${SERIES_BEGINS}), ordre, nummer, betalingsreferanse, $2, produkt, belop_ore,
       valuta, mva, selger from bilag where ordre = $1
     on conflict (ordre) do nothing`,
    [ordre, at],
  )
}

/**
 * Begins a series of numbers, of receipts and of credit notes, that nothing was given before: what was sold since a backup is known
 * to nobody here, and its buyers have the numbers. The first is the minute it begins in, by UTC, as `2611230416` and four digits, so
 * that whatever is read in, and however often, a later series is above all that came before it (P170).
 *
 * @returns the first number of it
 * @throws OppslagError when the clock is not past what was given already: it would be no new one
 */
export async function openReceiptSeries(db: Queryable, at: Date): Promise<number> {
  const minute = at.toISOString().replace(/\D/g, '').slice(2, 12)
  const first = Number(minute) * NUMBERS_A_MINUTE + 1
  const rows = await db.query(
    `insert into bilagsrekke (fra, apnet_at) select $1, $2 where $1 > greatest(
       (select max(fra) from bilagsrekke), (select max(nummer) from bilag), (select max(nummer) from kreditnota), 0)
     on conflict (fra) do nothing returning fra`,
    [first, at],
  )
  if (rows.length === 1) return first
  throw new OppslagError(
    'klokken_gar_etter',
    `Det er begynt på bilag fra dette minuttet (${at.toISOString().slice(0, 16)} UTC) eller et senere. Prøv igjen om et minutt, eller still maskinens klokke.`,
  )
}

/** More than anybody sells: then a series does not come into the next minute's. */
const NUMBERS_A_MINUTE = 10_000
const SERIES_BEGINS = 'coalesce((select max(fra) from bilagsrekke), 0)'

export async function findCreditNote(db: Queryable, order: string): Promise<CreditNote | null> {
  const [row] = await db.query<ReceiptRow & { bilag: string }>('select * from kreditnota where ordre = $1', [
    order,
  ])
  return row === undefined ? null : { ...receiptOf(row), bilag: Number(row.bilag) }
}

export async function findReceipt(db: Queryable, order: string): Promise<Receipt | null> {
  const [row] = await db.query<ReceiptRow>('select * from bilag where ordre = $1', [order])
  return row === undefined ? null : receiptOf(row)
}

type ReceiptRow = {
  nummer: string
  ordre: string
  betalingsreferanse: string
  dato: Date
  produkt: string
  belop_ore: number
  valuta: string
  mva: string
  selger: string
}

function receiptOf({ belop_ore, nummer, ...rest }: ReceiptRow): Receipt {
  return { ...rest, nummer: Number(nummer), belopOre: belop_ore }
}
