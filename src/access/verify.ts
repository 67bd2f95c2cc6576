import { hash, randomBytes } from 'node:crypto'
import { bulkhead, isBulkheadRejectedError, isTaskCancelledError } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import { type ApiKey, type KeyRefusal, type Miljo, readKey } from '#src/core/api-key.ts'
import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import { isKeyOfHash } from '#src/core/key-hash.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { createMisses } from './misses.ts'

/**
 * - `ukjent`: no such key, or the secret is wrong; which of the two is not told.
 * - `utlopt`, `tilbakekalt`: told only to a holder of the secret.
 * - `for_mange_forsok`: too many wrong secrets for this key came from this network lately; this one was not looked at.
 * - `overbelastet`, `lager_utilgjengelig`: nothing was found out; never to be taken for a bad key.
 */
export type Verdict =
  | { ok: true; key: { id: string; miljo: Miljo; utloper: Date } }
  | { ok: false; why: KeyRefusal | 'ukjent' }
  | { ok: false; why: 'utlopt' | 'tilbakekalt'; utloper: Date }
  | { ok: false; why: 'for_mange_forsok' | 'overbelastet' | 'lager_utilgjengelig'; retryAfterSeconds: number }

/** Who shows a key. The address is looked at only when the key has to be proved. */
export type Shower = { readonly ip: string }

export type ValidKey = Extract<Verdict, { ok: true }>['key']

export type Verifier = {
  /**
   * Whether this text is a valid key, at once when it is known, otherwise as a promise.
   *
   * @param shower nobody in particular when it is left out: all such count as one network
   * @throws (rejects) KeyHashError, or whatever fault `findKeyById` has. Never with the key in it.
   */
  verify(text: string, shower?: Shower): Verdict | Promise<Verdict>
  /** The key of this text when it is valid and that is known already; null says nothing, and nothing is begun. */
  atHand(text: string): ValidKey | null
  /** The key with this id was changed: its next use looks again at all but its secret, which never changes. */
  forget(id: string): void
}

export type VerifierPolicy = {
  verifiedMax: number
  rejectedMax: number
  rejectedForMs: number
  recheckAfterMs: number
  trustedForMs: number
  staticForMs: number
  argon2AtOnce: number
  argon2QueueMax: number
  argon2WaitMs: number
  missesMax: number
  missesForMs: number
  missersMax: number
}

/** A first use reads one row. More than this at once would take the pool's connections from the rest of the service. */
const LOOKUPS_AT_ONCE = 4
const LOOKUPS_QUEUE_MAX = 200
/** First uses of one id under way: wrong secrets for one key may not fill the queue in front of all others … */
const FIRST_USES_PER_ID_MAX = 8
/** … those of one network may not fill the places of the id in front of its owner … */
const FIRST_USES_PER_ID_AND_NETWORK_MAX = 2
/** … and one network, with however many ids, may not fill the queue. A large customer behind one address starts in two goes. */
const FIRST_USES_PER_NETWORK_MAX = 30
/** PostgreSQL counts as away when one row takes longer than this: nobody waits longer for an answer about a key. */
const STORE_WAIT_MS = 1000
/** After PostgreSQL failed nobody waits for it for this long; it is asked in the background … */
const AWAY_FOR_MS = 5000
/** … this often at most. */
const PROBE_EVERY_MS = 1000

/** Further back than any trust reaches. */
const NEVER = Number.NEGATIVE_INFINITY
const NOBODY: Shower = { ip: '' }

const UNKNOWN: Verdict = { ok: false, why: 'ukjent' }
const BUSY: Verdict = { ok: false, why: 'overbelastet', retryAfterSeconds: 1 }
const STORE_AWAY: Verdict = { ok: false, why: 'lager_utilgjengelig', retryAfterSeconds: 5 }

/** A key whose secret has been proved in this process. Its age is counted from before the row was read. */
type KnownKey = {
  readonly id: string
  readonly tag: string
  readonly miljo: Miljo
  utloper: Date
  /** For ever, whatever the clock says. */
  isRevoked: boolean
  /** It was replaced and works until then. */
  slutter: Date | null
  /** A row that is gone is a key that does not exist. */
  isGone: boolean
  checkedAt: number
  recheck: Promise<void> | null
}

type FirstUse = { id: string; network: string; isOutdated: boolean; verdict: Promise<Verdict> }

