import { askedTogether } from '#src/core/asked-together.ts'
import { askedByNobody } from '#src/core/asker.ts'
import { oneForAll } from '#src/core/one-for-all.ts'
import { IS_WRITABLE, type Queryable } from '#src/storage/database.ts'
import { findKeysById, type StoredKey } from '#src/storage/keys.ts'

/** Those who are told that there is no such key wait for the word of the one before at most this much longer. */
const REST_MS_MAX = 100

/**
 * Keys as they are stored, looked up together whoever asks. That there is none is believed of a server that may be written to alone:
 * one that follows another, or has been followed by another, lacks the keys that were sold on that one since.
 *
 * @returns null: there is no such key
 * @throws (rejects) StorageUnavailableError, also when a server that can not tell knows none
 */
export function openStoredKeys(
  db: Queryable,
  policy: { questionsAtOnce: number; keysPerQuestion: number },
): (id: string) => Promise<StoredKey | null> {
  const find = askedTogether((ids) => askedByNobody(() => findKeysById(db, ids)), {
    atOnce: policy.questionsAtOnce,
    namesMax: policy.keysPerQuestion,
  })
  const demandWritable = oneForAll(() => askedByNobody(() => db.query(IS_WRITABLE)), {
    restMsMax: REST_MS_MAX,
  })
  return async (id) => {
    const found = await find(id)
    if (found === null) await demandWritable()
    return found
  }
}
