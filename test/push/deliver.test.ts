import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createLog } from '#src/core/log.ts'
import { jobs } from '#src/queue/jobs.ts'
import { lockChain } from '#src/storage/chain-lock.ts'
import { eraseFromChanges } from '#src/storage/changes/forget.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import type { Database, Queryable } from '#src/storage/database.ts'
import { eraseDeliveries, putTestDelivery, sendAgain, sendSpanAgain } from '#src/storage/push/deliveries.ts'
import { changeEndpoint, deleteEndpoint, insertEndpoint, renewSecret } from '#src/storage/push/endpoints.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { dueDeliveries, dueEndpoints, holdEndpoint, noteFailed } from '#src/storage/push/sending.ts'
import { removeOldDeliveries, removeRested, restWithoutKey } from '#src/storage/push/upkeep.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { HOUR_MS, MINUTE_MS } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { openTestPool } from '#test/support/test-pool.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf } from '#test/support/written-changes.ts'
import { keepDeliveries } from '#workers/keep-deliveries.ts'
import { never, sendingPlace } from './sending-place.ts'

let storage: TestDatabase
let receiver: WebhookReceiver
let place: ReturnType<typeof sendingPlace>
let eier: string
let nr = 0

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(async () => {
  receiver = await startWebhookReceiver()
  place = sendingPlace(storage.database, receiver)
  nr += 1
  eier = `kunde${String(nr).padStart(6, '0')}`
  await storage.database.query('truncate endring, overvaking, levering, endepunkt, blikk, fjernet, utboks')
  return () => receiver.close()
})
afterAll(() => storage.close())

const A = '923609016'
const B = '974760673'
const C = '987654321'

