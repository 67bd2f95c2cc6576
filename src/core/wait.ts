import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/**
 * What `work` gives, or after `deadlineMs` what `late` gives or throws. The work is not ended by it, and what it fails with
 * later is nobody's. Before it is given up the sockets are read once more: after a pause of this process the timer comes
 * first, though the answer has long been there.
 */
export function within<T, L>(work: Promise<T>, deadlineMs: number, late: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    const giveUp = () => {
      if (!isSettled) resolve(Promise.try(late))
    }
    const timer = setTimeout(() => setImmediate(giveUp), deadlineMs)
    work.then(resolve, reject).finally(() => {
      isSettled = true
      clearTimeout(timer)
    })
  })
}

/** Waits so long, or until the signal is aborted: that ends the wait and is no fault. It keeps the process alive meanwhile. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal }).catch(() => {})
}

/** A tick after a microtask is after all that follows from what is done now, as far as nothing is waited for. */
export function afterAllThatFollows(then: () => void): void {
  queueMicrotask(() => process.nextTick(then))
}

/**
 * By then what is being sent now is on its way: a request on a connection that was idle is written in the next turn of the event
 * loop. For what is asked beside it, and would otherwise be asked first.
 */
export async function afterSending(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/**
 * Ends it after so long. What is given back takes that back: it came in time. A timer of AbortSignal.timeout is there until it is up, with
 * all that hangs on it, however soon it came.
 */
export function abortAfter(ms: number, ended: AbortController): () => void {
  const timer = setTimeout(() => ended.abort(), ms)
  return () => clearTimeout(timer)
}

/** The same for whoever waits for what others are answered: what has come of that is read before, as above. */
export function abortAfterReading(ms: number, ended: AbortController): () => void {
  let isInTime = false
  const giveUp = () => {
    if (!isInTime) ended.abort()
  }
  const timer = setTimeout(() => setImmediate(giveUp), ms)
  return () => {
    isInTime = true
    clearTimeout(timer)
  }
}

/** What `work` gives, or at once the signal's reason, thrown, when it is aborted: for work that may not heed its signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    if (signal.aborted) leave()
  })
}
