/**
 * A second place to look, used when the first is late or fails. Looking begins after `afterMs`, so that what is found there
 * is at hand in the very turn in which the reader's time runs out.
 *
 * @param look must not throw
 */
export function lookWhenLate<T>(look: () => Promise<T | null>, afterMs: number) {
  let looking: Promise<T | null> | undefined
  const begin = () => {
    looking ??= look()
    return looking
  }
  const timer = setTimeout(begin, afterMs)

  return {
    /** What is there; null when there is nothing, or when nobody waits any more and looking has not begun. */
    async found(signal: AbortSignal): Promise<T | null> {
      return signal.aborted ? (looking ?? null) : begin()
    },

    /** It is not needed, or not any more. */
    end(): void {
      clearTimeout(timer)
    },
  }
}
