import { type Miljo, mintKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { hashKey } from '#src/core/key-hash.ts'
import type { Queryable } from '#src/storage/database.ts'
import { insertKey } from '#src/storage/keys.ts'

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
