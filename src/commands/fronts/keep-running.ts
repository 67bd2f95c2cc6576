import { setTimeout as wait } from 'node:timers/promises'

/** One process that is kept. */
export type Running = {
  readonly pid: number
  /** Its address, once it listens. */
  readonly ready: Promise<string>
  /** Its exit code, null when a signal ended it. */
  readonly ended: Promise<number | null>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

type Policy = {
  retryMs: number
  retryMsMax: number
  settledMs: number
  failuresMax: number
  endWithinMs: number
}

/**
 * Keeps `count` processes running: one that ends is started again, later each time it does not come to stay. One that is up is
 * never ended because another fails (P46). All are given up when each has failed before any came up, or when one has failed
 * too often while none is up: starting does not mend what is wrong then.
 */
export function keepRunning({
  count,
  start,
  policy,
  onReady,
  onEnded,
  nowMs = () => performance.now(),
  pause = (ms, signal) => wait(ms, undefined, { signal }),
}: {
  count: number
  /** @param place from 1 to `count`; whoever takes the place of another gets its number */
  start: (place: number) => Running
  policy: Policy
  onReady: (place: number, running: Running, address: string) => void
  /** @param again after how long it is started again; null when it is not */
  onEnded: (place: number, running: Running, end: { code: number | null; againInMs: number | null }) => void
  nowMs?: () => number
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}) {
  const ending = new AbortController()
  const running = new Map<number, Running>()
  /** Places whose process is up now, and those whose first did not come up. */
  const up = new Set<number>()
  const failedFirst = new Set<number>()
  let wasAnyReady = false
  let isWell = true

  async function keep(place: number): Promise<void> {
    for (let failures = 0; !ending.signal.aborted; ) {
      const one = start(place)
      running.set(place, one)
      const startedAtMs = nowMs()
      void one.ready.then((address) => {
        wasAnyReady = true
        up.add(place)
        onReady(place, one, address)
      })
      const code = await one.ended
      running.delete(place)
      up.delete(place)
      if (ending.signal.aborted) {
        isWell &&= code === 0
        return
      }
      const hasStayed = nowMs() - startedAtMs >= policy.settledMs
      failures = hasStayed ? 1 : failures + 1
      if (!wasAnyReady) failedFirst.add(place)
      const mayMend = wasAnyReady ? up.size > 0 || failures <= policy.failuresMax : failedFirst.size < count
      const againInMs = mayMend ? Math.min(policy.retryMs * 2 ** (failures - 1), policy.retryMsMax) : null
      onEnded(place, one, { code, againInMs })
      if (againInMs === null) {
        isWell = false
        end({ areTold: false })
        return
      }
      await pause(againInMs, ending.signal).catch(() => {})
    }
  }

  /** @param areTold the processes have been told already */
  function end({ areTold }: { areTold: boolean }): void {
    if (ending.signal.aborted) return
    ending.abort()
    if (!areTold) for (const one of running.values()) one.signal('SIGTERM')
    const timer = setTimeout(() => {
      for (const one of running.values()) one.signal('SIGKILL')
    }, policy.endWithinMs)
    timer.unref()
  }

  const places = Array.from({ length: count }, (_, index) => keep(index + 1))
  return {
    end,
    /** True when all ended as they were told to, in order. */
    ended: Promise.all(places).then(() => isWell),
  }
}
