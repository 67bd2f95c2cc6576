import type { KeyRefusal, Miljo } from '#src/core/api-key.ts'

/**
 * `right`: what the key is held by, as all of one purchase are. It has one share of whatever goes by turns, however many keys it has (P61).
 *
 * - `annet_miljo`: a key of the other service, test or production. Seen from its text alone: nothing is looked up.
 * - `ukjent`: no such key, or the secret is wrong; which of the two is not told.
 * - `utlopt`, `tilbakekalt`: told only to a holder of the secret.
 * - `for_mange_forsok`: too many wrong secrets for this key came from this network lately; this one was not looked at.
 * - `overbelastet`, `lager_utilgjengelig`: nothing was found out; never to be taken for a bad key. `isOwn`: for what is shown besides
 *   from the same network.
 */
export type Verdict =
  | { ok: true; key: { id: string; miljo: Miljo; right: string; utloper: Date } }
  | { ok: false; why: KeyRefusal | 'annet_miljo' | 'ukjent' }
  | { ok: false; why: 'utlopt' | 'tilbakekalt'; utloper: Date }
  | {
      ok: false
      why: 'for_mange_forsok' | 'overbelastet' | 'lager_utilgjengelig'
      retryAfterSeconds: number
      isOwn?: boolean
    }

export type ValidKey = Extract<Verdict, { ok: true }>['key']

export const OTHER_MILJO: Verdict = { ok: false, why: 'annet_miljo' }
export const UNKNOWN: Verdict = { ok: false, why: 'ukjent' }
export const BUSY: Verdict = { ok: false, why: 'overbelastet', retryAfterSeconds: 1 }
export const BUSY_WITH_OWN: Verdict = { ...BUSY, isOwn: true }
export const STORE_AWAY: Verdict = { ok: false, why: 'lager_utilgjengelig', retryAfterSeconds: 5 }
