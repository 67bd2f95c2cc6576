import type { Failed } from './parts.ts'
import { failureReason } from './provenance.ts'
import type { Bedrift } from './record.ts'
import type { Arsak } from './state.ts'
import { refusedIn } from './stated.ts'

/** Who it is, or whether it is there, can not be told: why, and what in the unit's answer was refused (JSON pointers). */
export type Unavailable = {
  outcome: 'unavailable'
  arsak: Arsak
  avvik: string[]
  retryAfterSeconds: number | null
}

/** Never existed, removed on legal grounds, and not to be had now are three different answers (P3). */
export type RecordReading =
  | { outcome: 'record'; record: Bedrift }
  | { outcome: 'unknown' }
  | { outcome: 'removed'; slettedato: string | null }
  | Unavailable

export function unavailableReading({
  failure,
  field,
  retryAfterSeconds = null,
}: Omit<Failed, 'outcome'>): Unavailable {
  return {
    outcome: 'unavailable',
    arsak: failureReason(failure),
    avvik: refusedIn(field),
    retryAfterSeconds,
  }
}
