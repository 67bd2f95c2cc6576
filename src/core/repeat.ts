import { OppslagError } from './errors.ts'
import type { Log } from './log.ts'
import { beginWork, tellWork } from './work-told.ts'

type RepeatOptions = {
  everyMs: number | (() => number)
  retryMs?: number
  retryMsMax?: number
  onFault: (error: unknown, againInMs: number) => void
}

/**
 * Does a piece of work now and then again, from `start` until `close`. One run at a time; one that fails is told of, tried
 * again, and never ends the loop. It keeps no process alive.
 *
 * @param everyMs from the end of one run to the beginning of the next; of a second or more it may be half a second less or more
 * @param retryMs the same after one that failed; with `retryMsMax` twice as long after each that fails in a row, up to that
 * @param onFault told of a run that failed, and when it is tried again, unless it was closed meanwhile; of those that go on to
 *   fail the same way, once a minute
 */
export function createRepeat(
  { everyMs, retryMs, retryMsMax, onFault }: RepeatOptions,
  run: (signal: AbortSignal) => unknown,
) {
  const closed = new AbortController()
  const { signal } = closed
  let running: Promise<void> | null = null
  let isWantedAgain = false
  let failures = 0
  let told = { way: '', atMs: 0 }
  let timer: NodeJS.Timeout | undefined

  async function once(): Promise<number> {
    const usual = () => (typeof everyMs === 'number' ? everyMs : everyMs())
    try {
      await run(signal)
      failures = 0
      return usual()
    } catch (error) {
      const firstMs = retryMs ?? usual()
      const againInMs = Math.min(firstMs * 2 ** Math.min(failures, 20), retryMsMax ?? firstMs)
      failures += 1
      if (!signal.aborted) tell(error, againInMs)
      return againInMs
    }
  }

  function tell(error: unknown, againInMs: number): void {
    const way = wayOf(error)
    if (failures > 1 && way === told.way && performance.now() - told.atMs < TOLD_EVERY_MS) return
    told = { way, atMs: performance.now() }
    onFault(error, againInMs)
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

/** A store that is away for a day would fill the log with a dozen of these every few seconds, and put what began it away. */
const TOLD_EVERY_MS = 60_000

function wayOf(error: unknown): string {
  return error instanceof OppslagError ? error.code : String(error)
}

/** Does something that was found due, and counts how that ends. */
export type Each = <T>(work: () => Promise<T>) => Promise<T>

/** Where nobody counts. */
export const uncounted: Each = (work) => work()

/**
 * Work of a process's own, begun at once. How each run ends is counted.
 *
 * @param options `isOfMany`: a run looks what is due, and does it by what it is handed. What failed is put off, and may be another
 *   process's the next time: that nothing is due meanwhile, or here, is no sign that it can be done, so that is counted apart
 */
export function repeat(
  name: string,
  {
    afterMs,
    retryMs,
    retryMsMax,
    isOfMany = false,
    log,
  }: { afterMs: number; retryMs: number; retryMsMax?: number; isOfMany?: boolean; log: Log },
  run: (signal: AbortSignal, each: Each) => Promise<unknown>,
): { close(): Promise<void> } {
  const each = `${name}: each`
  const onFault = (error: unknown, againInMs: number) =>
    log.warn({ err: error }, `${name} failed; trying again in ${againInMs / 1000} s`)
  const repeated = createRepeat(
    { everyMs: afterMs, retryMs, ...(retryMsMax !== undefined && { retryMsMax }), onFault },
    (signal) => counted(name, signal, () => run(signal, (work) => counted(each, signal, work))),
  )
  for (const work of isOfMany ? [name, each] : [name]) beginWork(work)
  void repeated.start()
  return repeated
}

async function counted<T>(work: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    const done = await run()
    tellWork({ work, isDone: true })
    return done
  } catch (error) {
    if (!signal.aborted) tellWork({ work, isDone: false })
    throw error
  }
}