/** Rows of deliveries, and of their indexes, that PostgreSQL has looked at in a transaction so far. */
async function deliveriesRead(connection: Queryable): Promise<number> {
  const [row] = await connection.query<{ lest: string }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as lest from pg_stat_xact_user_tables where relname = 'levering'`,
  )
  const [keys] = await connection.query<{ lest: string }>(
    `select sum(pg_stat_get_xact_tuples_returned(indexrelid)) as lest from pg_stat_user_indexes where relname = 'levering'`,
  )
  return Number(row?.lest) + Number(keys?.lest)
}

const ids = (path?: string) => receiver.received(path).map(({ headers }) => headers['webhook-id'])

describe('a change reaches an endpoint (P126)', () => {
  it('P126: attack: whose receivers fail by dozens while they change what is watched leave others their connections', async () => {
    const ofWorker = openTestPool(storage.url, 4)
    try {
      const failing = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { id } = await place.endpoint(eier)
          const delivery = await putTestDelivery(storage.database, id, 'prove')
          const hold = await holdEndpoint(storage.database, id, { forMs: HOUR_MS, line: null })
          if (delivery === null || hold === null) throw new Error('nothing is sent there')
          return { hold, id: delivery.id }
        }),
      )
      let noted: Promise<unknown>[] = []
      await storage.database.transaction(async (connection) => {
        await lockChain(connection, eier)
        noted = failing.map(({ hold, id }) =>
          noteFailed(
            ofWorker,
            hold,
            id,
            { ms: 1, status: 500, arsak: 'status', isGone: false },
            () => ({ againInMs: 1, pauseMs: 0 }),
            { offAfterMs: HOUR_MS, at: new Date() },
          ),
        )
        await eventually('one waits', async () => {
          const those = await storage.database.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return those.length > 0
        })
        for (let times = 0; times < 30; times += 1) await ofWorker.query('select 1')
      })
      expect(await Promise.all(noted)).toEqual(failing.map(() => null))
    } finally {
      await ofWorker.close()
    }
  })

  it('P125: as the receivers’ own library takes it, with the id and the body of the log', async () => {
    await place.watch(eier, [A])
    const { id, path, secret } = await place.endpoint(eier)
    await place.changed(changeOf(A))
    await place.deliverAll()
    const [message] = receiver.received(path)
    const told = new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})
    expect(told).toMatchObject({
      type: 'foretak.konkurs.apnet',
      timestamp: '2026-11-22T12:00:00.000Z',
      data: {
        id: message?.headers['webhook-id'],
        organisasjonsnummer: A,
        felter: [{ felt: '/status/data/konkurs/gjelder', for: false, etter: true }],
      },
    })
    expect(await place.deliveries(id)).toMatchObject([{ tilstand: 'levert', forsok: 1 }])
  })

  it('P193: attack: what is taken while PostgreSQL is set back is not another’s that has its number since', async () => {
    await place.watch(eier, [A])
    await place.watch('annen00001', [B])
    const [{ path }, other] = [await place.endpoint(eier), await place.endpoint('annen00001')]
    await place.changed(changeOf(A))
    receiver.conduct(async () => {
      await place.changed(changeOf(B))
      await place.fanOut()
      await storage.database.query(NUMBER_GIVEN_AGAIN, [other.id])
      return { status: 204 }
    }, path)
    await place.deliverAll()
    expect(receiver.received(path)).toHaveLength(1)
    expect(receiver.received(other.path)).toHaveLength(1)
  })

  it('P126: to whoever watches the company and wants its kind, once each, and nobody else', async () => {
    await place.watch(eier, [A])
    await place.watch('annen00001', [A], ['roller'])
    await place.watch('tredje0001', [B])
    await place.changed(changeOf(A, { type: 'foretak.navn.endret' }))
    await place.endpoint(eier)
    await place.endpoint(eier, '/roller', ['roller'])
    await place.endpoint('annen00001')
    await place.endpoint('tredje0001')
    // What was there before the endpoint is not sent.
    await place.changed(
      changeOf(A),
      changeOf(A, { type: 'roller.styre.endret' }),
      changeOf(A, { prove: true }),
    )
    await place.deliverAll()
    await place.deliverAll()
    const types = (path: string) => receiver.received(path).map(({ body }) => JSON.parse(body).type)
    expect(types(`/${eier}`)).toEqual(['foretak.konkurs.apnet', 'roller.styre.endret'])
    expect(types('/roller')).toEqual(['roller.styre.endret'])
    expect(types('/annen00001')).toEqual(['roller.styre.endret'])
    expect(types('/tredje0001')).toEqual([])
  })

  it('P126: in order for each company, and one that is refused holds up no other', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    receiver.conduct(({ body }) => ({
      status: body.includes(A) && receiver.received().length < 9 ? 500 : 204,
    }))
    await place.changed(changeOf(A), changeOf(A), changeOf(B), changeOf(B))
    await place.deliverAll()
    const first = ids(path)
    const [a1, a2, b1, b2] = await place.names(id)
    expect(first.filter((each) => each === b1 || each === b2)).toEqual([b1, b2])
    expect(first).toContain(a1)
    expect(first).not.toContain(a2)
    receiver.conduct({ status: 204 })
    await place.later(6000)
    await place.deliverAll()
    expect(ids(path).slice(first.length)).toEqual([a1, a2])
  })

  it('P126: attack: endpoints that hang, are deleted and made anew leave places for others', async () => {
    const { turnsOfOwner } = policy.push
    await place.watch(eier, [A])
    receiver.conduct('hang')
    const ending = new AbortController()
    const { turn } = place.deliverOf()
    const turns: Promise<boolean | undefined>[] = []
    for (let made = 0; made < turnsOfOwner.rask + 3; made += 1) {
      const { id } = await place.endpoint(eier)
      await putTestDelivery(storage.database, id, 'prove')
      turns.push(turn(id, { signal: ending.signal, line: 'rask' }).catch(() => undefined))
      const isHeld = made < turnsOfOwner.rask
      await eventually('it is held, or left', async () => {
        if (isHeld) return receiver.received().length === made + 1
        return (await turns.at(-1)) === false
      })
      await deleteEndpoint(storage.database, eier, id)
    }
    expect(receiver.received()).toHaveLength(turnsOfOwner.rask)
    ending.abort()
    await Promise.all(turns)
    const { id } = await place.endpoint(eier)
    await putTestDelivery(storage.database, id, 'prove')
    receiver.conduct({ status: 204 })
    await turn(id, { signal: never, line: 'rask' })
    expect(receiver.received()).toHaveLength(turnsOfOwner.rask + 1)
  })

  it('P126: attack: endpoints that are made anew in place of one that hung wait among the slow, and no other does', async () => {
    receiver.conduct('hang', '/henger')
    const { turn } = place.deliverOf({ deadlineMs: 200, slowMs: 100, slowForMs: MINUTE_MS })
    const made = async (owner: string, path: string) => {
      const { id } = await place.endpoint(owner, path)
      await putTestDelivery(storage.database, id, 'prove')
      return id
    }
    const quickly = (id: string) => turn(id, { signal: never, line: 'rask' })
    const older = await made(eier, '/eldre')
    await storage.database.query(`update endepunkt set opprettet_at = opprettet_at - interval '61 s'`)
    const hanging = await made(eier, '/henger')
    await quickly(hanging)
    await deleteEndpoint(storage.database, eier, hanging)

    const anew = await made(eier, '/henger')
    const others = await made('annen00001', '/annen')
    for (const id of [anew, older, others]) await quickly(id)
    expect(receiver.received().map(({ path }) => path)).toEqual(['/henger', '/eldre', '/annen'])
    expect(await dueEndpoints(storage.database, 9)).toEqual([{ id: anew, line: 'treg' }])
    await turn(anew, { signal: never, line: 'treg' })
    expect(receiver.received('/henger')).toHaveLength(2)
  })

  it('P126: attack: what waits behind one that is refused is put off with it, whenever it came, and due when that is taken', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    const nobodyIsDue = () =>
      storage.database.query(`select 1 from levering where tilstand = 'venter' and neste_at <= now()`)
    receiver.conduct({ status: 500 })
    await place.changed(changeOf(A), changeOf(A), changeOf(B), changeOf(B))
    await place.deliverAll()
    await place.changed(changeOf(A))
    await place.fanOut()
    const span = { from: new Date(0), to: new Date(Date.now() + HOUR_MS) }
    await sendSpanAgain(storage.database, id, span, { most: 9, perHourMax: 99 })
    expect(await nobodyIsDue()).toEqual([])
    const [a1 = '', ...others] = await place.names(id)
    const before = ids(path).length
    const first = (await place.deliveries(id))[0]?.id ?? ''
    // Long before their time.
    await sendAgain(storage.database, id, first)
    await storage.database.query('update endepunkt set neste_at = now()')
    receiver.conduct(({ headers }) => ({ status: headers['webhook-id'] === a1 ? 204 : 500 }))
    await place.deliverAll()
    expect(ids(path).slice(before)).toEqual([a1, others[0]])
    expect(await nobodyIsDue()).toEqual([])
  })

  it('P126: attack: whoever takes an endpoint away just when there is a change keeps it from nobody else', async () => {
    await place.watch(eier, [A])
    await place.watch('annen00001', [A])
    const { id } = await place.endpoint(eier)
    const other = await place.endpoint('annen00001')
    await place.changed(changeOf(A))
    const gone: Promise<unknown>[] = []
    await storage.database.transaction(async (connection) => {
      await deleteEndpoint(connection, eier, id)
      gone.push(place.fanOut())
      await eventually(
        'it waits',
        async () =>
          (await storage.database.query('select 1 from pg_locks where not granted limit 1')).length > 0,
      )
    })
    await Promise.all(gone)
    await place.deliverAll()
    expect(receiver.received(other.path)).toHaveLength(1)
    expect(await place.deliveries(id)).toEqual([])
  })

  it('P126: attack: one that was tried keeps its time, whatever is asked for again before it and refused', async () => {
    await place.watch(eier, [A])
    const { id } = await place.endpoint(eier)
    receiver.conduct(({ headers }) => ({ status: headers['webhook-id'] === first ? 204 : 500 }))
    let first = ''
    await place.changed(changeOf(A), changeOf(A))
    await place.fanOut()
    first = (await place.names(id))[0] ?? ''
    await place.deliverAll()
    const due = () =>
      storage.database.query<{ om: number }>(
        `select round(extract(epoch from neste_at - now()))::int as om from levering where tilstand = 'venter' order by id`,
      )
    const [second] = await due()
    const again = (await place.deliveries(id))[0]?.id ?? ''
    first = ''
    for (let refused = 0; refused < 3; refused += 1) {
      await (refused === 0
        ? sendAgain(storage.database, id, again)
        : storage.database.query('update levering set neste_at = now() where id = $1', [again]))
      await storage.database.query('update endepunkt set neste_at = now()')
      await place.deliverAll()
    }
    const [before, behind] = await due()
    expect(before?.om).toBeGreaterThan(1000)
    expect(behind?.om).toBeLessThanOrEqual(second?.om ?? 0)
  })

  it('P126: attack: what waits behind one that was tried waits on when one before that is asked for again and taken', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A), changeOf(A), changeOf(A))
    await place.fanOut()
    const [first] = await place.names(id)
    receiver.conduct(({ headers }) => ({ status: headers['webhook-id'] === first ? 204 : 500 }))
    await place.deliverAll()
    await sendAgain(storage.database, id, (await place.deliveries(id))[0]?.id ?? '')
    await place.deliverAll()
    expect(ids(path).filter((each) => each === first)).toHaveLength(2)
    expect(
      await storage.database.query(`select 1 from levering where tilstand = 'venter' and neste_at <= now()`),
    ).toEqual([])
    receiver.conduct({ status: 204 })
    await place.later(6000)
    await place.deliverAll()
    expect((await place.deliveries(id)).map(({ tilstand }) => tilstand)).toEqual([
      'levert',
      'levert',
      'levert',
    ])
  })

  it('P126: attack: what waits behind one whose change has gone from the log is due when that is found out', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    receiver.conduct({ status: 500 })
    await place.changed(changeOf(A), changeOf(A))
    await place.deliverAll()
    const [first, second] = await place.names(id)
    await storage.database.query('delete from endring where nr = (select min(nr) from endring)')
    receiver.conduct({ status: 204 })
    // Long before its time.
    await sendAgain(storage.database, id, (await place.deliveries(id))[0]?.id ?? '')
    await storage.database.query('update endepunkt set neste_at = now()')
    await place.deliverAll()
    expect(ids(path)).toEqual([first, second])
    expect((await place.deliveries(id)).map(({ tilstand }) => tilstand)).toEqual(['levert'])
  })

  it('P126: attack: what waits behind one that was refused, and named a company that is removed, is due then', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    receiver.conduct({ status: 500 })
    await place.changed(changeOf(A, { nevner: [Number(B)] }), changeOf(A))
    await place.deliverAll()
    const [first, second] = await place.names(id)
    await eraseFromChanges(storage.database, B)
    receiver.conduct({ status: 204 })
    await storage.database.query('update endepunkt set neste_at = now()')
    await place.deliverAll()
    expect(ids(path)).toEqual([first, second])
  })

  it('P126: attack: what has just come by thousands is looked through once, whatever PostgreSQL thinks there is', async () => {
    const { id } = await place.endpoint(eier)
    const come = `insert into levering (endepunkt, endring, orgnr, type)
      select $1, n, 900000000 + n % 1500, 'x' from generate_series($2::int, $3::int) n`
    await storage.database.query(come, [id, 1, 1])
    await storage.database.query('analyze levering')
    await storage.database.query(come, [id, 2, 3000])
    const read = await storage.database.transaction(async (connection) => {
      expect(await dueDeliveries(connection, id, 60)).toHaveLength(60)
      return deliveriesRead(connection)
    })
    expect(read).toBeLessThan(10 * 3000)
  })

  it('P126: attack: beside what waits by thousands each change is not compared with all of it, whatever PostgreSQL thinks there is', async () => {
    const { database } = storage
    const { id } = await place.endpoint(eier)
    const changes = Array.from({ length: 100 }, (_, n) => changeOf(String(910_000_000 + n)))
    const companies = changes.map(({ orgnr }) => orgnr)
    await place.watch(eier, companies)
    const waits = `insert into levering (endepunkt, endring, orgnr, type)
      select $1, -n, 900000000 + n, 'x' from generate_series($2::int, $3::int) n`
    await database.query(waits, [id, 1, 1])
    await database.query('analyze levering')
    await database.query(waits, [id, 2, 3000])
    await place.changed(...changes)
    let read = 0
    const watched: Pick<Database, 'query' | 'transaction'> = {
      query: database.query,
      transaction: (work) =>
        database.transaction(async (connection) => {
          const done = await work(connection)
          read = await deliveriesRead(connection)
          return done
        }),
    }
    await fanOut(watched, { changesMax: 100, deliveriesMax: 1000 })
    expect(await database.query('select 1 from levering where endring > 0')).toHaveLength(100)
    expect(read).toBeLessThan(10 * 3000)
    const span = { from: new Date('2026-11-22T12:00:00Z'), to: new Date('2026-11-22T12:00:01Z') }
    await database.query('delete from levering where endring > 0')
    expect(await sendSpanAgain(watched, id, span, { most: 100, perHourMax: 100 })).toEqual({ count: 100 })
    expect(read).toBeLessThan(10 * 3000)
  })

  it('P126: attack: what many watch is gone through a change at a time, each whole, and all of it in the end', async () => {
    const owners = Array.from({ length: 3 }, (_, n) => `mange${String(n).padStart(6, '0')}`)
    for (const owner of owners) await place.watch(owner, [A, B, C])
    for (const owner of owners) await place.endpoint(owner)
    await place.changed(changeOf(A), changeOf(B), changeOf(C))
    const made: number[] = []
    for (let hasMore = true; hasMore; ) {
      ;({ hasMore } = await fanOut(storage.database, { changesMax: 100, deliveriesMax: 4 }))
      made.push((await storage.database.query('select 1 from levering')).length)
    }
    expect(made).toEqual([3, 6, 9])
  })

  it('P125: is tried at 0 s, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h under one id, each signed anew, and then given up', async () => {
    await place.watch(eier, [A])
    const { id, path, secret } = await place.endpoint(eier)
    receiver.conduct({ status: 500 })
    await place.changed(changeOf(A))
    await place.deliverAll()
    const waits = [
      5000,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
    ]
    for (const [nth, wait] of waits.entries()) {
      await place.later(wait - 3000)
      await place.deliverAll()
      expect(receiver.received(path)).toHaveLength(nth + 1)
      await place.later(3000)
      await place.deliverAll()
      expect(receiver.received(path)).toHaveLength(nth + 2)
    }
    expect(new Set(ids(path)).size).toBe(1)
    for (const { body, headers } of receiver.received(path)) new Webhook(secret).verify(body, headers)
    expect(await place.deliveries(id)).toMatchObject([{ tilstand: 'oppgitt', forsok: 10 }])
    // Nothing was taken for 76 hours.
    expect((await place.endpointRow(id))?.av_grunn).toBe('feilet')
    expect(await storage.database.query('select slag, gjelder from utboks')).toEqual([
      { slag: 'avslatt', gjelder: eier },
    ])
  })

  it('P125: 410 switches the endpoint off at once, and its owner is to be mailed', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    receiver.conduct({ status: 410 })
    await place.changed(changeOf(A), changeOf(A))
    await place.deliverAll({ placesPerEndpoint: 1 })
    await place.changed(changeOf(B))
    await place.later(HOUR_MS)
    await place.deliverAll()
    expect(receiver.received(path)).toHaveLength(1)
    expect((await place.endpointRow(id))?.av_grunn).toBe('borte')
    expect((await place.deliveries(id)).map(({ tilstand }) => tilstand)).toEqual(['oppgitt', 'oppgitt'])
    expect(await storage.database.query('select slag, gjelder from utboks')).toHaveLength(1)
  })

  it('P125: attack: switched off and on all day, its owner is mailed four times, and then of all that are off', async () => {
    const { database } = storage
    await place.watch(eier, [A])
    await place.endpoint(eier)
    receiver.conduct({ status: 410 })
    let mailed = 0
    for (let round = 0; round < 12; round += 1) {
      await database.query('update endepunkt set av_at = null, av_grunn = null, neste_at = now()')
      await place.changed(changeOf(A))
      await place.deliverAll()
      const [row] = await database.query<{ av: boolean }>('select av_at is not null as av from endepunkt')
      expect(row?.av).toBe(true)
      const sent = await database.query(
        `update utboks set ferdig_at = now(), utfall = 'sendt', forsok = 1
         where neste_at <= laget_at and ferdig_at is null returning id`,
      )
      mailed += sent.length
    }
    expect(mailed).toBe(4)
    const waiting = await database.query<{ timer: number }>(
      `select round(extract(epoch from neste_at - laget_at) / 3600)::int as timer from utboks where ferdig_at is null`,
    )
    expect(waiting).toEqual([{ timer: 24 }])
  })

  it.each([
    [{ status: 429, headers: { 'retry-after': '1800' } }, 1800],
    [{ status: 503, headers: { 'retry-after': '600' } }, 600],
    [{ status: 502 }, 5],
    [{ status: 504 }, 5],
    ['reset', 5],
  ] as const)(
    'P125: after %j the endpoint is left alone for %d s, and its other companies with it',
    async (conduct, seconds) => {
      await place.watch(eier, [A, B, C])
      const { id, path } = await place.endpoint(eier)
      receiver.conduct(conduct)
      await place.changed(changeOf(A), changeOf(B), changeOf(C))
      await place.deliverAll({ placesPerEndpoint: 1 })
      expect(receiver.received(path)).toHaveLength(1)
      expect((await place.endpointRow(id))?.neste_om).toBeGreaterThan(seconds - 30)
      expect((await place.endpointRow(id))?.neste_om).toBeLessThanOrEqual(seconds)
      receiver.conduct({ status: 204 })
      await place.later(seconds * 1000)
      await place.deliverAll()
      expect(
        (await place.deliveries(id)).filter(({ tilstand }) => tilstand === 'levert').length,
      ).toBeGreaterThan(1)
    },
  )

  it('P125: what would be 20 kB is told where it can be read whole, under the same id', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(
      changeOf(A, { felt: [{ felt: '/roller/data', for: null, etter: 'å'.repeat(15_000) }] }),
    )
    await place.deliverAll()
    const [message] = receiver.received(path)
    const [delivery] = await place.deliveries(id)
    expect(message?.body.length).toBeLessThan(1000)
    expect(JSON.parse(message?.body ?? '').data).toMatchObject({
      id: message?.headers['webhook-id'],
      organisasjonsnummer: A,
      felter: null,
      hentFra: `https://oppslag.example/api/endepunkter/${id}/leveringer/${delivery?.id}`,
    })
  })

  it('P126: of a company that is erased nothing waits and nothing is tried again, also what is under way', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    const { turn } = place.deliverOf()
    receiver.conduct(async () => {
      await storage.database.query('delete from endring where orgnr = $1', [Number(A)])
      await eraseDeliveries(storage.database, A)
      return { status: 500 }
    })
    await place.changed(changeOf(A), changeOf(A))
    await place.fanOut()
    await turn(id, { signal: never })
    expect(receiver.received(path)).toHaveLength(1)
    expect(await place.deliveries(id)).toEqual([])
    // Its tombstone alone is enough, and so is its line being gone: another may have named it.
    receiver.conduct({ status: 204 })
    await place.changed(changeOf(A), changeOf(B))
    await place.fanOut()
    await buryCompanies(storage.database, [{ organisasjonsnummer: A, slettedato: null, at: new Date() }])
    await storage.database.query('delete from endring where orgnr = $1', [Number(B)])
    await place.later(HOUR_MS)
    await place.deliverAll()
    expect(receiver.received(path)).toHaveLength(1)
    expect(await place.deliveries(id)).toEqual([])
  })

  it('P127: one that is switched off is sent nothing; a span brings what it missed, in order, under the ids of the log', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    const adresse = `${receiver.origin}${path}`
    await changeEndpoint(storage.database, eier, id, { adresse, typer: null, isOn: false, by: null })
    await place.changed(changeOf(A), changeOf(A), changeOf(A, { sett: new Date('2026-11-22T13:00:00Z') }))
    await place.deliverAll()
    expect(receiver.received(path)).toEqual([])
    await changeEndpoint(storage.database, eier, id, { adresse, typer: null, isOn: true, by: null })
    const span = { from: new Date('2026-11-22T12:00:00Z'), to: new Date('2026-11-22T13:00:00Z') }
    expect(await sendSpanAgain(storage.database, id, span, { most: 1, perHourMax: 100 })).toBe('full')
    expect(await sendSpanAgain(storage.database, id, span, { most: 10, perHourMax: 100 })).toEqual({
      count: 2,
    })
    expect(await sendSpanAgain(storage.database, id, span, { most: 10, perHourMax: 100 })).toEqual({
      count: 0,
    })
    await place.deliverAll()
    const sent = await place.names(id)
    expect(ids(path)).toEqual(sent)
    // One that was taken is sent again when it is asked for, as the same.
    const [first] = await place.deliveries(id)
    await sendAgain(storage.database, id, first?.id ?? '')
    await place.deliverAll()
    expect(ids(path)).toEqual([...sent, sent[0]])
  })

  it('P127: a new secret and the one before both sign for a day, and then the new one alone', async () => {
    const { id, path, secret } = await place.endpoint(eier)
    await renewSecret(storage.database, eier, id, { bothForMs: 24 * HOUR_MS, by: null })
    const judge = () =>
      new Webhook(secret).verify(
        receiver.received(path).at(-1)?.body ?? '',
        receiver.received(path).at(-1)?.headers ?? {},
      )
    await putTestDelivery(storage.database, id, 'prove')
    await place.deliverAll()
    expect(receiver.received(path).at(-1)?.headers['webhook-signature'].split(' ')).toHaveLength(2)
    expect(judge()).toMatchObject({ type: 'prove' })
    await place.later(25 * HOUR_MS)
    await putTestDelivery(storage.database, id, 'prove')
    await place.deliverAll()
    expect(receiver.received(path).at(-1)?.headers['webhook-signature'].split(' ')).toHaveLength(1)
    expect(judge).toThrow()
  })
})

