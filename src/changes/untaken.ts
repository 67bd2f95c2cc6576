/**
 * What is put to PostgreSQL for a look, by what it can be kept from alone: it is asked what is known, what is seen is remembered, and what
 * changed is written in the log. Whoever holds the log keeps nobody from the others, which are done all the time.
 */
export type LookStep = 'asked' | 'remembered' | 'told'

/**
 * For how long PostgreSQL has taken nothing of one of these. One that it did not take is over when it takes another, and when none was
 * tried for `keptMs`: nobody may watch it any more.
 */
export function createUntaken({ keptMs }: { keptMs: number }) {
  /** The first and the last time it was not taken, with none taken between them. */
  const spans = new Map<LookStep, { fromMs: number; toMs: number }>()

  function spanOf(step: LookStep): { fromMs: number; toMs: number } | null {
    const span = spans.get(step)
    return span !== undefined && performance.now() - span.toMs < keptMs ? span : null
  }

  return {
    refused(step: LookStep): void {
      const nowMs = performance.now()
      spans.set(step, { fromMs: spanOf(step)?.fromMs ?? nowMs, toMs: nowMs })
    },

    /** Where a change is told what was seen is remembered as well. */
    taken(step: LookStep): void {
      spans.delete(step)
      if (step === 'told') spans.delete('remembered')
    },

    /** Of the one that has waited longest. */
    ms(): number {
      const waited = (['asked', 'remembered', 'told'] as const).map((step) => {
        const span = spanOf(step)
        return span === null ? 0 : span.toMs - span.fromMs
      })
      return Math.max(...waited)
    },
  }
}
