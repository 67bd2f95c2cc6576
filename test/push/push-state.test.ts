import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readPushState } from '#src/storage/push/upkeep.ts'
import { HOUR_MS } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf } from '#test/support/written-changes.ts'
import { never, sendingPlace } from './sending-place.ts'

const A = '923609016'
const B = '974760673'
/** As long as what is late here was due ago, and what is not can not have been. */
const LATE_MS = 10 * HOUR_MS

let storage: TestDatabase
let receiver: WebhookReceiver
let place: ReturnType<typeof sendingPlace>

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(async () => {
  receiver = await startWebhookReceiver()
  place = sendingPlace(storage.database, receiver)
  await storage.database.query('truncate endring, overvaking, levering, endepunkt, blikk, utboks')
  return () => receiver.close()
})
afterAll(() => storage.close())

async function lateMs(): Promise<number> {
  const { oldestSeconds } = await readPushState(storage.database)
  return oldestSeconds * 1000
}

/** Changes of both companies have waited for so long at an endpoint of this owner. */
async function waiting(eier: string): Promise<string> {
  await place.watch(eier, [A, B])
  const { id } = await place.endpoint(eier)
  await place.changed(changeOf(A), changeOf(B))
  await place.fanOut()
  await place.later(LATE_MS)
  return id
}

describe('how late changes are sent, as operators are told', () => {
  it('P54: of an endpoint to which nothing was sent since it is told how long its oldest waits', async () => {
    await waiting('kunde0000001')
    expect(await lateMs()).toBeGreaterThanOrEqual(LATE_MS)
  })

  it('P54: attack: of a log that nobody goes through it is told how long its oldest change waits, however few there are', async () => {
    await place.fanOut()
    await place.watch('kunde0000001', [A])
    await place.endpoint('kunde0000001')
    await place.changed(changeOf(A))
    await storage.database.query(`update endring set skrevet_at = skrevet_at - $1 * interval '1 ms'`, [
      LATE_MS,
    ])
    expect(await lateMs()).toBeGreaterThanOrEqual(LATE_MS)
    await place.deliverAll()
    expect(await lateMs()).toBe(0)
  })

  it('P54: attack: who takes what waits one by one, each as late as they may, has nobody told that others’ are late', async () => {
    const id = await waiting('kunde0000001')
    receiver.conduct(({ body }) => (body.includes(A) ? { status: 204 } : 'hang'))
    const ending = new AbortController()
    const turn = place.deliverOf({ placesPerEndpoint: 1 }).turn(id, { signal: ending.signal })
    await eventually(
      'the next is being sent',
      () => receiver.underWay() === 1 && receiver.received().length === 2,
    )
    ending.abort()
    await turn.catch(() => {})
    expect((await place.deliveries(id)).map(({ tilstand }) => tilstand)).toEqual(['levert', 'venter'])
    expect(await lateMs()).toBeLessThan(LATE_MS)
    // And then nobody comes to it any more.
    await place.later(LATE_MS)
    expect(await lateMs()).toBeGreaterThanOrEqual(LATE_MS)
    receiver.conduct({ status: 204 })
    await place.deliverOf().turn(id, { signal: never })
    expect(await lateMs()).toBe(0)
  })

  it('P54: attack: who has test keys, as anybody may, has nobody told that customers’ are late', async () => {
    const id = await waiting('kunde0000001')
    await storage.database.query('update endepunkt set prove = true where id = $1', [id])
    expect(await lateMs()).toBe(0)
  })
})