describe('whatever comes and goes (P126)', () => {
  it.each([
    ['behind', -3 * HOUR_MS],
    ['ahead', 9 * HOUR_MS],
  ])('P126: a process whose clock is hours %s sends at once, and says the right time', async (_, wrongMs) => {
    await place.watch(eier, [A])
    const { id, path, secret } = await place.endpoint(eier)
    receiver.conduct(() => ({ status: receiver.received(path).length === 1 ? 500 : 204 }))
    await place.changed(changeOf(A))
    await place.fanOut()
    const wrong = { now: () => new Date(Date.now() + wrongMs) }
    const { turn } = place.deliverOf({}, storage.database, wrong)
    await turn(id, { signal: never })
    await turn(id, { signal: never })
    // Not sooner than it should be, whatever the process takes the time to be.
    expect(receiver.received(path)).toHaveLength(1)
    await place.later(6000)
    await turn(id, { signal: never })
    expect(receiver.received(path)).toHaveLength(2)
    for (const { body, headers } of receiver.received(path)) new Webhook(secret).verify(body, headers)
  })

  it('P126: PostgreSQL that goes away between the sending and the note costs a second copy, and no change', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A), changeOf(A))
    await place.fanOut()
    const broken = openTestPool(storage.url)
    receiver.conduct(async () => {
      await broken.close()
      return { status: 204 }
    })
    await expect(place.deliverOf({}, broken).turn(id, { signal: never })).rejects.toThrow()
    expect(await place.deliveries(id)).toMatchObject([{ tilstand: 'venter' }, { tilstand: 'venter' }])
    receiver.conduct({ status: 204 })
    await place.later(46_000)
    await place.deliverAll()
    const [first, second] = await place.names(id)
    expect(ids(path)).toEqual([first, first, second])
  })

  it('P126: attack: PostgreSQL with no room to note what came of an attempt is told later, and nobody is sent the same again meanwhile', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A), changeOf(A), changeOf(B))
    await place.fanOut()
    receiver.conduct(({ body }) => ({ status: body.includes(A) ? 204 : 500 }), path)
    const { turn } = place.deliverOf()
    const look = () => turn(id, { signal: never })
    const withoutRoom = await noRoomFor(storage.database, 'levering')
    try {
      for (let times = 0; times < 4; times += 1) await expect(look()).rejects.toThrow(/53100/)
      const [a1, , b1] = await place.names(id)
      expect(ids(path).toSorted()).toEqual([a1, b1].toSorted())
    } finally {
      await withoutRoom.end()
    }
    while (await look());
    const [a1, a2, b1] = await place.names(id)
    expect(ids(path).slice(2)).toEqual([a2])
    expect(new Set(ids(path))).toEqual(new Set([a1, a2, b1]))
    expect(await place.deliveries(id)).toMatchObject([
      { tilstand: 'levert', forsok: 1 },
      { tilstand: 'levert', forsok: 1 },
      { tilstand: 'venter', forsok: 1 },
    ])
  })

  it('P126: what could not be noted is sent again when its owner asks for that, and when it is to go to another address', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A))
    await place.fanOut()
    const { turn } = place.deliverOf()
    const { database } = storage
    const unnoted = async () => {
      const withoutRoom = await noRoomFor(database, 'levering')
      await expect(turn(id, { signal: never })).rejects.toThrow(/53100/)
      await withoutRoom.end()
    }
    await unnoted()
    const [delivery] = await database.query<{ id: string }>('select id from levering')
    await sendAgain(database, id, delivery?.id ?? '')
    await unnoted()
    expect(ids(path)).toHaveLength(2)
    const wish = { adresse: `${receiver.origin}/ny`, typer: null, isOn: true, by: null }
    await changeEndpoint(database, eier, id, wish)
    while (await turn(id, { signal: never }));
    expect([ids(path).length, ids('/ny').length]).toEqual([2, 1])
    expect(await place.deliveries(id)).toMatchObject([{ tilstand: 'levert', forsok: 1 }])
  })

  it('P126: while the queue is away what is due is sent without it, and a fan-out that fails is done again', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    let fails = 1
    let written = () => {}
    const { turn } = place.deliverOf()
    const keeping = keepDeliveries(
      {
        turn,
        follow: (onTold) => {
          written = onTold
          return { close: async () => {} }
        },
        fanOut: async () => {
          if (fails-- > 0) throw new Error('PostgreSQL is away')
          return place.fanOut()
        },
        due: () => dueEndpoints(storage.database, 10),
        upkeep: async () => {},
      },
      {
        ring: () => Promise.reject(new Error('the queue is away')),
        log: createLog({ level: 'silent', file: null }),
        policy: { fanOutEveryMs: 50, sweepEveryMs: 20, upkeepEveryMs: 60_000, retryMs: 20 },
      },
    )
    await place.changed(changeOf(A))
    written()
    await eventually('it is delivered', async () => (await place.deliveries(id))[0]?.tilstand === 'levert')
    await keeping.close()
    expect(ids(path)).toHaveLength(1)
  })

  it('P180: attack: to an endpoint of a test key the newest are kept, however many are asked for; of others all are', async () => {
    const test = { eier: 'Prv0abcdefgi', prove: true, slutter: new Date(Date.now() + HOUR_MS), nokkel: null }
    const placed = await insertEndpoint(
      storage.database,
      test,
      { adresse: `${receiver.origin}/fylt`, typer: null },
      { ofOwner: 1, ofTests: 9 },
    )
    const filled = 'full' in placed ? '' : placed.endpoint.id
    const { id: bought } = await place.endpoint(eier)
    const put = async (to: string) => (await putTestDelivery(storage.database, to, 'prove'))?.id
    const told = [await put(filled), await put(filled), await put(filled)]
    for (const _ of told) await put(bought)
    await removeOldDeliveries(storage.database, { ...policy.push, deliveriesOfTestMax: 2, atOnce: 100 })
    expect((await place.deliveries(filled)).map(({ id }) => id)).toEqual([told[1], told[2]])
    expect(await place.deliveries(bought)).toHaveLength(3)
  })

  it('P180: attack: whoever has test keys by the hundred has another’s an endpoint all the same; the oldest gives way', async () => {
    const add = async (holder: string) => {
      const owner = { eier: holder, prove: true, slutter: new Date(Date.now() + HOUR_MS), nokkel: null }
      const wish = { adresse: `${receiver.origin}/${holder}`, typer: null }
      const placed = await insertEndpoint(storage.database, owner, wish, { ofOwner: 2, ofTests: 3 })
      return 'full' in placed ? 'full' : placed.endpoint.id
    }
    const { id: bought } = await place.endpoint(eier)
    const made = []
    for (const holder of ['Prv000000001', 'Prv000000001', 'Prv000000002', 'Prv000000003', 'Prv000000004'])
      made.push(await add(holder))
    const left = await storage.database.query<{ id: string }>(
      'select id from endepunkt order by opprettet_at',
    )
    expect(left.map(({ id }) => id)).toEqual([bought, ...made.slice(2)])
    // Of one's own there is room for so many.
    expect(await add('Prv000000004')).not.toBe('full')
    expect(await add('Prv000000004')).toBe('full')
  })

  it('P127: with a test key of one’s own invented companies alone are sent, until it ends', async () => {
    const owner = { eier: 'Prv0abcdefgh', prove: true, slutter: new Date(Date.now() + HOUR_MS), nokkel: null }
    const wish = { adresse: `${receiver.origin}/prove`, typer: null }
    const placed = await insertEndpoint(storage.database, owner, wish, { ofOwner: 1, ofTests: 9 })
    const id = 'full' in placed ? '' : placed.endpoint.id
    expect(await insertEndpoint(storage.database, owner, wish, { ofOwner: 1, ofTests: 9 })).toEqual({
      full: true,
    })
    await putWatches(storage.database, owner, [{ orgnr: A, navn: null, typer: null, epost: null }], {
      max: 9,
      at: new Date(),
    })
    await place.changed(changeOf(A), changeOf(A, { prove: true }))
    await place.deliverAll()
    expect(receiver.received('/prove')).toHaveLength(1)
    await restWithoutKey(storage.database, new Date(Date.now() + 2 * HOUR_MS))
    await place.changed(changeOf(A, { prove: true }))
    await place.deliverAll()
    expect(receiver.received('/prove')).toHaveLength(1)
    await restWithoutKey(storage.database, new Date())
    await storage.database.query(
      'insert into avsluttet_testnokkel (id, avsluttet_at, utloper_at) values ($1, now(), now()) on conflict do nothing',
      [owner.eier],
    )
    await restWithoutKey(storage.database, new Date())
    const rows = await storage.database.query(
      'select 1 from endepunkt where id = $1 and hviler_fra is not null',
      [id],
    )
    expect(rows).toHaveLength(1)
  })

  it('P126: attack: one that rested is taken away however much waits there, so many in a statement', async () => {
    const { database } = storage
    const { id } = await place.endpoint(eier)
    await database.query(
      `insert into levering (endepunkt, type) select $1, 'prove' from generate_series(1, 25)`,
      [id],
    )
    await database.query(`update endepunkt set hviler_fra = now() - interval '1 hour' where id = $1`, [id])
    const left = async () => {
      await removeRested(database, { endpointsRestMs: MINUTE_MS, removedAtOnce: 10 })
      const [row] = await database.query<{ endpoints: number; deliveries: number }>(
        `select (select count(*)::int from endepunkt where id = $1) as endpoints,
           (select count(*)::int from levering where endepunkt = $1) as deliveries`,
        [id],
      )
      return row
    }
    expect(await left()).toEqual({ endpoints: 1, deliveries: 15 })
    expect(await left()).toEqual({ endpoints: 1, deliveries: 5 })
    expect(await left()).toEqual({ endpoints: 0, deliveries: 0 })
  })
})

