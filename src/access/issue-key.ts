import { type Miljo, mintKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Queryable } from '#src/storage/database.ts'
import { insertKey } from '#src/storage/keys.ts'
import { hashKey } from './key-hash.ts'

/** `token` exists here and nowhere else: it is shown or sent once, then gone. */
export type IssuedKey = { token: string; id: string; utloper: Date }

/**
 * Makes a key that is valid for one year from now and stores its hash. When this returns the key works.
 *
 * @throws StorageUnavailableError when it could not be stored; then there is no key.
 */
export async function issueKey(
  { db, clock }: { db: Queryable; clock: Clock },
  { epost, miljo }: { epost: string; miljo: Miljo },
): Promise<IssuedKey> {
  const { id, token } = mintKey(miljo)
  const hash = await hashKey(token)
  const utstedt = clock.now()
  const utloper = expiryOf(utstedt)
  await insertKey(db, { id, miljo, epost, hash, utstedt, utloper })
  return { token, id, utloper }
}

/**
 * The first instant at which a key issued then is no longer valid: the same instant of the next calendar year, in UTC, so
 * that no clock change touches it. From 29 February it is 1 March: a year is never cut short.
 */
export function expiryOf(issued: Date): Date {
  const expiry = new Date(issued)
  expiry.setUTCFullYear(issued.getUTCFullYear() + 1)
  return expiry
}
