import type { Clock } from '#src/core/clock.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { Batches } from '#src/record/batches.ts'
import { EXAMPLE_BATCH } from '#src/samples/questions.ts'

/**
 * The lists of the public test key: those that were handed in, and one that is always there and always done, so that every call
 * of the documentation can be made as it stands. It is stored nowhere, and deleting it changes nothing.
 */
export function withExampleBatch(batches: Batches, { clock }: { clock: Clock }): Batches {
  const { id, orgnrs } = EXAMPLE_BATCH
  return {
    ...batches,
    async find(nokkel, wanted) {
      if (wanted !== id) return batches.find(nokkel, wanted)
      const ferdig = clock.now()
      return {
        id,
        felt: null,
        linjer: orgnrs.length,
        dubletter: 0,
        parts: 1,
        partsDone: 1,
        done: orgnrs.length,
        foretak: orgnrs.length,
        feil: 0,
        ufullstendige: 0,
        mottatt: new Date(ferdig.getTime() - 2000),
        begynt: new Date(ferdig.getTime() - 1000),
        ferdig,
        slettes: new Date(ferdig.getTime() + KEPT_MS),
      }
    },
    async cancel(nokkel, wanted) {
      return wanted === id || batches.cancel(nokkel, wanted)
    },
    async *lines(batch, from) {
      if (batch.id === id) yield orgnrs.map((orgnr) => ({ orgnr, given: null }))
      else yield* batches.lines(batch, from)
    },
  }
}

const KEPT_MS = 7 * DAY_MS
