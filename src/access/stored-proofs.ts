import { askedTogether } from '#src/core/asked-together.ts'
import { askedByNobody } from '#src/core/asker.ts'
import type { Queryable } from '#src/storage/database.ts'
import { findKeyProofs, noteKeyProof } from '#src/storage/key-proofs.ts'
import type { SharedProofs } from './shared-proof.ts'

/**
 * What was proved, kept beside the keys: a process that comes after another on a machine without Redis has all its customers at once, and would
 * prove them one by one. Whoever reads both there can try a guess at less than argon2's cost; what is guessed has 256 bits. It is in no backup.
 */
export function openStoredProofs(
  db: Queryable,
  {
    policy,
    onFault,
  }: { policy: { questionsAtOnce: number; keysPerQuestion: number }; onFault: (error: unknown) => void },
): SharedProofs {
  const find = askedTogether((ids) => askedByNobody(() => findKeyProofs(db, ids)), {
    atOnce: policy.questionsAtOnce,
    namesMax: policy.keysPerQuestion,
  })
  return {
    read: (id) => find(id).catch(() => null),
    keep: (id, proof) => void askedByNobody(() => noteKeyProof(db, id, proof)).catch(onFault),
  }
}
