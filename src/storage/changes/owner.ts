import type { Queryable } from '../database.ts'
import { keyInUse } from '../key-life.ts'

/**
 * Whose watches those of a key are: its right's (`findKeyRight`), whichever of its keys asks, and of one that was renewed the
 * first one's, so that what is watched survives a replaced key and the next year. null: there is no such key.
 */
export async function ownerOfKey(db: Queryable, keyId: string): Promise<string | null> {
  const [row] = await db.query<{ eier: string }>(
    `with recursive rekke (kjede, dybde) as (
       select coalesce(tilhorer, kjede), 0 from api_nokkel where id = $1
       union all
       select o.fornyer, r.dybde + 1 from rekke r join ordre o on o.id = r.kjede
       where o.fornyer is not null and r.dybde < $2
     )
     select kjede as eier from rekke order by dybde desc limit 1`,
    [keyId, YEARS_MAX],
  )
  return row?.eier ?? null
}

/** Renewals that are gone back through. */
const YEARS_MAX = 100

/** The address of an owner's newest key that may be used: its own chain's, or of one that renewed it. null: there is none. */
export async function ownerAddress(db: Queryable, eier: string, at: Date): Promise<string | null> {
  const [row] = await db.query<{ epost: string }>(
    `with recursive ${CHAINS_OF_OWNER}
     select epost from api_nokkel where kjede in (select kjede from rekke) and epost is not null and ${keyInUse('$2')}
     order by utstedt_at desc, id limit 1`,
    [eier, at],
  )
  return row?.epost ?? null
}

/** `rekke`: the chains of the owner in `$1`, its own and those that renewed it. */
const CHAINS_OF_OWNER = `rekke (kjede, dybde) as (
    select $1::text, 0
    union all
    select o.id, r.dybde + 1 from rekke r join ordre o on o.fornyer = r.kjede where r.dybde < ${YEARS_MAX}
  )`
