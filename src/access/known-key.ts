import type { Miljo } from '#src/core/api-key.ts'
import { keyOver } from '#src/storage/key-life.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { STORE_AWAY, UNKNOWN, type Verdict } from './verdict.ts'

/** A key whose secret has been proved in this process. Its age is counted from before the row was read. */
export type KnownKey = {
  readonly id: string
  readonly tag: string
  readonly miljo: Miljo
  right: string
  utloper: Date
  tilbakekalt: Date | null
  /** It was replaced and works until then. */
  slutter: Date | null
  /** A row that is gone is a key that does not exist. */
  isGone: boolean
  checkedAt: number
  recheck: Promise<void> | null
}

/** Further back than any trust reaches. */
export const NEVER = Number.NEGATIVE_INFINITY

/** @param tag what stands for the key's text here */
export function knownKey({ id, tag }: { id: string; tag: string }, stored: StoredKey, at: number): KnownKey {
  return {
    id,
    tag,
    miljo: stored.miljo,
    right: stored.right,
    utloper: stored.utloper,
    tilbakekalt: stored.tilbakekalt,
    slutter: stored.slutter,
    isGone: false,
    checkedAt: at,
    recheck: null,
  }
}

/** Proved, and all else about it to be looked at before it is used. */
export function unchecked(key: KnownKey): KnownKey {
  return { ...key, checkedAt: NEVER, recheck: null }
}

/** A key of which the id is known and nothing else, until it is looked at. Its tag is that of no text. */
export function unseen(id: string, miljo: Miljo): KnownKey {
  return {
    id,
    tag: '',
    miljo,
    right: id,
    utloper: new Date(LAST_MOMENT),
    tilbakekalt: null,
    slutter: null,
    isGone: false,
    checkedAt: NEVER,
    recheck: null,
  }
}

/** The last there is a Date for: until the row is read nothing is said of when the key ends. */
const LAST_MOMENT = 8.64e15

/** What is true of a key at this time, as far as it was told when it was checked. */
export function judge(key: KnownKey, at: number, { staticForMs }: { staticForMs: number }): Verdict {
  const { id, miljo, right, utloper } = key
  if (key.isGone) return UNKNOWN
  const over = keyOver(key, at)
  if (over !== null) return { ok: false, why: over === 'utlopt' ? 'utlopt' : 'tilbakekalt', utloper }
  if (distance(at, key.checkedAt) > staticForMs) return STORE_AWAY
  return { ok: true, key: { id, miljo, right, utloper } }
}

/** A clock that was set back makes nothing younger: what lies ahead of it counts as just as old. */
export function distance(at: number, then: number): number {
  return Math.abs(at - then)
}
