import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Database, Queryable } from '#src/storage/database.ts'
import { lockOrder } from '#src/storage/orders.ts'
import { askForCheck, askForLaterChecks, claimChecks, notePaymentEvent } from '#src/storage/payment-checks.ts'
import { letUnpaidGiveWay } from '#src/storage/unpaid-orders.ts'
import { AN_ORDER, putAnOrder } from '#test/support/an-order.ts'
import { HOUR_MS, MINUTE_MS } from '#test/support/clock.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const { lookAgain } = policy.sales
const SOLD = 3000

test('P110: attack: of more that is sold in one hour than may wait to be read back, each is read back within a week, and few wait at once', async () => {
  const { read, most } = await soldAndReadBack(lookAgain.everyMs)
  expect(new Set(read).size).toBe(SOLD)
  expect(read).toHaveLength(SOLD)
  expect(most).toBeLessThanOrEqual(SOLD / 4)
})

test.each([
  ['two workers look at times of their own', lookAgain.everyMs / 2],
  ['the only one who looks is late each time', lookAgain.everyMs * 1.5],
])('P110: attack: though %s, each is read back once', async (_, betweenMs) => {
  const { read } = await soldAndReadBack(betweenMs)
  expect(new Set(read).size).toBe(SOLD)
  expect(read).toHaveLength(SOLD)
})

test.each<[string, (connection: Queryable) => Promise<unknown>]>([
  ['its reservation is let go', (connection) => askForCheck(connection, AN_ORDER, AT)],
  ['its buyer is erased', (connection) => letUnpaidGiveWay(connection, 'kari@example.no', AT)],
])('P29: attack: Vipps tells of an order while %s: neither waits for the other', async (_, begin) => {
  const storage = await createTestDatabase()
  const db = storage.database
  try {
    await putAnOrder(db)
    const told: Promise<string | null>[] = []
    await db.transaction(async (connection) => {
      await begin(connection)
      told.push(db.transaction((other) => notePaymentEvent(other, MESSAGE, AT)))
      await eventually('the message waits', () => isSomebodyWaiting(db))
      expect(await lockOrder(connection, AN_ORDER)).toMatchObject({ id: AN_ORDER })
    })
    expect(await Promise.all(told)).toEqual([AN_ORDER])
    expect(await db.query('select ordre from betalingshendelse')).toEqual([{ ordre: AN_ORDER }])
  } finally {
    await storage.close()
  }
})

test('P29: attack: one that Vipps has told of and does not answer for is asked about before the hundreds that have waited longer', async () => {
  const storage = await createTestDatabase()
  const db = storage.database
  try {
    await putAnOrder(db)
    await putOlderOrders(db)
    await notePaymentEvent(db, { ...MESSAGE, name: 'AUTHORIZED' }, AT)
    for (let asked = 0; asked < 3; asked += 1) {
      const at = new Date(AT.getTime() + asked * policy.sales.pollEveryMs)
      const page = await claimDue(db, at)
      expect(page).toHaveLength(policy.sales.pageSize)
      expect(page[0]).toBe(AN_ORDER)
    }
  } finally {
    await storage.close()
  }
})

const AT = new Date('2026-11-01T08:01:00.000Z')
const MESSAGE = { reference: `oppslag-${AN_ORDER}`, name: 'CANCELLED', pspReference: 'psp-1' }

/** Many pages of orders nobody has paid: older, and all of them due. */
async function putOlderOrders(db: Database): Promise<void> {
  await db.query(
    `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
       laget_at, endret_at, neste_sjekk_at)
     select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-flom' || n || '-1', 'opprettet', 'a@b.no', 'test', 'x', 49900,
       'NOK', $1, $1, $1, $1 from generate_series(1, 300) n`,
    [new Date(AT.getTime() - MINUTE_MS)],
  )
}

/** The orders of one page of those that are due then, as they are read back. */
async function claimDue(db: Database, at: Date): Promise<string[]> {
  const { pageSize, pollEveryMs, pollSlowlyMs, paymentWindowMs, lookAgain: later } = policy.sales
  const claimed = await claimChecks(db, {
    at,
    limit: pageSize,
    windowMs: paymentWindowMs,
    everyMs: pollEveryMs,
    slowlyMs: pollSlowlyMs,
    takenMs: later.everyMs,
  })
  return claimed.map(({ order }) => order.id)
}

async function isSomebodyWaiting(db: Database): Promise<boolean> {
  const rows = await db.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

/** What is sold in one hour, while its turn a week later is and somebody looks for what is due every so often. */
async function soldAndReadBack(betweenMs: number) {
  const storage = await createTestDatabase()
  const db = storage.database
  const begin = new Date('2026-03-02T10:00:00.000Z')
  try {
    await db.query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at, laget_at,
         endret_at, trukket_at)
       select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-' || lpad(n::text, 10, '0') || '-1', 'fullfort', 'a@example.no',
         'live', 'x', 49900, 'NOK', solgt, solgt, solgt, solgt
       from (select n, $2::timestamptz + (n - 1) * interval '1 hour' / $1 as solgt from generate_series(1, $1::integer) n) salg`,
      [SOLD, begin],
    )
    await db.query(
      `insert into api_nokkel (id, kjede, miljo, epost, hash, utstedt_at, utloper_at)
       select 'nn' || id, id, 'live', epost, '$argon2id$', laget_at, laget_at + interval '1 year' from ordre`,
    )
    const read: string[] = []
    let most = 0
    const until = begin.getTime() + 7 * 24 * HOUR_MS + HOUR_MS
    for (let at = until - HOUR_MS - betweenMs; at <= until + betweenMs; at += betweenMs) {
      const waiting = await db.query<{ id: string }>(
        'update ordre set neste_sjekk_at = null where neste_sjekk_at <= $1 returning id',
        [new Date(at)],
      )
      most = Math.max(most, waiting.length)
      read.push(...waiting.map(({ id }) => id))
      await askForLaterChecks(db, { at: new Date(at), ...lookAgain })
    }
    return { read, most }
  } finally {
    await storage.close()
  }
}
