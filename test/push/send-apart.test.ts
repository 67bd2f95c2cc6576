import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createSendApart } from '#src/push/send-apart.ts'
import { eventually } from '../support/eventually.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

const never = new AbortController().signal
const body = Buffer.from('{}')

function sender(origin: string) {
  return createSendApart({ named: [origin], policy: policy.push, userAgent: 'Bedriftsoppslag' })
}

/** A receiver in a thread of its own, which counts what has come where this one sees it. */
const RECEIVER = `
  const { createServer } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const server = createServer((request, response) => {
    response.writeHead(204).end()
    Atomics.add(workerData, 0, 1)
    Atomics.notify(workerData, 0)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

it('P125: attack: what a receiver makes dear keeps no other waiting: it is sent while this thread does nothing', async () => {
  const taken = new Int32Array(new SharedArrayBuffer(4))
  const receiver = new Worker(RECEIVER, { eval: true, workerData: taken })
  const [port] = await once(receiver, 'message')
  const address = `http://127.0.0.1:${port}`
  const send = sender(address)
  expect(await send({ of: 'en', address, headers: {}, body }, never)).toMatchObject({
    status: 204,
    failure: null,
  })
  const sent = send({ of: 'en', address, headers: {}, body }, never)
  expect(Atomics.wait(taken, 0, 1, 60_000)).not.toBe('timed-out')
  expect(await sent).toMatchObject({ status: 204, failure: null })
  await receiver.terminate()
})

it('P125: a process that ends gives up what another thread has under way', async () => {
  const receiver = await startWebhookReceiver()
  receiver.conduct('hang')
  const ending = new AbortController()
  const sent = sender(receiver.origin)(
    { of: 'en', address: receiver.origin, headers: {}, body },
    ending.signal,
  )
  await eventually('it is under way', () => receiver.underWay() === 1)
  ending.abort(new Error('the process ends'))
  await expect(sent).rejects.toThrow('the process ends')
  await eventually('it is given up', () => receiver.underWay() === 0)
  await receiver.close()
})

it('P125: what can not be sent at all is broken off, and the next is sent', async () => {
  const receiver = await startWebhookReceiver()
  const send = sender(receiver.origin)
  expect(await send({ of: 'en', address: 'no address', headers: {}, body }, never)).toMatchObject({
    failure: 'brutt',
  })
  expect(await send({ of: 'en', address: receiver.origin, headers: {}, body }, never)).toMatchObject({
    status: 204,
  })
  await receiver.close()
})
