import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { type ServiceProcess, startProcess } from '#test/support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { issueToken } from '#test/support/service.ts'
import { variablesOf } from '#test/support/variables-of.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf } from '#test/support/written-changes.ts'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { sendingPlace } from '../push/sending-place.ts'

let register: RegisterStandIn
let storage: TestDatabase
let receiver: WebhookReceiver
let place: ReturnType<typeof sendingPlace>
let eier: string
const workers: ServiceProcess[] = []

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
})
beforeEach(async () => {
  storage = await createTestDatabase()
  receiver = await startWebhookReceiver()
  place = sendingPlace(storage.database, receiver)
  // An endpoint rests unless its owner has a key.
  await issueToken(storage)
  const [key] = await storage.database.query<{ kjede: string }>('select kjede from api_nokkel')
  eier = key?.kjede ?? ''
})
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL')
  await receiver.close()
  await storage.close()
})
afterAll(() => register.close())

async function startWorker(): Promise<ServiceProcess> {
  const worker = await startProcess('worker', {
    ...variablesOf({ register, databaseUrl: storage.url }),
    WEBHOOK_HOSTS: receiver.origin,
  })
  workers.push(worker)
  return worker
}

const A = '923609016'
const B = '974760673'
const ids = () => receiver.received().map(({ headers }) => headers['webhook-id'])

describe('workers that die (P126)', () => {
  it('P126: what was on its way when its worker was killed is sent again under the same id, and no other is', async () => {
    await place.watch(eier, [A, B])
    const { id } = await place.endpoint(eier)
    const [first] = [await startWorker()]
    // B is taken; A reaches the receiver, whose answer the worker does not live to hear.
    receiver.conduct(({ body }) => (body.includes(A) ? 'hang' : { status: 204 }))
    await place.changed(changeOf(A), changeOf(A), changeOf(B))
    await eventually('both companies were told of', () => receiver.received().length === 2)
    await eventually('the one that was taken is noted', async () =>
      (await place.deliveries(id)).some(({ tilstand }) => tilstand === 'levert'),
    )
    await first.end('SIGKILL')
    receiver.conduct({ status: 204 })
    // Whoever held the endpoint is heard of no more: as if that long had gone by.
    await place.later(46_000)
    await startWorker()
    await eventually('all is delivered', async () =>
      (await place.deliveries(id)).every(({ tilstand }) => tilstand === 'levert'),
    )
    const [a1, a2, b1] = await place.names(id)
    expect(ids().filter((each) => each === a1)).toHaveLength(2)
    expect(ids().filter((each) => each === a2 || each === b1)).toHaveLength(2)
    expect(ids().lastIndexOf(a1 ?? '')).toBeLessThan(ids().indexOf(a2 ?? ''))
  })

  it('P126: a worker that is told to end leaves what it was sending, and another goes on at once', async () => {
    await place.watch(eier, [A])
    const { id } = await place.endpoint(eier)
    const first = await startWorker()
    receiver.conduct('hang')
    await place.changed(changeOf(A))
    await eventually('it was sent', () => receiver.received().length === 1)
    await first.end('SIGTERM')
    receiver.conduct({ status: 204 })
    await startWorker()
    await eventually('it is delivered', async () => (await place.deliveries(id))[0]?.tilstand === 'levert')
    expect(new Set(ids()).size).toBe(1)
  })

  it('P126: two workers at once send each message once', async () => {
    const companies = Array.from({ length: 30 }, (_, n) => String(910_000_000 + n))
    await place.watch(eier, companies)
    const endpoints = await Promise.all(['/1', '/2', '/3'].map((path) => place.endpoint(eier, path)))
    await Promise.all([startWorker(), startWorker()])
    await place.changed(...companies.flatMap((orgnr) => [changeOf(orgnr), changeOf(orgnr)]))
    // Each endpoint is sent one after another.
    await eventually(
      'all is delivered',
      async () => {
        const all = (await Promise.all(endpoints.map(({ id }) => place.deliveries(id)))).flat()
        return all.length === 180 && all.every(({ tilstand }) => tilstand === 'levert')
      },
      120_000,
    )
    for (const { path } of endpoints) {
      const sent = receiver.received(path).map(({ headers }) => headers['webhook-id'])
      expect(sent).toHaveLength(60)
      expect(new Set(sent).size).toBe(60)
    }
  })
})
