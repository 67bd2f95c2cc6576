export type DoubtRests = { readonly restFirstMs: number; readonly restLastMs: number }
export type Doubt = ReturnType<typeof createDoubt>

/**
 * Of somebody who has not shown who they are, where finding out is dear: they are tried by one at a time, each time after a rest twice as long
 * as the one before, until they have. Whoever is not doubted is tried by all who like.
 */
export function createDoubt({ restFirstMs, restLastMs }: DoubtRests) {
  let doubt: { restMs: number; untilMs: number; isTried: boolean } | null = null

  return {
    /** Null: not now, and by whoever asks now not at all. Otherwise to be told how it came out, once. */
    begin(): Trial | null {
      if (doubt !== null && (doubt.isTried || performance.now() < doubt.untilMs)) return null
      const tried = doubt
      if (tried !== null) tried.isTried = true
      return {
        believed() {
          doubt = null
        },
        doubted() {
          const restMs = tried === null ? restFirstMs : Math.min(2 * tried.restMs, restLastMs)
          doubt = { restMs, untilMs: performance.now() + restMs, isTried: false }
        },
        unknown() {
          if (tried !== null) tried.isTried = false
        },
      }
    },
  }
}

type Trial = {
  believed(): void
  doubted(): void
  /** It ended before anything was shown. */
  unknown(): void
}

/** As long as a source that fails is left alone. */
export const AS_A_SOURCE: DoubtRests = { restFirstMs: 1000, restLastMs: 30_000 }
