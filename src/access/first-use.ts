import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKey } from '#src/core/api-key.ts'
import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { KeyHashError } from '#src/core/key-hash.ts'
import { createLru } from '#src/core/lru.ts'
import { createTurns, NoTurnError } from '#src/core/turns.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { createMisses } from './misses.ts'
import { isProofOf, proofOf, type SharedProofs } from './shared-proof.ts'
import { STORE_WAIT_MS, soon } from './soon.ts'
import { createTally } from './tally.ts'
import { BUSY, BUSY_WITH_OWN, STORE_AWAY, UNKNOWN, type Verdict } from './verdict.ts'

export type FirstUsePolicy = {
  rejectedMax: number
  rejectedForMs: number
  lookupsAtOnce: number
  lookupsQueueMax: number
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

/** First uses of one id under way: wrong secrets for one key may not fill the line in front of all others … */
const UNDER_WAY_PER_ID_MAX = 8
/**
 * … nor, from however many networks, all the places there are in front of its owner: half of them are left to networks that have shown
 * none of late, as the owner's is …
 */
const UNDER_WAY_PER_ID_OF_MISSERS_MAX = 4
/** … those of one network may not fill the places of the id … */
const UNDER_WAY_PER_ID_AND_NETWORK_MAX = 2
/** … and what one network is waiting to be told is bounded. A large customer behind one address starts with all its keys. */
const UNDER_WAY_PER_NETWORK_MAX = 500

/** `isFoundOut`: what is left of it is to wait with the answer. `isCounted`: among the unproved of its id. */
type FirstUse = {
  id: string
  network: string
  isOutdated: boolean
  isFoundOut: boolean
  isCounted: boolean
  verdict: Promise<Verdict>
}

/**
 * The line in front of argon2, for keys that are not known here. Networks have equal turns, at the look-ups as at argon2,
 * whatever many keys one of them shows: whoever floods waits behind their own. First uses run one after the other at argon2,
 * which shares its threads with DNS look-ups, and wrong secrets are bounded for an id, and for an id from a network
 * (`misses`). A key that another process has proved needs no argon2 and no place in line (`shared-proof.ts`), so that neither
 * a new process nor whoever shows wrong secrets beside its owner keeps it waiting.
 *
 * Whether an id exists is told neither by an answer nor by its time. An id of nobody, one that is not known here and one that
 * is (`isInUse`: its secret is known, and is another) are looked up, counted and refused alike, though only the second costs
 * argon2; and that it is refused is told at the next of regular moments, `wrongAnswerMs` apart, which all of them reach, and is held
 * against whoever asks again from that moment on, no sooner. What is not promised: whoever makes the line in front of argon2 longer
 * than that sees that those who would be proved come later, or are turned away (503).
 *
 * `findKeyById`, `activate` and `isRight` are those of `createVerifier`.
 */
export function createFirstUses({
  findKeyById,
  activate,
  isRight,
  proofs,
  admit,
  onFault,
  clock,
  policy,
}: {
  findKeyById: (id: string) => Promise<StoredKey | null>
  activate: (id: string) => Promise<StoredKey | null>
  isRight: (hash: string, token: string) => Promise<boolean>
  proofs: SharedProofs
  /** The key is known from now on. @returns what is true of it now */
  admit: (proof: Proof) => Verdict
  /** What is stored for a key can not be read. */
  onFault: (error: unknown) => void
  clock: Clock
  policy: FirstUsePolicy
}) {
  const rejectedUntil = createLru<string, number>(policy.rejectedMax)
  const underWay = new Map<string, FirstUse>()
  const ofNetwork = createTally()
  const ofId = createTally()
  const ofBoth = createTally()
  const lookups = createTurns({ atOnce: policy.lookupsAtOnce, waitingMax: policy.lookupsQueueMax })
  const argon2 = createTurns({ atOnce: policy.argon2AtOnce, waitingMax: policy.argon2QueueMax })
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
    if (ofNetwork.count(network) >= UNDER_WAY_PER_NETWORK_MAX) return BUSY_WITH_OWN
    const first: FirstUse = {
      id: key.id,
      network,
      isOutdated: false,
      isFoundOut: false,
      isCounted: false,
      verdict: Promise.resolve(BUSY),
    }
    underWay.set(tag, first)
    ofNetwork.add(network)
    first.verdict = answer(key, tag, first, isInUse).finally(() => {
      underWay.delete(tag)
      ofNetwork.remove(network)
      if (first.isCounted) for (const [tally, name] of countsOf(first)) tally.remove(name)
    })
    return first.verdict
  }

  /** Nobody has proved it: it is one more for its id, and waits or is turned away. */
  function count(first: FirstUse): Verdict | null {
    const { tries, forSeconds } = misses.left(first.id, first.network)
    if (tries === 0) return { ok: false, why: 'for_mange_forsok', retryAfterSeconds: forSeconds }
    const [[, id], [, both]] = countsOf(first)
    const hasMissed = tries < policy.missesMax || ofBoth.count(both) > 0
    const ofIdMax = hasMissed ? UNDER_WAY_PER_ID_OF_MISSERS_MAX : UNDER_WAY_PER_ID_MAX
    // Who has shown nothing else with this id has no room for what others show: its owner may be among them.
    if (ofId.count(id) >= ofIdMax) return hasMissed ? BUSY_WITH_OWN : BUSY
    if (ofBoth.count(both) >= Math.min(tries, UNDER_WAY_PER_ID_AND_NETWORK_MAX)) return BUSY_WITH_OWN
    first.isCounted = true
    for (const [tally, name] of countsOf(first)) tally.add(name)
    return null
  }

  const countsOf = ({ id, network }: FirstUse) =>
    [
      [ofId, id],
      [ofBoth, `${id} ${network}`],
    ] as const

  async function answer(key: ApiKey, tag: string, first: FirstUse, isInUse: boolean): Promise<Verdict> {
    const proof = prove(key, tag, first, isInUse).finally(() => {
      first.isFoundOut = true
    })
    const moment = momentAfter(first)
    const verdict = await proof
    if (verdict !== UNKNOWN) return verdict
    await moment
    misses.note(first.id, first.network)
    rejectedUntil.set(tag, now() + policy.rejectedForMs)
    return UNKNOWN
  }

  /** Begun with the question, so that what comes in between moves no answer by a fraction. */
  async function momentAfter(first: FirstUse): Promise<void> {
    do await pause(policy.wrongAnswerMs, undefined, { ref: false })
    while (!first.isFoundOut)
  }

  async function prove(key: ApiKey, tag: string, first: FirstUse, isInUse: boolean): Promise<Verdict> {
    const { id, token } = key
    const turn = { of: first.network, rank: 0 }
    const askedAt = now()
    const letIn = async (found: StoredKey) => {
      // The first key of several that is used is the one: this has to be decided before it is let in anywhere.
      const stored = found.venter ? await soon(activate(id)) : found
      if (stored === null) return UNKNOWN
      return admit({ id, tag, stored, askedAt, isOutdated: first.isOutdated })
    }
    try {
      const [found, proof] = await lookups.run(
        turn,
        () => Promise.all([soon(findKeyById(id)), proofs.read(id)]),
        AbortSignal.timeout(STORE_WAIT_MS),
      )
      if (found !== null && isProofOf(proof, found.hash, token)) return await letIn(found)
      const refusal = count(first)
      if (refusal !== null) return refusal
      if (found === null || isInUse) return UNKNOWN
      const patience = AbortSignal.timeout(policy.argon2WaitMs)
      if (!(await argon2.run(turn, () => isRight(found.hash, token), patience))) return UNKNOWN
      keepProof(found, token)
      return await letIn(found)
    } catch (error) {
      if (error instanceof StorageUnavailableError) return STORE_AWAY
      if (error instanceof KeyHashError) return unreadable(first, error)
      // Where many networks have one each it is the newcomer's that has no room.
      if (error instanceof NoTurnError) return ofNetwork.count(first.network) > 1 ? BUSY_WITH_OWN : BUSY
      if (isTimeout(error)) return BUSY
      throw error
    }
  }

  /** For as long as the key may be used. */
  function keepProof({ id, hash, utloper }: StoredKey, token: string): void {
    const forMs = utloper.getTime() - now()
    if (forMs > 0) proofs.keep(id, proofOf(hash, token), forMs)
  }

  /** It may be the right key: nothing was found out. Whoever shows it on and on writes no more into the log than of a wrong one. */
  function unreadable({ id, network }: FirstUse, error: KeyHashError): Verdict {
    misses.note(id, network)
    onFault(new OppslagError(error.code, `${error.message}: ${id}`, { cause: error }))
    return STORE_AWAY
  }

  /** The key with this id was changed: a look that is under way was begun before that. */
  function outdate(id: string): void {
    for (const first of underWay.values()) if (first.id === id) first.isOutdated = true
  }

  return { verify, outdate }
}

/** Its turn did not come in time. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}
