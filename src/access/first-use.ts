import { setTimeout as pause } from 'node:timers/promises'
import { bulkhead, isBulkheadRejectedError, isTaskCancelledError } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import type { ApiKey } from '#src/core/api-key.ts'
import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { createMisses } from './misses.ts'
import { STORE_WAIT_MS, soon } from './soon.ts'
import { BUSY, STORE_AWAY, UNKNOWN, type Verdict } from './verdict.ts'

export type FirstUsePolicy = {
  rejectedMax: number
  rejectedForMs: number
  argon2AtOnce: number
  argon2QueueMax: number
  argon2WaitMs: number
  missesMax: number
  missesForMs: number
  missersMax: number
  wrongAnswerMs: number
}

/** Who shows a key. The address is looked at only when the key has to be proved. */
export type Shower = { readonly ip: string }

/**
 * What was found out about a key whose secret is right; `tag` stands for its text. `askedAt`: before its row was read.
 * `isOutdated`: we were told of a change after that. What was found is right for this request, which came before, and for
 * no other.
 */
export type Proof = { id: string; tag: string; stored: StoredKey; askedAt: number; isOutdated: boolean }

/** A first use reads one row. More than this at once would take the pool's connections from the rest of the service. */
const LOOKUPS_AT_ONCE = 4
const LOOKUPS_QUEUE_MAX = 200
/** First uses of one id under way: wrong secrets for one key may not fill the queue in front of all others … */
const UNDER_WAY_PER_ID_MAX = 8
/** … those of one network may not fill the places of the id in front of its owner … */
const UNDER_WAY_PER_ID_AND_NETWORK_MAX = 2
/** … and one network, with however many ids, may not fill the queue. A large customer behind one address starts in two goes. */
const UNDER_WAY_PER_NETWORK_MAX = 30

/** `isFoundOut`: what is left of it is to wait with the answer. */
type FirstUse = {
  id: string
  network: string
  isOutdated: boolean
  isFoundOut: boolean
  verdict: Promise<Verdict>
}

/**
 * The line in front of argon2, for keys that are not known here. First uses run one after the other, since argon2 shares its
 * threads with DNS look-ups, and are bounded for an id, for a network, and for an id from a network (`misses`): whoever
 * floods pays with their own places.
 *
 * Whether an id exists is told neither by an answer nor by its time. An id of nobody, one that is not known here and one that
 * is (`isInUse`: its secret is known, and is another) are looked up, counted and refused alike, though only the second costs
 * argon2; and that it is refused is told at the next of regular moments, `wrongAnswerMs` apart, which all of them reach. What
 * is not promised: whoever fills the line in front of argon2 sees that those who would be proved are turned away (503).
 *
 * `findKeyById`, `activate` and `isRight` are those of `createVerifier`.
 */
export function createFirstUses({
  findKeyById,
  activate,
  isRight,
  admit,
  clock,
  policy,
}: {
  findKeyById: (id: string) => Promise<StoredKey | null>
  activate: (id: string) => Promise<StoredKey | null>
  isRight: (hash: string, token: string) => Promise<boolean>
  /** The key is known from now on. @returns what is true of it now */
  admit: (proof: Proof) => Verdict
  clock: Clock
  policy: FirstUsePolicy
}) {
  const rejectedUntil = new LRUCache<string, number>({ max: policy.rejectedMax })
  const underWay = new Map<string, FirstUse>()
  const lookups = bulkhead(LOOKUPS_AT_ONCE, LOOKUPS_QUEUE_MAX)
  const argon2 = bulkhead(policy.argon2AtOnce, policy.argon2QueueMax)
  const misses = createMisses({ clock, policy })
  const now = () => clock.now().getTime()

  /** A hundred first uses of one key at once are one. */
  function verify(
    key: ApiKey,
    tag: string,
    shower: Shower,
    { isInUse }: { isInUse: boolean },
  ): Verdict | Promise<Verdict> {
    if ((rejectedUntil.get(tag) ?? 0) > now()) return UNKNOWN
    const running = underWay.get(tag)
    if (running !== undefined) return running.verdict
    const network = networkOf(shower.ip)
    const { tries, forSeconds } = misses.left(key.id, network)
    if (tries === 0) return { ok: false, why: 'for_mange_forsok', retryAfterSeconds: forSeconds }
    if (isCrowded(key.id, network, tries)) return BUSY
    const first: FirstUse = {
      id: key.id,
      network,
      isOutdated: false,
      isFoundOut: false,
      verdict: Promise.resolve(BUSY),
    }
    underWay.set(tag, first)
    first.verdict = answer(key, tag, first, isInUse).finally(() => underWay.delete(tag))
    return first.verdict
  }

  async function answer(key: ApiKey, tag: string, first: FirstUse, isInUse: boolean): Promise<Verdict> {
    const proof = prove(key, tag, first, isInUse).finally(() => {
      first.isFoundOut = true
    })
    const moment = momentAfter(first)
    const verdict = await proof
    if (verdict === UNKNOWN) await moment
    return verdict
  }

  /** Begun with the question, so that what comes in between moves no answer by a fraction. */
  async function momentAfter(first: FirstUse): Promise<void> {
    do await pause(policy.wrongAnswerMs, undefined, { ref: false })
    while (!first.isFoundOut)
  }

  /**
   * There are as many under way as there are places in the two queues, and those PostgreSQL tells of in `wrongAnswerMs`, so
   * this is short. Those last no longer take a place of their network: it is the line's.
   */
  function isCrowded(id: string, network: string, tries: number): boolean {
    const count = { ofId: 0, ofNetwork: 0, ofBoth: 0 }
    for (const each of underWay.values()) {
      if (each.id === id) count.ofId += 1
      if (each.network === network && !each.isFoundOut) count.ofNetwork += 1
      if (each.id === id && each.network === network) count.ofBoth += 1
    }
    return (
      count.ofId >= UNDER_WAY_PER_ID_MAX ||
      count.ofBoth >= Math.min(tries, UNDER_WAY_PER_ID_AND_NETWORK_MAX) ||
      count.ofNetwork >= UNDER_WAY_PER_NETWORK_MAX
    )
  }

  async function prove(key: ApiKey, tag: string, first: FirstUse, isInUse: boolean): Promise<Verdict> {
    const askedAt = now()
    try {
      const found = await lookups.execute(() => soon(findKeyById(key.id)), AbortSignal.timeout(STORE_WAIT_MS))
      if (found === null || isInUse) return reject(tag, first)
      const patience = AbortSignal.timeout(policy.argon2WaitMs)
      if (!(await argon2.execute(() => isRight(found.hash, key.token), patience))) return reject(tag, first)
      // The first key of several that is used is the one: this has to be decided before it is let in anywhere.
      const stored = found.venter ? await soon(activate(key.id)) : found
      if (stored === null) return reject(tag, first)
      return admit({ id: key.id, tag, stored, askedAt, isOutdated: first.isOutdated })
    } catch (error) {
      if (error instanceof StorageUnavailableError) return STORE_AWAY
      if (isBulkheadRejectedError(error) || isTaskCancelledError(error)) return BUSY
      throw error
    }
  }

  function reject(tag: string, { id, network }: FirstUse): Verdict {
    misses.note(id, network)
    rejectedUntil.set(tag, now() + policy.rejectedForMs)
    return UNKNOWN
  }

  /** The key with this id was changed: a look that is under way was begun before that. */
  function outdate(id: string): void {
    for (const first of underWay.values()) if (first.id === id) first.isOutdated = true
  }

  return { verify, outdate }
}
