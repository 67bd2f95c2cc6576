/**
 * Stops asking a Redis that does not answer in time. After `failuresMax` failures in a row it is left alone and asked a
 * question of our own every `probeEveryMs`, until it answers one in time. A breaker that lets a request through to find out
 * would make that request's reader wait.
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

    failed(): void {
      if (failures < failuresMax && ++failures === failuresMax) open()
    },

    end(): void {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