describe('many at once (P126)', () => {
  it('P126: two that take turns at the same endpoints send each message once, and never the same at once', async () => {
    const companies = Array.from({ length: 40 }, (_, n) => String(910_000_000 + n))
    await place.watch(eier, companies)
    const { id, path } = await place.endpoint(eier)
    const underWay = new Set<string>()
    let together = 0
    receiver.conduct(async ({ headers }) => {
      if (underWay.has(headers['webhook-id'])) together += 1
      underWay.add(headers['webhook-id'])
      await new Promise((resolve) => setImmediate(resolve))
      underWay.delete(headers['webhook-id'])
      return { status: 204 }
    })
    await place.changed(...companies.flatMap((orgnr) => [changeOf(orgnr), changeOf(orgnr)]))
    await Promise.all([place.fanOut(), place.fanOut()])
    const workers = [place.deliverOf(), place.deliverOf(), place.deliverOf()]
    while ((await dueEndpoints(storage.database, 10)).length > 0)
      await Promise.all(workers.map(({ turn }) => turn(id, { signal: never })))
    expect(together).toBe(0)
    expect(ids(path)).toHaveLength(80)
    expect(new Set(ids(path)).size).toBe(80)
    expect(receiver.underWayMost()).toBeLessThanOrEqual(6)
  })

  it('P126: of 200 endpoints one that hangs delays none of the others', async () => {
    await place.watch(eier, [A])
    const owners = Array.from({ length: 200 }, (_, n) => `mange${String(n).padStart(6, '0')}`)
    for (const owner of owners) await place.watch(owner, [A, B, C])
    const endpoints = await Promise.all(owners.map((owner) => place.endpoint(owner)))
    const [hanging, ...others] = endpoints
    receiver.conduct('hang', hanging?.path)
    await place.changed(changeOf(A), changeOf(B), changeOf(C))
    await place.fanOut()
    // It hangs for as long as the others take, on however slow a machine.
    const { turn } = place.deliverOf({ deadlineMs: 5 * MINUTE_MS, holdMs: 15 * MINUTE_MS })
    const ending = new AbortController()
    const stuck = turn(hanging?.id ?? '', { signal: ending.signal })
    await expect.poll(() => receiver.received(hanging?.path).length).toBe(3)
    const free = others.map(({ id }) => id)
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let id = free.pop(); id !== undefined; id = free.pop()) await turn(id, { signal: never })
      }),
    )
    for (const { path } of others) expect(receiver.received(path)).toHaveLength(3)
    // It still hangs: nobody waited for it.
    expect(receiver.underWay()).toBe(3)
    expect(await dueEndpoints(storage.database, 1000)).toEqual([])
    ending.abort(new Error('ends'))
    await stuck
    // Cut off by our own ending, it is as if it had not been tried.
    expect(await place.deliveries(hanging?.id ?? '')).toMatchObject([
      { forsok: 0 },
      { forsok: 0 },
      { forsok: 0 },
    ])
    expect(await dueEndpoints(storage.database, 1000)).toMatchObject([{ id: hanging?.id }])
  })

  it('P126: attack: however many are slow or hang, and however many test keys have, others are sent to meanwhile', async () => {
    await place.watch(eier, [A])
    const slow = Array.from({ length: 12 }, (_, n) => `treg${String(n).padStart(7, '0')}`)
    for (const owner of slow) {
      await place.watch(owner, [A, B])
      await place.endpoint(owner)
    }
    // They say yes, in their own time.
    await place.changed(changeOf(B))
    await place.deliverAll({ slowMs: -1 })
    for (const owner of Array.from({ length: 12 }, (_, n) => `prove${String(n).padStart(6, '0')}`)) {
      const test = { eier: owner, prove: true }
      await putWatches(storage.database, test, [{ orgnr: A, navn: null, typer: null, epost: null }], {
        max: 10,
        at: new Date(),
      })
      await insertEndpoint(
        storage.database,
        { ...test, slutter: new Date(Date.now() + HOUR_MS), nokkel: null },
        { adresse: `${receiver.origin}/${owner}`, typer: null },
        { ofOwner: 3, ofTests: 100 },
      )
    }
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(B), changeOf(A, { prove: true }))
    await place.fanOut()
    await place.changed(changeOf(A))
    await place.fanOut()
    const due = () => dueEndpoints(storage.database, 10)
    expect(Map.groupBy(await due(), ({ line }) => line).get('rask')).toMatchObject([{ id }])
    receiver.conduct(({ path: asked }) => (asked === path ? { status: 204 } : 'hang'))
    const keeping = keepDeliveries(
      {
        // They hang for as long as it takes, on however slow a machine.
        turn: place.deliverOf({ deadlineMs: 5 * MINUTE_MS, holdMs: 15 * MINUTE_MS }).turn,
        follow: () => ({ close: async () => {} }),
        fanOut: place.fanOut,
        due,
        upkeep: async () => {},
      },
      {
        ring: () => Promise.reject(new Error('the queue is away')),
        log: createLog({ level: 'silent', file: null }),
        policy: { fanOutEveryMs: 60_000, sweepEveryMs: 20, upkeepEveryMs: 60_000, retryMs: 20 },
      },
    )
    await eventually('it is delivered', async () => (await place.deliveries(id))[0]?.tilstand === 'levert')
    // Eight of each line, the slow ones with a message of each of two companies.
    await expect.poll(() => receiver.underWay()).toBe(24)
    await keeping.close()
    expect(ids(path)).toHaveLength(1)
  })

  it('P126: attack: an endpoint where thousands wait gives its place up after some of them, and its turn comes again', async () => {
    const companies = Array.from({ length: 200 }, (_, n) => String(910_000_000 + n))
    await place.watch(eier, companies)
    const { id, path } = await place.endpoint(eier)
    await place.changed(...companies.map((orgnr) => changeOf(orgnr)))
    await place.fanOut()
    const { turn } = place.deliverOf()
    expect(await turn(id, { signal: never })).toBe(true)
    expect(ids(path).length).toBeGreaterThan(0)
    expect(ids(path).length).toBeLessThanOrEqual(policy.push.turnMessages)
    while (await turn(id, { signal: never }));
    expect(new Set(ids(path)).size).toBe(200)
  })

  it('P126: each line of endpoints is a lane of its own in the queue, and who is rung for in another is passed over', async () => {
    const { laneOf } = jobs['send-to-endpoint']
    expect(
      [{}, { bane: 'rask' }, { bane: 'treg' }, { bane: 'prove' }].map((each) => laneOf(each as object)),
    ).toEqual(['varsling', 'varsling', 'varsling_treg', 'varsling_prove'])
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A))
    await place.fanOut()
    const { turn } = place.deliverOf()
    expect(await turn(id, { signal: never, line: 'treg' })).toBe(false)
    expect(ids(path)).toEqual([])
    await turn(id, { signal: never, line: 'rask' })
    expect(ids(path)).toHaveLength(1)
  })

  it('P105: attack: a change nobody here can read is looked at now and again, not as fast as PostgreSQL answers, and the others go', async () => {
    await place.watch(eier, [A, B])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A), changeOf(B))
    await storage.database.query(`update endring set felt = '{}' where orgnr = $1`, [Number(A)])
    await place.fanOut()
    let asked = 0
    const counting: Database = {
      ...storage.database,
      query(text, values) {
        asked += 1
        return storage.database.query(text, values)
      },
    }
    expect(await place.deliverOf({ turnMs: 500 }, counting).turn(id, { signal: never })).toBe(false)
    expect(ids(path)).toHaveLength(1)
    expect(asked).toBeLessThan(20)
    expect(await dueEndpoints(storage.database, 10)).toEqual([])
    await storage.database.query(`update endring set felt = '[]' where orgnr = $1`, [Number(A)])
    await place.later(MINUTE_MS)
    await place.deliverAll()
    expect(ids(path)).toHaveLength(2)
  })

  it('P126: whoever holds an endpoint and is heard of no more is followed, and what it says later changes nothing', async () => {
    await place.watch(eier, [A])
    const { id, path } = await place.endpoint(eier)
    await place.changed(changeOf(A))
    await place.fanOut()
    let answer = () => {}
    let isFirst = true
    receiver.conduct(async () => {
      if (!isFirst) return { status: 204 }
      isFirst = false
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { status: 410 }
    })
    const slow = place.deliverOf().turn(id, { signal: never })
    await expect.poll(() => receiver.underWay()).toBe(1)
    expect(await place.deliverOf().turn(id, { signal: never })).toBe(false)
    expect(receiver.received(path)).toHaveLength(1)
    await place.later(46_000)
    await place.deliverOf().turn(id, { signal: never })
    answer()
    await slow
    expect(new Set(ids(path)).size).toBe(1)
    expect(receiver.received(path)).toHaveLength(2)
    expect(await place.deliveries(id)).toMatchObject([{ tilstand: 'levert', forsok: 1 }])
    expect((await place.endpointRow(id))?.av_grunn).toBe(null)
  })
})

/** Nothing more of this table's rows can be written, until the end of it. */
async function noRoomFor(database: Database, table: string): Promise<{ end(): Promise<unknown> }> {
  await database.query(
    `create function ingen_plass() returns trigger language plpgsql as $$ begin raise exception using errcode = 'disk_full'; end $$`,
  )
  await database.query(
    `create trigger ingen_plass before update on ${table} for each row execute function ingen_plass()`,
  )
  return { end: () => database.query('drop function ingen_plass() cascade') }
}

/** Of two deliveries the other’s has the number of the first, which is not there. */
const NUMBER_GIVEN_AGAIN = `with borte as (delete from levering where endepunkt <> $1 returning id),
  ny as (delete from levering where endepunkt = $1 returning *)
  insert into levering (id, endepunkt, endring, orgnr, type) overriding system value
  select borte.id, ny.endepunkt, ny.endring, ny.orgnr, ny.type from ny, borte`
