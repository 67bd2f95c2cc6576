/**
 * Stops asking a Redis that does not answer in time. After `failuresMax` failures in a row it is left alone and asked a
 * question of our own every `probeEveryMs`, until it answers one in time. A breaker that lets a request through to find out
 * would make that request's reader wait.
 *
 * Questions that were on their way together and were late together are one failure: a machine that stops for a moment in the
 * middle of a rush would have Redis left alone for a second, and every process fetch for itself what one fetches for all.
 *
 * @param probe resolves when Redis answered in time, rejects otherwise
 */
export function createCircuit({
  failuresMax,
  probeEveryMs,
  probe,
  onChange,
}: {
  failuresMax: number
  probeEveryMs: number
  probe: () => Promise<unknown>
  onChange: () => void
}) {
  let failures = 0
  /** Failures there have been in all. */
  let seen = 0
  let timer: NodeJS.Timeout | undefined
  let isEnded = false

  function open(): void {
    onChange()
    probeLater()
  }

  function probeLater(): void {
    if (isEnded) return
    timer = setTimeout(() => probe().then(close, probeLater), probeEveryMs)
    timer.unref()
  }

  function close(): void {
    timer = undefined
    failures = 0
    if (!isEnded) onChange()
  }

  return {
    isClosed: (): boolean => failures < failuresMax,

    succeeded(): void {
      // A late answer to an early question does not close what a probe is trying.
      if (failures < failuresMax) failures = 0
    },

    /** To be given back with the failure of a question that is asked now. */
    asked: (): number => seen,

    failed(asked: number): void {
      if (asked !== seen) return
      seen++
      if (failures < failuresMax && ++failures === failuresMax) open()
    },

    end(): void {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
