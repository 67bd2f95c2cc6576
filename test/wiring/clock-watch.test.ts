import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { keepMinute } from '#src/storage/processes.ts'
import { createClockWatch } from '#src/wiring/clock-watch.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { type ShopService, startShopService } from '#test/support/shop-service.ts'

const HOUR_MS = 3_600_000

describe('a process whose clock is wrong', () => {
  let storage: TestDatabase
  beforeAll(async () => {
    storage = await createTestDatabase()
  })
  afterAll(() => storage.close())

  it('P186: dates what is sold by PostgreSQL’s, also when its own is set between two looks', async () => {
    let wrongByMs = 3 * HOUR_MS
    const watch = createClockWatch(storage.database, { now: () => new Date(Date.now() + wrongByMs) })
    const isRight = () => Math.abs(watch.common.now().getTime() - Date.now()) < HOUR_MS
    await eventually('it is measured', async () => {
      await watch.look()
      return watch.aheadMs() !== null
    })
    expect(isRight()).toBe(true)
    wrongByMs = -300 * HOUR_MS
    expect(isRight()).toBe(true)
  })

  it('P186: dates nothing, and so cancels and removes nothing, while the two differ by days, or PostgreSQL’s is not known', async () => {
    const watch = createClockWatch(storage.database, { now: () => new Date(Date.now() + 72 * HOUR_MS) })
    expect(watch.common.now).toThrow(expect.objectContaining({ code: 'lager_utilgjengelig' }))
    await eventually('it is measured', async () => {
      await watch.look()
      return watch.aheadMs() !== null
    })
    expect(watch.common.now).toThrow(expect.objectContaining({ reason: 'tiden_er_ukjent' }))
  })

  it('P186: is not believed for being set while PostgreSQL is asked', async () => {
    let wrongByMs = 0
    const answering = {
      async query(): Promise<never[]> {
        wrongByMs = 6 * HOUR_MS
        return [{ at: new Date() }] as never[]
      },
    }
    const watch = createClockWatch(answering, { now: () => new Date(Date.now() + wrongByMs) })
    await watch.look()
    expect(Math.abs(watch.common.now().getTime() - Date.now())).toBeLessThan(HOUR_MS)
    expect(watch.aheadMs()).toBeGreaterThan(5 * HOUR_MS)
  })

  it.each([
    { wrongByHours: 3, isSoldBy: true, saysHours: 0 },
    { wrongByHours: -3, isSoldBy: true, saysHours: 0 },
    { wrongByHours: 72, isSoldBy: false, saysHours: 0 },
    { wrongByHours: -72, isSoldBy: false, saysHours: -72 },
  ])(
    'P179: ends no key, and removes nothing, before its time when it is $wrongByHours hours ahead',
    async (seen) => {
      const watch = createClockWatch(storage.database, {
        now: () => new Date(Date.now() + seen.wrongByHours * HOUR_MS),
      })
      expect(watch.isTimeKnown()).toBe(false)
      await eventually('it is measured', async () => {
        await watch.look()
        return watch.aheadMs() !== null
      })
      expect(watch.isTimeKnown()).toBe(seen.isSoldBy)
      const saysMs = watch.lenient.now().getTime() - Date.now()
      expect(Math.abs(saysMs - seen.saysHours * HOUR_MS)).toBeLessThan(HOUR_MS)
    },
  )

  it('P194: attack: removes nothing for good by a PostgreSQL that was set ahead, or back again, before that has stood for a day', async () => {
    let aheadMs = 0
    let passedMs = 0
    let wasCounted = true
    const now = () => new Date(Date.UTC(2026, 10, 26) + passedMs + aheadMs)
    const asked = {
      query: async (text: string) =>
        (text.includes('maaling') ? [{}].slice(wasCounted ? 0 : 1) : [{ at: now() }]) as never[],
    }
    const passing = vi.spyOn(performance, 'now').mockImplementation(() => passedMs)
    try {
      const watch = createClockWatch(asked, { now })
      const hasStoodAfter = (hours: number) => {
        passedMs += hours * HOUR_MS
        return watch.hasStood()
      }
      // Somebody has counted a day ago, this process or another.
      expect(await hasStoodAfter(0)).toBe(true)
      aheadMs = 401 * 24 * HOUR_MS
      wasCounted = false
      expect(await hasStoodAfter(19)).toBe(false)
      expect(await createClockWatch(asked, { now }).hasStood()).toBe(false)
      aheadMs = 0
      expect(await hasStoodAfter(0)).toBe(false)
      expect(await hasStoodAfter(19)).toBe(false)
      expect(await hasStoodAfter(1)).toBe(true)
      // Somebody has corrected an hour.
      aheadMs = HOUR_MS
      expect(await hasStoodAfter(0)).toBe(true)
    } finally {
      passing.mockRestore()
    }
  })

  it('P194: attack: a clock that is set ahead by as much every night is not taken for one that has stood', async () => {
    const { database } = storage
    const aheadSinceYesterday = `now() + interval '800 days' - interval '22 hours'`
    await database.query(
      `insert into maaling (minutt, prosess, verdier) values (${aheadSinceYesterday}, gen_random_uuid(), '{}')`,
    )
    await keepMinute(database, { at: new Date(), process: randomUUID(), counted: {} })
    expect(await database.query(`select 1 from maaling where minutt > now() + interval '1 day'`)).toEqual([])
  })

  it('P179: a command dates what it issues by PostgreSQL’s, and issues nothing while one of them is broken', async () => {
    let wrongByMs = 3 * HOUR_MS
    const wrong = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() + wrongByMs))
    try {
      const issue = () =>
        runCommand({ DATABASE_URL: storage.url }, [
          ...['nokkel', 'utsted', '--epost', 'a@b.no', '--vis', '--json'],
          ...['--hvorfor', 'en prøve'],
        ])
      const issued = await issue()
      expect(issued).toMatchObject({ code: 0, err: '' })
      const rows = await storage.database.query(
        `select id from api_nokkel where utstedt_at between now() - interval '1 hour' and now() + interval '1 hour'`,
      )
      expect(rows).toEqual([{ id: JSON.parse(issued.out).id }])
      wrongByMs = -72 * HOUR_MS
      expect((await issue()).code).not.toBe(0)
      expect(await storage.database.query('select id from api_nokkel')).toEqual(rows)
    } finally {
      wrong.mockRestore()
    }
  })

  it('P186, P179: looks at a payment when it is due, gives up no order that has just been made, and lets a key in until it ends', async () => {
    const ahead = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() + 3 * HOUR_MS))
    let service: ShopService | undefined
    try {
      service = await startShopService()
      const { database } = service.storage
      // Of this process' own clock it would have ended two hours ago.
      await database.query(
        `update api_nokkel set utstedt_at = now() - interval '1 day', utloper_at = now() + interval '1 hour'`,
      )
      expect((await service.get('/api/bedrift/status')).status).toBe(200)
      await database.query(
        `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
           laget_at, endret_at, neste_sjekk_at)
         values ('0000000001', sha256('1'), 'bo-klokke-1', 'opprettet', 'a@b.no', 'test', 'x', 49900, 'NOK', now(), now(), now(), now())`,
      )
      const { vipps } = service
      await eventually('its payment is looked at', () =>
        vipps.calls('get').some(({ reference }) => reference === 'bo-klokke-1'),
      )
      const [order] = await database.query(
        `select tilstand, neste_sjekk_at < now() + interval '1 hour' as is_soon from ordre where id = '0000000001'`,
      )
      expect(order).toEqual({ tilstand: 'opprettet', is_soon: true })
    } finally {
      ahead.mockRestore()
      await service?.close()
    }
  })
})
