import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '../database.ts'

/** One delivery of one year's register, the year's own (`isCurrent`) or one that another has replaced. */
export type Delivery = {
  id: number
  aar: number
  isCurrent: boolean
  kilde: string
  /** YYYY-MM-DD, when it was told. */
  uttrekksdato: string | null
  importert: Date
}

/** What was read belongs to a delivery that is not its year's any more: to be read anew from the one that is. */
export class DeliveryReplacedError extends OppslagError {
  constructor() {
    super('leveranse_erstattet', 'the delivery has been replaced by another of the same year')
  }
}

/** All that have been their year's, newest year first, the year's own before those it replaced. At most DELIVERIES_MAX. */
export async function readDeliveries(db: Queryable): Promise<Delivery[]> {
  const rows = await db.query<{
    id: number
    aar: number
    tilstand: string
    kilde: string
    uttrekksdato: string | null
    gjeldende_at: Date
  }>(
    `select id, aar, tilstand, kilde, uttrekksdato::text, gjeldende_at from aksjeleveranse
     where tilstand <> 'lastes' order by aar desc, tilstand desc, id desc limit ${DELIVERIES_MAX}`,
  )
  return rows.map(({ tilstand, gjeldende_at, ...row }) => ({
    ...row,
    isCurrent: tilstand === 'gjeldende',
    importert: gjeldende_at,
  }))
}

/** Thirty years, each delivered more than thirty times. */
const DELIVERIES_MAX = 1000

/**
 * The deliveries that are their years' own, as a part of the very statement that reads from them: whoever finds in the answer
 * what was asked for has read it from one state of the database.
 */
export const CURRENT_DELIVERIES = `array(select id from aksjeleveranse where tilstand = 'gjeldende' order by id)`
