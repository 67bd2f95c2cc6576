import type { Miljo } from '#src/core/api-key.ts'
import type { StoredKey } from '#src/storage/keys.ts'
import { STORE_AWAY, UNKNOWN, type Verdict } from './verdict.ts'

/** A key whose secret has been proved in this process. Its age is counted from before the row was read. */
export type KnownKey = {
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

/** Further back than any trust reaches. */
export const NEVER = Number.NEGATIVE_INFINITY

/** @param tag what stands for the key's text here */
export function knownKey({ id, tag }: { id: string; tag: string }, stored: StoredKey, at: number): KnownKey {
  return {
    id,
    tag,
    miljo: stored.miljo,
    utloper: stored.utloper,
    isRevoked: stored.tilbakekalt !== null,
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

/** What is true of a key at this time, as far as it was told when it was checked. */
export function judge(key: KnownKey, at: number, { staticForMs }: { staticForMs: number }): Verdict {
  const { id, miljo, utloper, slutter } = key
  if (key.isGone) return UNKNOWN
  const isReplaced = slutter !== null && at >= slutter.getTime()
  if (key.isRevoked || isReplaced) return { ok: false, why: 'tilbakekalt', utloper }
  if (at >= utloper.getTime()) return { ok: false, why: 'utlopt', utloper }
  if (distance(at, key.checkedAt) > staticForMs) return STORE_AWAY
  return { ok: true, key: { id, miljo, utloper } }
}

/** A clock that was set back makes nothing younger: what lies ahead of it counts as just as old. */
export function distance(at: number, then: number): number {
  return Math.abs(at - then)
}
