import { randomBytes } from 'node:crypto'
import { idIn, type Miljo, readKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import { isKeyOfHash } from '#src/core/key-hash.ts'
import { createLru } from '#src/core/lru.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { createFirstUses, type FirstUsePolicy, type Proof, type Shower } from './first-use.ts'
import { distance, judge, type KnownKey, knownKey, NEVER, unchecked, unseen } from './known-key.ts'
import { NO_PROOFS, type SharedProofs } from './shared-proof.ts'
import { soon } from './soon.ts'
import { createTagger } from './text-tag.ts'
import { OTHER_MILJO, type ValidKey, type Verdict } from './verdict.ts'

export type { ValidKey, Verdict } from './verdict.ts'

export type Verifier = {
  /**
   * Whether this text is a valid key, at once when it is known, otherwise as a promise.
   *
   * @param shower nobody in particular when it is left out: all such count as one network
   * @throws (rejects) whatever fault `findKeyById` has. Never with the key in it.
   */
  verify(text: string, shower?: Shower): Verdict | Promise<Verdict>
  /**
   * The key of this text when it is valid and that is known already; null says nothing, and nothing is begun.
   */
  atHand(text: string): ValidKey | null
  /**
   * What the key with this id may now. For whoever keeps note that its secret was shown, and nobody else: nothing is proved
   * here. All else about it (its end, revocation, another of its chain) is looked at as for any call.
   */
  proved(id: string): Verdict | Promise<Verdict>
  /** The key with this id was changed: its next use looks again at all but its secret, which never changes. */
  forget(id: string): void
}

export type VerifierPolicy = FirstUsePolicy & {
  verifiedMax: number
  recheckAfterMs: number
  trustedForMs: number
  staticForMs: number
}

/** After PostgreSQL failed nobody waits for it for this long; it is asked in the background … */
const AWAY_FOR_MS = 5000
/** … this often at most. */
const PROBE_EVERY_MS = 1000

const NOBODY: Shower = { ip: '' }

/**
 * Decides who may read, without ever letting the rate of requests be the rate of argon2 runs.
 *
 * A key is proved against its hash once. From then on it is known by a tag of its text, made with a secret (`text-tag.ts`) that
 * lives and dies with this process, so that no memory dump holds keys and the time a comparison takes tells nothing. Each use
 * costs less than a microsecond (`judge`). What can change about a known key is its status: that is read again in the background when it is
 * `recheckAfterMs` old, and before an answer when it is `trustedForMs` old, which is the promised bound on revocation.
 * Expiry needs no reading: the clock is asked at every use. While PostgreSQL is away, known keys go on for `staticForMs`.
 *
 * What is left to argon2 is first uses that no process has proved, which wait in a line of their own (`first-use.ts`). An owner whose key is known here
 * is not among them, whatever becomes known of the id. That a key is refused tells nobody whether its id exists.
 *
 * `findKeyById` and `activate` must have a time limit of their own.
 */
export function createVerifier({
  miljo,
  findKeyById,
  activate,
  proofs = NO_PROOFS,
  clock,
  policy,
  onFault,
  onUse = () => {},
  processKey = randomBytes(16),
  isRight = isKeyOfHash,
}: {
  /** Keys of the other kind are not let in, whoever stored them here. */
  miljo: Miljo
  /** @throws StorageUnavailableError when there is nobody to ask. */
  findKeyById: (id: string) => Promise<StoredKey | null>
  /**
   * The first use of a key that waits for it: gives the key as it is afterwards, void when another was used before it.
   *
   * @throws StorageUnavailableError when it could not be recorded; the key is not let in then.
   */
  activate: (id: string) => Promise<StoredKey | null>
  /** What other processes have proved; left out where nothing is shared. */
  proofs?: SharedProofs
  clock: Clock
  policy: VerifierPolicy
  /**
   * A re-check failed for another reason than PostgreSQL being away, and the key goes on as if it was; or what is stored of a key
   * can not be read, and whoever shows it is told to come back. Never with the key in it.
   */
  onFault: (error: unknown) => void
  /** A key was let in. Told on every request: it may take no time. */
  onUse?: (id: string) => void
  processKey?: Uint8Array
  isRight?: (hash: string, token: string) => Promise<boolean>
}): Verifier {
  const known = createLru<string, KnownKey>(policy.verifiedMax)
  /** Known by id alone: the text was shown to another process, or to this one before it forgot. */
  const knownById = createLru<string, KnownKey>(policy.verifiedMax)
  const firstUses = createFirstUses({ findKeyById, activate, isRight, proofs, admit, onFault, clock, policy })
  /** Of every text that is shown as a key. */
  const tagOf = createTagger(processKey)
  const now = () => clock.now().getTime()
  let storeFailedAt = Number.NEGATIVE_INFINITY
  let probedAt = Number.NEGATIVE_INFINITY

  function verify(text: string, shower: Shower = NOBODY): Verdict | Promise<Verdict> {
    const key = readKey(text)
    if (typeof key === 'string') return { ok: false, why: key }
    if (key.miljo !== miljo) return OTHER_MILJO
    const tag = tagOf(key.token)
    const entry = known.get(key.id)
    if (entry?.tag === tag) return told(use(entry))
    // An id has one secret for ever: when it is known here, another text with this id needs no argon2 to be wrong.
    return told(firstUses.verify(key, tag, shower, { isInUse: entry !== undefined }))
  }

  function atHand(text: string): ValidKey | null {
    // Whether it has the form of a key was looked at when it was proved: the same text has it still.
    const id = idIn(text)
    const entry = id === null ? undefined : known.get(id)
    if (entry === undefined || entry.tag !== tagOf(text)) return null
    const verdict = use(entry)
    if (verdict instanceof Promise || !verdict.ok) return null
    onUse(verdict.key.id)
    return verdict.key
  }

  function proved(id: string): Verdict | Promise<Verdict> {
    const entry = known.get(id) ?? knownById.get(id) ?? unseen(id, miljo)
    if (known.peek(id) !== entry) knownById.set(id, entry)
    return told(use(entry))
  }

  function told(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
    if (verdict instanceof Promise) return verdict.then(told)
    if (verdict.ok) onUse(verdict.key.id)
    return verdict
  }

  function use(entry: KnownKey): Verdict | Promise<Verdict> {
    const at = now()
    const verdict = judge(entry, at, policy)
    const age = distance(at, entry.checkedAt)
    const isFinal = !verdict.ok && verdict.why !== 'lager_utilgjengelig' && entry.checkedAt !== NEVER
    if (isFinal || age <= policy.recheckAfterMs) return verdict
    const isStoreAway = distance(at, storeFailedAt) <= AWAY_FOR_MS
    if (isStoreAway && distance(at, probedAt) <= PROBE_EVERY_MS) return verdict
    const recheck = startRecheck(entry, at)
    if (isStoreAway || age <= policy.trustedForMs) return verdict
    return recheck.then(() => judge(entry, now(), policy))
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
      entry.tilbakekalt = stored?.tilbakekalt ?? null
      entry.slutter = stored?.slutter ?? null
      entry.utloper = stored?.utloper ?? entry.utloper
      entry.right = stored?.right ?? entry.right
      if (stored === null && known.peek(entry.id) === entry) known.delete(entry.id)
    } catch (error) {
      storeFailed(error)
    }
  }

  function storeFailed(error: unknown): void {
    storeFailedAt = now()
    if (!(error instanceof StorageUnavailableError)) onFault(error)
  }

  function admit(proof: Proof): Verdict {
    const entry = knownKey(proof, proof.stored, proof.askedAt)
    known.set(entry.id, proof.isOutdated ? unchecked(entry) : entry)
    return judge(entry, now(), policy)
  }

  function forget(id: string): void {
    const entry = known.peek(id)
    // Another object: a look that is under way was begun before the change, and ends in the old one.
    if (entry !== undefined) known.set(id, unchecked(entry))
    const byId = knownById.peek(id)
    if (byId !== undefined) knownById.set(id, unchecked(byId))
    firstUses.outdate(id)
  }

  return { verify, atHand, proved, forget }
}
