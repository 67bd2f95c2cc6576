import { hash, verify } from '@node-rs/argon2'
import { OppslagError } from './errors.ts'

/** argon2id as OWASP's Password Storage Cheat Sheet asks at least: 19 MiB, two passes, one lane. About 15 ms of a core. */
const keyHashing = {
  /** argon2id; the library's own name for it is a const enum, which is gone when types are. */
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

/** What is stored for a key can not be read as a hash: a fault of ours, which says nothing about the key. */
export class KeyHashError extends OppslagError {
  constructor(cause: unknown) {
    super('nokkelhash_uleselig', 'the stored hash of a key can not be read', { cause })
  }
}

/** The form in which a key is stored, with parameters and salt: `$argon2id$v=19$m=19456,t=2,p=1$…`. */
export function hashKey(token: string): Promise<string> {
  return hash(token, keyHashing)
}

/**
 * Whether the stored hash is of this key. Runs on the thread pool that DNS look-ups use too: never more than a few at once.
 *
 * @throws KeyHashError when the stored hash is no hash.
 */
export async function isKeyOfHash(stored: string, token: string): Promise<boolean> {
  try {
    return await verify(stored, token, keyHashing)
  } catch (error) {
    throw new KeyHashError(error)
  }
}
