import { askedTogether } from '#src/core/asked-together.ts'
import { askedByNobody } from '#src/core/asker.ts'
import { oneForAll } from '#src/core/one-for-all.ts'
import type { Queryable } from '#src/storage/database.ts'
import { findKeyProofs, noteKeyProofs } from '#src/storage/key-proofs.ts'
import type { SharedProofs } from './shared-proof.ts'
import { soon } from './soon.ts'

/**
 * What was proved, kept beside the keys: a process that comes after another on a machine without Redis has all its customers at once, and would
 * prove them one by one. Whoever reads both there can try a guess at less than argon2's cost; what is guessed has 256 bits. It is in no backup.
 *
 * Where it can not be had, somebody else's lock on it for one, who comes is proved; and one connection at most waits to note it.
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
  let proved = new Map<string, string>()
  const note = oneForAll(async () => {
    const proofs = proved
    proved = new Map()
    await askedByNobody(() => noteKeyProofs(db, proofs)).catch(onFault)
  })
  return {
    read: (id) => soon(find(id)).catch(() => null),
    keep(id, proof) {
      proved.set(id, proof)
      void note()
    },
  }
}
