import type { SourceQuarter } from '#src/storage/source-quarters.ts'
import { HOUR_MS, MINUTE_MS } from './clock.ts'

/** A quarter of an hour, so many hours before the one that is now. Answers come in its third minute, failures in its sixth. */
export function quarterAgo(
  kilde: string,
  hours: number,
  { svar = 0, feil = 0, quarters = 0 }: { svar?: number; feil?: number; quarters?: number },
): SourceQuarter {
  const now = Math.floor(Date.now() / (15 * MINUTE_MS)) * 15 * MINUTE_MS
  const at = now - hours * HOUR_MS + quarters * 15 * MINUTE_MS
  const answered = svar === 0 ? null : new Date(at + 3 * MINUTE_MS)
  const failed = feil === 0 ? null : new Date(at + 6 * MINUTE_MS)
  return {
    kilde,
    kvarter: new Date(at),
    svar,
    feil,
    forsteSvar: answered,
    sisteSvar: answered,
    forsteFeil: failed,
    sisteFeil: failed,
  }
}
