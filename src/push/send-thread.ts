import { lookup } from 'node:dns/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createResolve } from './resolve.ts'
import { type Attempt, createSend, type Posted, type SendPolicy } from './send.ts'

/** What the thread is started with. */
export type ThreadOptions = {
  named: readonly string[]
  userAgent: string
  policy: SendPolicy & { nameServerMs: number }
}
/** What it is asked: to send one, or to give one up. */
export type ToSend = { id: number; message: Posted | null }
/** What it answers; null when that one was given up. */
export type Attempted = { id: number; attempt: Attempt | null }

/** A thread's whole life: to send what it is told to. Started by `send-apart.ts`. */
const port = parentPort as MessagePort
const { named, userAgent, policy } = workerData as ThreadOptions
const send = createSend({
  resolve: createResolve({ timeoutMs: policy.nameServerMs }),
  named,
  lookUpNamed: async (host) => (await lookup(host)).address,
  policy,
  userAgent,
})
const underWay = new Map<number, AbortController>()

port.on('message', async ({ id, message }: ToSend) => {
  if (message === null) return underWay.get(id)?.abort()
  const ending = new AbortController()
  underWay.set(id, ending)
  const attempt = await send(message, ending.signal).catch(() => null)
  underWay.delete(id)
  port.postMessage({ id, attempt } satisfies Attempted)
})
