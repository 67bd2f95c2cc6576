import { Worker } from 'node:worker_threads'
import { untilAborted } from '#src/core/wait.ts'
import type { Attempt, Send } from './send.ts'
import type { Attempted, ThreadOptions, ToSend } from './send-thread.ts'

/**
 * `createSend`, in a thread of its own, which is there from the first message on. Whoever has a key names whom we speak to, and a
 * handshake is as dear as they like: a hundred certificates are looked through in one go, a third of a second in which nobody else of
 * this process would be answered.
 */
export function createSendApart(options: ThreadOptions): Send {
  let thread: ReturnType<typeof openThread> | null = null

  return async function send(message, ending) {
    ending.throwIfAborted()
    thread ??= openThread(options, () => {
      thread = null
    })
    return thread.send(message, ending)
  }
}

function openThread(options: ThreadOptions, gone: () => void) {
  const worker = new Worker(new URL('./send-thread.ts', import.meta.url), {
    workerData: options,
    // Ten times what a hundred messages under way take.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const waiting = new Map<number, (attempt: Attempt | null) => void>()
  let last = 0
  worker.unref()
  worker.on('message', ({ id, attempt }: Attempted) => waiting.get(id)?.(attempt))
  // What it ended by is told to those that wait, and the next has another.
  worker.on('error', () => {})
  worker.once('exit', () => {
    gone()
    for (const answer of waiting.values()) answer(null)
  })

  return {
    async send(message: NonNullable<ToSend['message']>, ending: AbortSignal): Promise<Attempt> {
      const id = ++last
      const begunAtMs = performance.now()
      const answered = new Promise<Attempt | null>((resolve) => waiting.set(id, resolve))
      worker.postMessage({ id, message } satisfies ToSend)
      try {
        return (await untilAborted(answered, ending)) ?? broken(performance.now() - begunAtMs)
      } finally {
        waiting.delete(id)
        if (ending.aborted) worker.postMessage({ id, message: null } satisfies ToSend)
      }
    },
  }
}

function broken(ms: number): Attempt {
  return { status: null, failure: 'brutt', tookMs: Math.round(ms), retryAfterSeconds: null }
}
