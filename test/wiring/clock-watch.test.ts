import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { createClockWatch } from '#src/wiring/clock-watch.ts'
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

  it('P186: looks at a payment when it is due, and gives up no order that has just been made', async () => {
    const ahead = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() + 3 * HOUR_MS))
    let service: ShopService | undefined
    try {
      service = await startShopService()
      const { database } = service.storage
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
