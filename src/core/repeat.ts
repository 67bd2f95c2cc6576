import type { Log } from './log.ts'

type RepeatOptions = {
  everyMs: number | (() => number)
  retryMs?: number
  onFault: (error: unknown) => void
}

/**
 * Does a piece of work now and then again, from `start` until `close`. One run at a time; one that fails is told of, tried
 * again, and never ends the loop. It keeps no process alive.
 *
 * @param everyMs from the end of one run to the beginning of the next; of a second or more it may be half a second less or more
 * @param retryMs the same after one that failed
 * @param onFault told of each run that failed, unless it was closed meanwhile
 */
export function createRepeat(
  { everyMs, retryMs, onFault }: RepeatOptions,
  run: (signal: AbortSignal) => unknown,
) {
  const closed = new AbortController()
  const { signal } = closed
  let running: Promise<void> | null = null
  let isWantedAgain = false
  let timer: NodeJS.Timeout | undefined

  async function once(): Promise<number> {
    const usual = () => (typeof everyMs === 'number' ? everyMs : everyMs())
    try {
      await run(signal)
      return usual()
    } catch (error) {
      if (!signal.aborted) onFault(error)
      return retryMs ?? usual()
    }
  }

  function runNow(): void {
    if (signal.aborted) return
    if (running !== null) {
      isWantedAgain = true
      return
    }
    clearTimeout(timer)
    running = once().then((waitMs) => {
      running = null
      if (signal.aborted) return
      if (!isWantedAgain) {
        timer = setTimeout(runNow, untilBeat(waitMs)).unref()
        return
      }
      isWantedAgain = false
      runNow()
    })
  }

  return {
    /** Returns when the first run has ended, well or not. */
    async start(): Promise<void> {
      runNow()
      await running
    },
    /** Told that there is something to do: a run begins now, or after the one under way. */
    again: runNow,
    /** The run under way, if there is one, is told and waited for. */
    async close(): Promise<void> {
      closed.abort()
      clearTimeout(timer)
      await running
    },
  }
}

/**
 * What is done every second or less often is done at the process's own beats, a second apart: a process that has nothing else to do is
 * woken once for a dozen of them.
 */
function untilBeat(waitMs: number): number {
  if (waitMs < BEAT_MS) return waitMs
  const now = performance.now()
  return Math.ceil((now + waitMs - BEAT_MS / 2) / BEAT_MS) * BEAT_MS - now
}

const BEAT_MS = 1000

/** Work of a process's own, begun at once. */
export function repeat(
  name: string,
  { afterMs, retryMs, log }: { afterMs: number; retryMs: number; log: Log },
  run: (signal: AbortSignal) => Promise<unknown>,
): { close(): Promise<void> } {
  const onFault = (error: unknown) =>
    log.warn({ err: error }, `${name} failed; trying again in ${retryMs / 1000} s`)
  const repeated = createRepeat({ everyMs: afterMs, retryMs, onFault }, run)
  void repeated.start()
  return repeated
}
