import type { Queryable } from '../database.ts'

/**
 * Counts what an endpoint's owner asks to be sent besides changes, so that nobody has others' machines called at will. Any number at
 * once are counted one after the other, and an endpoint that is made anew is its owner's all the same.
 *
 * The endpoint is held until the transaction ends, and before what is counted and sent there, as with whoever takes it away.
 *
 * @param what tests, or messages that are sent again
 * @returns false: it would be more than this in an hour, and nothing was counted; or there is no such endpoint
 */
export async function takeAllowance(
  db: Queryable,
  endepunkt: string,
  what: 'prover' | 'igjen',
  { count, perHourMax }: { count: number; perHourMax: number },
): Promise<boolean> {
  const other = what === 'prover' ? 'igjen' : 'prover'
  const rows = await db.query(
    `insert into endepunktbruk as bruk (eier, fra, ${what})
     select eier, now(), $2::integer from endepunkt where id = $1 and $2::integer <= $3::integer for key share
     on conflict (eier) do update set
       fra = case when ${IS_OVER} then excluded.fra else bruk.fra end,
       ${what} = case when ${IS_OVER} then 0 else bruk.${what} end + excluded.${what},
       ${other} = case when ${IS_OVER} then 0 else bruk.${other} end
     where ${IS_OVER} or bruk.${what} + excluded.${what} <= $3::integer returning eier`,
    [endepunkt, count, perHourMax],
  )
  return rows.length > 0
}

const IS_OVER = `bruk.fra <= excluded.fra - interval '1 hour'`