/**
 * Decides who may read, without ever letting the rate of requests be the rate of argon2 runs.
 *
 * A key is proved against its hash once (`prove`). From then on it is known by a hash of a secret and its text; the secret
 * lives and dies with this process, so that no memory dump holds keys and the time a comparison takes tells nothing. Each use
 * costs a microsecond (`judge`). What can change about a known key is its status: that is read again in the background when
 * it is `recheckAfterMs` old, and before an answer when it is `trustedForMs` old, which is the promised bound on revocation.
 * Expiry needs no reading: the clock is asked at every use. While PostgreSQL is away, known keys go on for `staticForMs`.
 *
 * What is left to argon2 is first uses. They run one after the other, since argon2 shares its threads with DNS look-ups, and
 * are bounded for an id, for a network, and for an id from a network (`misses`): whoever floods pays with their own places.
 * An owner whose key is known here is not among them, whatever becomes known of the id.
 *
 * `findKeyById` and `activate` must have a time limit of their own.
 */
export function createVerifier({
  findKeyById,
  activate,
  clock,
  policy,
  onFault,
  processKey = randomBytes(32),
  isRight = isKeyOfHash,
}: {
  /** @throws StorageUnavailableError when there is nobody to ask. */
  findKeyById: (id: string) => Promise<StoredKey | null>
  /**
   * The first use of a key that waits for it: gives the key as it is afterwards, void when another was used before it.
   *
   * @throws StorageUnavailableError when it could not be recorded; the key is not let in then.
   */
  activate: (id: string) => Promise<StoredKey | null>
  clock: Clock
  policy: VerifierPolicy
  /** A re-check failed for another reason than PostgreSQL being away. The key goes on as if it was. */
  onFault: (error: unknown) => void
  processKey?: Uint8Array
  isRight?: (hash: string, token: string) => Promise<boolean>
}): Verifier {
  const known = new LRUCache<string, KnownKey>({ max: policy.verifiedMax })
  const rejectedUntil = new LRUCache<string, number>({ max: policy.rejectedMax })
  const firstUses = new Map<string, FirstUse>()
  const lookups = bulkhead(LOOKUPS_AT_ONCE, LOOKUPS_QUEUE_MAX)
  const argon2 = bulkhead(policy.argon2AtOnce, policy.argon2QueueMax)
  const misses = createMisses({ clock, policy })
  const secret = Buffer.from(processKey).toString('base64url')
  const now = () => clock.now().getTime()
  let storeFailedAt = Number.NEGATIVE_INFINITY
  let probedAt = Number.NEGATIVE_INFINITY

  function verify(text: string, shower: Shower = NOBODY): Verdict | Promise<Verdict> {
    const key = readKey(text)
    if (typeof key === 'string') return { ok: false, why: key }
    const tag = tagOf(key)
    const entry = known.get(key.id)
    // An id has one secret for ever, and it is known here: another text with this id needs no argon2 to be wrong.
    if (entry !== undefined) return entry.tag === tag ? use(entry) : UNKNOWN
    if ((rejectedUntil.get(tag) ?? 0) > now()) return UNKNOWN
    return firstUse(key, tag, networkOf(shower.ip))
  }

  function atHand(text: string): ValidKey | null {
    const key = readKey(text)
    if (typeof key === 'string') return null
    const entry = known.get(key.id)
    if (entry === undefined || entry.tag !== tagOf(key)) return null
    const verdict = use(entry)
    return !(verdict instanceof Promise) && verdict.ok ? verdict.key : null
  }

  /** Made on every request, so in one go. It begins with the secret, which is of one length; no tag is ever shown. */
  function tagOf(key: ApiKey): string {
    return hash('sha256', secret + key.token, 'base64url')
  }

  function use(entry: KnownKey): Verdict | Promise<Verdict> {
    const at = now()
    const verdict = judge(entry, at)
    const age = distance(at, entry.checkedAt)
    const isFinal = !verdict.ok && verdict.why !== 'lager_utilgjengelig' && entry.checkedAt !== NEVER
    if (isFinal || age <= policy.recheckAfterMs) return verdict
    const isStoreAway = distance(at, storeFailedAt) <= AWAY_FOR_MS
    if (isStoreAway && distance(at, probedAt) <= PROBE_EVERY_MS) return verdict
    const recheck = startRecheck(entry, at)
    if (isStoreAway || age <= policy.trustedForMs) return verdict
    return recheck.then(() => judge(entry, now()))
  }

  function judge(entry: KnownKey, at: number): Verdict {
    const { id, miljo, utloper, slutter } = entry
    if (entry.isGone) return UNKNOWN
    const isReplaced = slutter !== null && at >= slutter.getTime()
    if (entry.isRevoked || isReplaced) return { ok: false, why: 'tilbakekalt', utloper }
    if (at >= utloper.getTime()) return { ok: false, why: 'utlopt', utloper }
    if (distance(at, entry.checkedAt) > policy.staticForMs) return STORE_AWAY
    return { ok: true, key: { id, miljo, utloper } }
  }

  /**
   * At most one at a time for each key. Never rejects, and keeps nobody longer than STORE_WAIT_MS; what PostgreSQL says
   * later than that still counts.
   */
  function startRecheck(entry: KnownKey, at: number): Promise<void> {
    if (entry.recheck !== null) return entry.recheck
    probedAt = at
    const read = recheck(entry).finally(() => {
      entry.recheck = null
    })
    entry.recheck = soon(read).catch(storeFailed)
    return entry.recheck
  }

  async function recheck(entry: KnownKey): Promise<void> {
    const asked = now()
    try {
      const stored = await findKeyById(entry.id)
      storeFailedAt = Number.NEGATIVE_INFINITY
      entry.checkedAt = asked
      entry.isGone = stored === null
      entry.isRevoked = stored !== null && stored.tilbakekalt !== null
      entry.slutter = stored?.slutter ?? null
      entry.utloper = stored?.utloper ?? entry.utloper
      if (stored === null && known.peek(entry.id) === entry) known.delete(entry.id)
    } catch (error) {
      storeFailed(error)
    }
  }

  function storeFailed(error: unknown): void {
    storeFailedAt = now()
    if (!(error instanceof StorageUnavailableError)) onFault(error)
  }

  /** A hundred first uses of one key at once are one. */
  function firstUse(key: ApiKey, tag: string, network: string): Verdict | Promise<Verdict> {
    const running = firstUses.get(tag)
    if (running !== undefined) return running.verdict
    const { tries, forSeconds } = misses.left(key.id, network)
    if (tries === 0) return { ok: false, why: 'for_mange_forsok', retryAfterSeconds: forSeconds }
    const underWay = countFirstUses(key.id, network)
    const isCrowded =
      underWay.ofId >= FIRST_USES_PER_ID_MAX ||
      underWay.ofBoth >= Math.min(tries, FIRST_USES_PER_ID_AND_NETWORK_MAX) ||
      underWay.ofNetwork >= FIRST_USES_PER_NETWORK_MAX
    if (isCrowded) return BUSY
    const first: FirstUse = { id: key.id, network, isOutdated: false, verdict: Promise.resolve(BUSY) }
    firstUses.set(tag, first)
    first.verdict = prove(key, tag, first).finally(() => firstUses.delete(tag))
    return first.verdict
  }

  /** There are as many as there are places in the two queues at most, so this is short. */
  function countFirstUses(id: string, network: string) {
    const count = { ofId: 0, ofNetwork: 0, ofBoth: 0 }
    for (const each of firstUses.values()) {
      if (each.id === id) count.ofId += 1
      if (each.network === network) count.ofNetwork += 1
      if (each.id === id && each.network === network) count.ofBoth += 1
    }
    return count
  }

  async function prove(key: ApiKey, tag: string, first: FirstUse): Promise<Verdict> {
    const asked = now()
    try {
      const found = await lookups.execute(() => soon(findKeyById(key.id)), AbortSignal.timeout(STORE_WAIT_MS))
      if (found === null) return reject(tag)
      const patience = AbortSignal.timeout(policy.argon2WaitMs)
      if (!(await argon2.execute(() => isRight(found.hash, key.token), patience))) {
        misses.note(key.id, first.network)
        return reject(tag)
      }
      // The first key of several that is used is the one: this has to be decided before it is let in anywhere.
      const stored = found.venter ? await soon(activate(key.id)) : found
      if (stored === null) return reject(tag)
      const entry: KnownKey = {
        id: key.id,
        miljo: stored.miljo,
        tag,
        utloper: stored.utloper,
        isRevoked: stored.tilbakekalt !== null,
        slutter: stored.slutter,
        isGone: false,
        checkedAt: asked,
        recheck: null,
      }
      // Told of a change after the row was read: right for this request, which came before, and for no other.
      known.set(key.id, first.isOutdated ? unchecked(entry) : entry)
      return judge(entry, now())
    } catch (error) {
      if (error instanceof StorageUnavailableError) return STORE_AWAY
      if (isBulkheadRejectedError(error) || isTaskCancelledError(error)) return BUSY
      throw error
    }
  }

  function reject(tag: string): Verdict {
    rejectedUntil.set(tag, now() + policy.rejectedForMs)
    return UNKNOWN
  }

  function forget(id: string): void {
    const entry = known.peek(id)
    // Another object: a look that is under way was begun before the change, and ends in the old one.
    if (entry !== undefined) known.set(id, unchecked(entry))
    for (const first of firstUses.values()) if (first.id === id) first.isOutdated = true
  }

  return { verify, atHand, forget }
}

/** Proved, and all else about it to be looked at before it is used. */
function unchecked(entry: KnownKey): KnownKey {
  return { ...entry, checkedAt: NEVER, recheck: null }
}

/** @throws StorageUnavailableError when it takes longer than STORE_WAIT_MS. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageUnavailableError(null)), STORE_WAIT_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A clock that was set back makes nothing younger: what lies ahead of it counts as just as old. */
function distance(at: number, then: number): number {
  return Math.abs(at - then)
}
