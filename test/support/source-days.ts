import type { SourceQuarter } from '#src/storage/source-quarters.ts'
import { HOUR_MS, MINUTE_MS } from './clock.ts'

/** Ninety days, as they are with some traffic: two incidents, bad days, and days on which nobody asked. */
export const ninetyDays = (): SourceQuarter[] =>
  ['enhet', 'roller', 'regnskap'].flatMap((kilde) =>
    Array.from({ length: 90 }, (_, day) =>
      day % 7 === 3 ? [] : [quarterAgo(kilde, day * 24 + 3, { svar: 300, feil: day % 11 === 5 ? 20 : 0 })],
    )
      .flat()
      .concat(
        kilde === 'regnskap'
          ? [quarterAgo(kilde, 30, { feil: 8 }), quarterAgo(kilde, 500, { svar: 1, feil: 80 })]
          : [],
      ),
  )

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
