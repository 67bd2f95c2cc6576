import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import type { LogCursor } from '#src/changes/log-cursor.ts'
import type { Database } from '#src/storage/database.ts'
import { startPostgres, type TestPostgres } from '#test/support/postgres.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf } from '#test/support/written-changes.ts'
import { never, sendingPlace } from '../push/sending-place.ts'

const A = '923609016'
const eier = 'kunde000001'
let seconds = 0
/** Seen at a moment of its own, as each look is. */
const seen = (type: string) => changeOf(A, { type, sett: new Date(Date.UTC(2026, 10, 22, 12, 0, seconds++)) })
const BEFORE = ['foretak.navn.endret', 'foretak.adresse.endret']
const LOST = ['foretak.konkurs.apnet', 'foretak.slettet']
const AFTER = ['foretak.konkurs.apnet', 'foretak.kapital.endret', 'foretak.naering.endret']

let first: TestPostgres
let second: TestPostgres
let receiver: WebhookReceiver
/** As the first server gave them: after what the second has, after each of what it has not. */
let shared: LogCursor
let lost: LogCursor[]

beforeAll(async () => {
  ;[first, receiver] = await Promise.all([startPostgres(), startWebhookReceiver()])
  const place = sendingPlace(first.database, receiver)
  await place.watch(eier, [A])
  await place.endpoint(eier)
  for (const type of BEFORE) await place.changed(seen(type))
  await place.deliverAll()
  shared = (await read(first.database, null)).cursor
  second = await first.follower()
  lost = []
  for (const type of LOST) {
    await place.changed(seen(type))
    lost.push((await read(first.database, shared)).cursor)
  }
  await place.deliverAll()
})
afterAll(async () => {
  await receiver.close()
  await second.close()
  await first.close()
})

const question = { orgnr: null, types: null, size: 100 }
function logOf(db: Database) {
  const nobodyWaits = { enter: () => 'one' } as never
  return createChangeLog({ db, waiting: nobodyWaits, isErased: () => false, policy: policy.changeLog })
}
async function ask(db: Database, after: LogCursor | null) {
  const wait = { of: eier, ms: 0, signal: never, room: async () => () => {} }
  return logOf(db).read({ eier, prove: false }, { ...question, after }, wait)
}
async function read(db: Database, after: LogCursor | null) {
  const reading = await ask(db, after)
  if (reading.outcome !== 'page') throw new Error(reading.outcome)
  return { types: reading.changes.map(({ type }) => type), cursor: reading.cursor }
}

describe('P121: a second server takes over, which had not heard of the last changes', () => {
  it('a cursor of what it never had is refused, and one of what it had goes on', async () => {
    for (const cursor of lost) expect(await ask(second.database, cursor)).toEqual({ outcome: 'stale' })
    expect((await read(second.database, shared)).types).toEqual([])
  })

  it('what is seen again is told from there, once and in order, and nothing of it is passed over', async () => {
    const place = sendingPlace(second.database, receiver)
    for (const type of AFTER) await place.changed(seen(type))
    expect((await read(second.database, shared)).types).toEqual(AFTER)
    expect((await read(second.database, null)).types).toEqual([...BEFORE, ...AFTER])
    // Numbers may be left out where a server takes over: who stood further on is refused, or told all that came after.
    for (const cursor of lost) {
      const reading = await ask(second.database, cursor)
      if (reading.outcome === 'page') expect(reading.changes.map(({ type }) => type)).toEqual(AFTER)
      else expect(reading).toEqual({ outcome: 'stale' })
    }
  })

  it('P126: each change of its log reaches the endpoint, also what the first had sent already', async () => {
    const sent = () => receiver.received().map(({ body }) => JSON.parse(body).type)
    expect(sent()).toEqual([...BEFORE, ...LOST])
    await sendingPlace(second.database, receiver).deliverAll()
    expect(sent()).toEqual([...BEFORE, ...LOST, ...AFTER])
    const ids = receiver.received().map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
  })
})
