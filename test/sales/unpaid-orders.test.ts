import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { SalesPolicy } from '#src/sales/context.ts'
import type { Database } from '#src/storage/database.ts'
import { IN_THE_ROOM, lockRoom } from '#src/storage/unpaid-orders.ts'
import { MINUTE_MS } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { openTestPool } from '#test/support/test-pool.ts'
import { keyholders, newAddress, newToken, tokenOf } from './keyholders.ts'
import { offer, openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const STRANGER = '198.51.100.7'
const OWNER = '203.0.113.9'
const DAY_MS = 24 * 60 * MINUTE_MS
const call = { signal: new AbortController().signal }

let current: OpenShop
const { bought, approve, later, renewalsTo, keysTo } = keyholders(() => current)

shopForEachTest((open) => {
  current = open
})

describe('P45: a stranger who leaves orders unpaid', () => {
  test('with the address of another, from one network, keeps its owner neither from buying nor from renewing', async () => {
    const { epost, utloper } = await bought()
    const { clock, shop } = current
    clock.advance(utloper.getTime() - 7 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    for (let tries = 0; tries < 30; tries += 1) await placed({ epost, ip: STRANGER })
    const { ordre } = await placed({ epost, ip: OWNER })
    await approve(ordre)
    const renewal = await shop.sales.renew(tokenOf(renewalsTo(epost)[0] ?? ''), { vilkaarGodtatt: true })
    if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
    await approve(renewal.ordre)
    expect(keysTo(epost)).toHaveLength(3)
  })

  test('59 at once from one network: ten wait, the others are let go at Vipps, and their addresses are not kept', async () => {
    const { vipps } = current
    await Promise.all(Array.from({ length: 59 }, () => placed({ ip: STRANGER })))
    await later(policy.sales.pollEveryMs)
    expect(await waiting()).toBe(policy.sales.unpaidPerNetworkMax)
    const states = vipps.payments.all().map(({ state }) => state)
    expect(states.filter((state) => state === 'CREATED')).toHaveLength(10)
    expect(states.filter((state) => state === 'TERMINATED')).toHaveLength(49)
    const [kept] = await query<{ antall: string }>('select count(epost) as antall from ordre')
    expect(kept?.antall).toBe('10')
  })

  test('P45: attack: whoever comes after them, while Vipps lets none of them go, is not kept from what it says of the own order', async () => {
    const { storage, vipps, mail, clock } = current
    const patient = openShop({
      db: storage.database,
      vipps,
      mailUrl: mail.url,
      clock,
      changes: { paymentDeadlineMs: 10 * MINUTE_MS, mailDeadlineMs: 10 * MINUTE_MS, givingWayWaitMs: 50 },
    })
    vipps.misbehave('cancel', { kind: 'hang' })
    try {
      for (let order = 0; order <= policy.sales.unpaidPerNetworkMax; order += 1) {
        const request = { epost: newAddress(), vilkaarGodtatt: true, idempotensToken: newToken() }
        expect(await patient.sales.placeOrder({ ...request, ip: STRANGER })).toMatchObject({
          redirectUrl: expect.any(String),
        })
      }
      expect(vipps.calls('cancel')).toHaveLength(1)
    } finally {
      await patient.close()
    }
  })

  test('P45: attack: orders from many networks at once, which wait for each other, leave others their connections', async () => {
    const { storage, shop } = current
    const outside = openTestPool(storage.url, 2)
    try {
      const orders: Promise<unknown>[] = []
      await outside.transaction(async (connection) => {
        await lockRoom(connection)
        for (let network = 0; network < 20; network += 1) orders.push(placed({ ip: `198.51.100.${network}` }))
        await eventually('one waits for the room', async () => {
          const those = await outside.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return those.length > 0
        })
        for (let times = 0; times < 30; times += 1) await shop.sales.status()
      })
      await Promise.all(orders)
      expect(await waiting()).toBe(20)
    } finally {
      await outside.close()
    }
  })

  test('P45: attack: those who come while the room of a full shop is taken go in together, and whoever is among them waits for no more than that', async () => {
    const { storage } = current
    const outside = openTestPool(storage.url, 1)
    let entered = 0
    const db: Database = {
      ...storage.database,
      transaction(work, how) {
        if (how?.alone === IN_THE_ROOM.alone) entered += 1
        return storage.database.transaction(work, how)
      },
    }
    const full = shopWith({ unpaidMax: 20, unpaidPerNetworkMax: 5 }, db)
    try {
      for (let network = 0; network < 20; network += 1) await placed({ ip: `198.51.100.${network}` }, full)
      entered = 0
      const orders: Promise<unknown>[] = []
      await outside.transaction(async (connection) => {
        await lockRoom(connection)
        for (let tries = 0; tries < 60; tries += 1)
          orders.push(placed({ ip: `203.0.113.${tries % 20}` }, full))
        orders.push(placed({ ip: OWNER }, full))
        await eventually('one waits for the room', async () => {
          const those = await storage.database.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return those.length > 0
        })
      })
      await Promise.all(orders)
      expect(entered).toBeLessThan(10)
      expect(await waiting()).toBe(20)
      const [own] = await query<{ antall: string }>(
        `select count(*) as antall from ordre where viker_at is null and nettverk = '${OWNER}'`,
      )
      expect(own?.antall).toBe('1')
    } finally {
      await full.close()
      await outside.close()
    }
  })

  test('in a full shop, from many networks: nobody is refused, and whoever has few stays', async () => {
    const full = shopWith({ unpaidMax: 20, unpaidPerNetworkMax: 5 })
    try {
      const honest = await placed({ ip: OWNER }, full)
      for (let network = 0; network < 7; network += 1)
        for (let tries = 0; tries < 5; tries += 1) await placed({ ip: `198.51.100.${network}` }, full)
      const newcomer = await placed({ ip: '203.0.113.10' }, full)
      await full.goOn()
      expect(await waiting()).toBe(20)
      for (const { ordre } of [honest, newcomer]) await approve(ordre)
    } finally {
      await full.close()
    }
  })

  test('in a full shop: a renewal is not counted, and never gives way', async () => {
    const { epost, utloper } = await bought()
    current.clock.advance(utloper.getTime() - 7 * DAY_MS - current.clock.now().getTime())
    const full = shopWith({ unpaidMax: 3 })
    try {
      await full.sales.writeReminders()
      await full.goOn()
      const renewal = await full.sales.renew(tokenOf(renewalsTo(epost)[0] ?? ''), { vilkaarGodtatt: true })
      if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
      for (let network = 0; network < 5; network += 1) await placed({ ip: `198.51.100.${network}` }, full)
      await full.goOn()
      expect(await waiting()).toBe(4)
      await approve(renewal.ordre)
      expect(keysTo(epost)).toHaveLength(2)
    } finally {
      await full.close()
    }
  })

  test('pushing out an order that is approved at that moment: it gets its key and is charged once; none is charged without', async () => {
    const { vipps, shop } = current
    const first = await placed({ ip: STRANGER })
    for (let tries = 1; tries < 10; tries += 1) await placed({ ip: STRANGER })
    vipps.approve(await referenceOf(first.ordre))
    await placed({ ip: STRANGER })
    await later(policy.sales.pollEveryMs)
    expect(await shop.sales.readOrder(first.ordre)).toMatchObject({ tilstand: 'fullfort' })
    const second = await placed({ ip: STRANGER })
    expect(second.redirectUrl).not.toBeNull()
    for (const { reference, state, capturedOre } of vipps.payments.all()) {
      const isFirst = reference === (await referenceOf(first.ordre))
      expect(capturedOre).toBe(isFirst ? offer.priceOre : 0)
      if (!isFirst) expect(['CREATED', 'TERMINATED']).toContain(state)
    }
  })

  test('while Vipps can not be heard: what gave way is let go when it can, and too many of those close the shop till then', async () => {
    const { vipps } = current
    const full = shopWith({ unpaidPerNetworkMax: 2, givingWayMax: 3 })
    try {
      vipps.misbehave('cancel', { kind: 'status', status: 503 })
      vipps.misbehave('get', { kind: 'status', status: 503 })
      for (let tries = 0; tries < 5; tries += 1) await placed({ ip: STRANGER }, full)
      await expect(placed({ ip: STRANGER }, full)).rejects.toMatchObject({ code: 'for_mange_bestillinger' })
      vipps.behave()
      await later(policy.sales.pollEveryMs)
      expect(vipps.payments.all().filter(({ state }) => state === 'TERMINATED')).toHaveLength(3)
      await placed({ ip: STRANGER }, full)
    } finally {
      await full.close()
    }
  })
})

describe('P29: payments that are read back', () => {
  test('among hundreds of unpaid orders: every one in one go, and first those that Vipps has told of', async () => {
    const { vipps, shop, clock, storage } = current
    const { ordre } = await placed({})
    const reference = await referenceOf(ordre)
    // Orders whose payment nobody ever made; they are older, and waited longer.
    await storage.database.query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
         laget_at, endret_at, neste_sjekk_at)
       select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-flom' || n || '-1', 'opprettet', 'a@b.no', 'test', 'x', 49900,
         'NOK', $1, $1, $1, $1 from generate_series(1, 300) n`,
      [new Date(clock.now().getTime() - 60_000)],
    )
    vipps.approve(reference)
    const { merchantSerialNumber } = vipps.credentials
    await shop.sales.noteWebhook({ merchantSerialNumber, reference, name: 'AUTHORIZED', pspReference: 'psp' })
    const before = vipps.calls('get').length
    await shop.sales.checkPayments(call)
    const read = vipps.calls('get').slice(before)
    expect(new Set(read.map((each) => each.reference)).size).toBe(301)
    expect(read.slice(0, policy.sales.readsAtOnce).map((each) => each.reference)).toContain(reference)
  })
})

function shopWith(changes: Partial<SalesPolicy>, db: Database = current.storage.database) {
  const { vipps, mail, clock } = current
  return openShop({ db, vipps, mailUrl: mail.url, clock, changes })
}

async function placed(
  { epost = newAddress(), ip }: { epost?: string; ip?: string },
  { sales }: Pick<OpenShop['shop'], 'sales'> = current.shop,
) {
  // Which is older than which is told by the clock.
  current.clock.advance(1)
  const request = { epost, vilkaarGodtatt: true, idempotensToken: newToken() }
  return sales.placeOrder(ip === undefined ? request : { ...request, ip })
}

async function referenceOf(ordre: string): Promise<string> {
  return `bo-${(await current.shop.sales.readOrder(ordre))?.nummer}-1`
}

/** Counted among the unpaid. */
async function waiting(): Promise<number> {
  const rows = await query(`select 1 from ordre where tilstand = 'opprettet' and viker_at is null`)
  return rows.length
}

function query<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
  return current.storage.database.query<Row>(text)
}
