import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * That a key was proved, told to the processes that come after (P60). What is told is no secret of the key's owner and is of no
 * use to whoever finds it: an HMAC-SHA256 of the key's text under its own stored hash, which stands in PostgreSQL alone. It is told in the
 * cache's Redis, and where there is none it is noted beside the key (`stored-proofs.ts`).
 *
 * - With the shared store alone a guess can not even be tried: the argon2 hash of the guess would have to be made first, under
 *   a salt of 128 bits that is not there. That costs more than argon2, for each guess, and what is guessed has 256 bits.
 * - Whoever may write there can let nobody in: for another text than the key's they lack the hash, and one that is of another
 *   key, an older row or nobody is another text. A proof that does not fit is as if there were none: argon2 decides.
 * - It says that a secret is right and nothing else. All else about the key (revoked, replaced, expired, to be used for the
 *   first time) is read from its row at the same time; without the row, or its hash, no proof is worth anything.
 * - Whoever has PostgreSQL's rows as well can try a guess by a SHA-256 instead of an argon2: at 2^256 of them no matter.
 */
export type SharedProofs = {
  /** Null: none is to be had. Never rejects, and keeps nobody waiting. */
  read(id: string): Promise<string | null>
  keep(id: string, proof: string, forMs: number): void
}

/** Where nothing is shared each process proves for itself. */
export const NO_PROOFS: SharedProofs = { read: async () => null, keep: () => {} }

/** @param hash as it is stored for the key */
export function proofOf(hash: string, token: string): string {
  return createHmac('sha256', hash).update(token).digest('base64url')
}

export function isProofOf(proof: string | null, hash: string, token: string): boolean {
  if (proof === null) return false
  const right = Buffer.from(proofOf(hash, token))
  const shown = Buffer.from(proof)
  return shown.length === right.length && timingSafeEqual(shown, right)
}
