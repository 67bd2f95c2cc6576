import { createHash, randomBytes } from 'node:crypto'
import { askedTogether } from '#src/core/asked-together.ts'
import { askedByNobody } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import { isNotToBeHad, type Queryable } from '#src/storage/database.ts'
import {
  deleteKeySession,
  findKeySessions,
  insertKeySession,
  type StoredKeySession,
} from '#src/storage/key-sessions.ts'
import type { ValidKey, Verdict } from './verdict.ts'
import type { Verifier } from './verify.ts'

export type KeySessions = ReturnType<typeof createKeySessions>

/**
 * Sessions of people who have shown a key once. The value is in the browser's cookie alone; stored is its SHA-256 and whose it
 * is, so that every process knows it. Whether the key may read is asked of the verifier at each use, as for any call: a
 * session ends with its key, within the same bound, and never outlives it.
 *
 * With PostgreSQL away, or not able to have at the sessions it keeps, a session goes on here for as long as its key does without being
 * looked at again, when this process knew it by then and has not been told that it was ended elsewhere: by PostgreSQL as it happened,
 * or by what the processes share besides.
 * Apart from that all of these throw what PostgreSQL said, or StorageUnavailableError when it can not be asked.
 */
export function createKeySessions({
  db,
  verifier,
  ends = NO_ENDS,
  clock,
  policy,
  use = '',
}: {
  db: Queryable
  verifier: Pick<Verifier, 'proved'>
  /** Which sessions were ended, by their hash, as processes tell each other beside PostgreSQL; left out where nothing is shared. */
  ends?: SharedEnds
  clock: Clock
  /** A session of one use is none of another. */
  use?: string
  policy: Record<
    | 'sessionMs'
    | 'perKeyMax'
    | 'questionsAtOnce'
    | 'sessionsPerQuestion'
    | 'rememberedMax'
    | 'rememberedForMs',
    number
  >
}) {
  const hashOf = (value: string) => createHash('sha256').update(use).update(value).digest()
  // Cookies that somebody made up are looked for together, so that however many are tried there are few questions.
  const find = askedTogether((hashes) => askedByNobody(() => findKeySessions(db, hashes, clock.now())), {
    atOnce: policy.questionsAtOnce,
    namesMax: policy.sessionsPerQuestion,
  })
  /** As PostgreSQL last said, by the name of their hash. */
  const remembered = createLru<string, (StoredKeySession & { saidAtMs: number }) | typeof ENDED>(
    policy.rememberedMax,
  )

  async function look(name: string): Promise<StoredKeySession | null> {
    const now = () => clock.now().getTime()
    try {
      const found = await find(name)
      // It was ended here after it had been asked for: what came of that is no word of now.
      if (remembered.get(name) === ENDED) return null
      if (found === null) remembered.delete(name)
      else remembered.set(name, { ...found, saidAtMs: now() })
      return found
    } catch (error) {
      const known = remembered.get(name)
      if (known === ENDED) return null
      if (!isNotToBeHad(error) || known === undefined) throw error
      if (Math.abs(now() - known.saidAtMs) > policy.rememberedForMs) throw error
      if (!(await ends.isEnded(name))) return known
      remembered.set(name, ENDED)
      return null
    }
  }

  return {
    /** @returns what goes into the cookie, and for how long; it never lasts longer than the key */
    async begin(key: ValidKey): Promise<{ value: string; seconds: number }> {
      const at = clock.now()
      const value = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Math.min(at.getTime() + policy.sessionMs, key.utloper.getTime()))
      await insertKeySession(
        db,
        { hash: hashOf(value), keyId: key.id, expiresAt },
        { at, perKeyMax: policy.perKeyMax },
      )
      return { value, seconds: Math.max(1, Math.floor((expiresAt.getTime() - at.getTime()) / 1000)) }
    },

    /** What the key of this session may now; null: there is no such session, or it is over. */
    async who(value: string): Promise<Verdict | null> {
      if (!VALUE.test(value)) return null
      const found = await look(hashOf(value).toString('base64url'))
      // Read a moment ago, with others perhaps: the clock decides now.
      if (found === null || clock.now() >= found.expiresAt) return null
      return verifier.proved(found.keyId)
    },

    /** What the key of a session this process knew lately is held by (P61): nobody is asked, and nobody is let in for it. */
    rightLately(value: string): string | null {
      if (!VALUE.test(value)) return null
      const found = remembered.get(hashOf(value).toString('base64url'))
      return found === undefined || found === ENDED || clock.now() >= found.expiresAt ? null : found.right
    },

    async end(value: string): Promise<void> {
      if (!VALUE.test(value)) return
      const hash = hashOf(value)
      const name = hash.toString('base64url')
      try {
        await deleteKeySession(db, hash)
        remembered.set(name, ENDED)
        ends.tell(name, policy.rememberedForMs)
      } catch (error) {
        remembered.delete(name)
        throw error
      }
    },

    /** It was ended, here or in another process. @param hash in base64url */
    ended(hash: string): void {
      remembered.set(hash, ENDED)
    },
  }
}

type SharedEnds = {
  /** False also when there is nobody to ask. */
  isEnded(hash: string): Promise<boolean>
  /** Nobody waits for it. */
  tell(hash: string, forMs: number): void
}

const NO_ENDS: SharedEnds = { isEnded: async () => false, tell() {} }

/** What was ended here never comes back. */
const ENDED = 'avsluttet'
const VALUE = /^[A-Za-z0-9_-]{43}$/
