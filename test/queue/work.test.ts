import { afterEach, expect, test } from 'vitest'
import type { QueueBackend } from '#src/queue/backend.ts'
import { createFaults, type QueueFault } from '#src/queue/faults.ts'
import { workLane } from '#src/queue/work.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'

let working: { close(): Promise<void> } | undefined
afterEach(() => working?.close())

/** A backend without a server, whose workers do nothing but fail when told to. */
function standIn() {
  const workers: { isClosed: boolean; fail(error: Error): void }[] = []
  const backend: Pick<QueueBackend, 'prove' | 'openWorker' | 'isSpinning'> = {
    prove: async () => {},
    isSpinning: (error) => error.name === 'ReplyError',
    openWorker() {
      const listeners: ((error: Error) => void)[] = []
      const worker = {
        isClosed: false,
        fail: (error: Error) => {
          for (const listener of listeners) listener(error)
        },
      }
      workers.push(worker)
      return {
        on: (_event: 'error', listener: (error: Error) => void) => listeners.push(listener),
        waitUntilReady: async () => {},
        close: async () => {
          worker.isClosed = true
        },
        getBackend: () => ({ close: async () => {} }),
      }
    },
  }
  return { workers, backend: backend as QueueBackend }
}

test('a worker that would ask again without a pause is closed, and another is made; others are left to themselves', async () => {
  const { workers, backend } = standIn()
  const faults: unknown[] = []
  const tell = (fault: QueueFault) => void faults.push(fault.kind === 'failing' && fault.error)
  working = workLane({
    backend,
    lane: 'regnskap',
    atOnce: 1,
    limiter: null,
    handlers: handlersOf(),
    policy: { deadlineMs: 1000, retryMs: 1, retryMsMax: 10, lockMs: 500, finishMs: 10, closeMs: 1000 },
    onProved: async () => {},
    faults: createFaults({ prove: async () => {}, tell, quietMs: 60_000 }),
  })
  await eventually('a worker is made', () => workers.length === 1)
  const lost = Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })
  const full = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' })
  for (let times = 0; times < 100; times += 1) workers[0]?.fail(lost)
  expect(workers[0]?.isClosed).toBe(false)
  workers[0]?.fail(full)
  await eventually('another is made', () => workers.length === 2)
  expect(workers.map(({ isClosed }) => isClosed)).toEqual([true, false])
  // A hundred errors and one are one word to the operator, until it works again.
  expect(faults).toEqual([lost])
})
