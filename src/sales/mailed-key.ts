import { type Miljo, mintKey } from '#src/core/api-key.ts'
import { hashKey } from '#src/core/key-hash.ts'
import type { Queryable } from '#src/storage/database.ts'
import { insertWaitingKey } from '#src/storage/key-chain.ts'
import type { NewKey } from '#src/storage/keys.ts'
import type { Letter } from './ports.ts'

export type MailedKey = Awaited<ReturnType<typeof makeMailedKey>>

/**
 * A key for one attempt to mail it. Its hash is stored before the mail goes, so that what arrives works; the key itself is in
 * the letter and nowhere else. To be made outside a transaction, which is to be short: this is 15 ms of a core.
 */
export async function makeMailedKey(miljo: Miljo) {
  const { id, token } = mintKey(miljo)
  const hash = await hashKey(token)

  return {
    id,
    /**
     * From now on it waits for its first use. For whoever holds the chain.
     *
     * @param key.levering the errand that mails it; null when an operator has it mailed
     */
    store: (
      connection: Queryable,
      key: Omit<NewKey, 'id' | 'miljo' | 'hash'> & { kjede: string; levering: string | null },
    ): Promise<void> => insertWaitingKey(connection, { ...key, id, miljo, hash }),

    letter: (
      mail: Pick<
        Extract<Letter, { kind: 'key' }>,
        'to' | 'expires' | 'occasion' | 'order' | 'areEndpointsOff' | 'watched' | 'messageId'
      >,
    ): Letter => ({ kind: 'key', key: token, keyId: id, miljo, ...mail }),
  }
}
