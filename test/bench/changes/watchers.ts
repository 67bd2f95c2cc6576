import { randomText } from '#src/core/api-key.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { hashKey } from '#src/core/key-hash.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import type { Database } from '#src/storage/database.ts'
import { insertKey } from '#src/storage/keys.ts'
import { makeEndpoint } from '#test/support/made-endpoint.ts'

/** Keys that watch and have an endpoint each, as they stand in PostgreSQL. None of them ever asks anything. */
export async function makeWatchers(
  db: Database,
  /** Each is one key: the companies it watches, and the address its endpoint has; null has none. */
  wanted: readonly { numbers: readonly string[]; address: string | null }[],
): Promise<string[]> {
  // The argon2id of a key is what takes the time to make one; nobody proves any of these.
  const hash = await hashKey('bench')
  const at = new Date()
  const owners: string[] = []
  for (const { numbers, address } of wanted) {
    const id = randomText(12)
    owners.push(id)
    const key = {
      id,
      miljo: 'test',
      epost: 'bench@example.com',
      hash,
      utstedt: at,
      utloper: expiryOf(at),
    } as const
    await insertKey(db, key)
    await watch(db, id, numbers, address)
  }
  return owners
}

/** A key watches these, and has an endpoint there; null: it has none. */
export async function watch(
  db: Database,
  eier: string,
  numbers: readonly string[],
  address: string | null,
): Promise<void> {
  const wishes = numbers.map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null }))
  await putWatches(db, { eier, prove: false }, wishes, { max: Number.MAX_SAFE_INTEGER, at: new Date() })
  if (address !== null) await makeEndpoint(db, eier, address)
}

/** Numbers nobody asks the registers about: they are there to be many, and untouched. */
export function untouchedNumbers(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(820_000_000 + from + index))
}

/**
 * What a company that was looked at was, under these numbers as well; none of them is due to be looked at while it is measured.
 *
 * @param model a watched company that has been looked at
 */
export async function lookedAt(db: Database, model: string, numbers: readonly string[]): Promise<void> {
  const all = numbers.map(Number)
  await db.query(
    `insert into grunnlag (prove, orgnr, kilde, fakta, avtrykk, nevner, sett_at, gjelder_til)
     select prove, ny, kilde, fakta, avtrykk, nevner, sett_at, null
     from unnest($2::integer[]) ny, grunnlag where orgnr = $1 and not prove
     on conflict do nothing`,
    [Number(model), all],
  )
  await db.query(
    `update blikk set neste_at = now() + interval '1 hour' + random() * interval '23 hours' where orgnr = any($1::integer[])`,
    [all],
  )
}
