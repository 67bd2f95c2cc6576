import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { lockChain } from '#src/storage/chain-lock.ts'
import { stopMails } from '#src/storage/changes/change-mails.ts'
import { eraseCustomerData, readCustomerData } from '#src/storage/customer-data.ts'
import type { Queryable } from '#src/storage/database.ts'
import { chainOfKey } from '#src/storage/keys.ts'
import { lockOrder } from '#src/storage/orders.ts'
import { takeAllowance } from '#src/storage/push/allowance.ts'
import { putTestDelivery } from '#src/storage/push/deliveries.ts'
import { takeReplacementWish } from '#src/storage/replacements.ts'
import { keyholders, newAddress, newToken } from '#test/sales/keyholders.ts'
import { type OpenShop, shopForEachTest } from '#test/sales/shop-for-each-test.ts'
import { eventually } from '#test/support/eventually.ts'
import { makeEndpoint } from '#test/support/made-endpoint.ts'

/** Of what is told of a customer, what is not, each with its reason. */
const LEFT_OUT: Record<string, string> = {
  hash: 'proves who somebody is',
  token_hash: 'opens the page of an order',
}
/** Tables with a column of such a name that tell nothing of a customer. */
const OF_NOBODY: Record<string, string> = {
  nokkelbevis: 'proves who somebody is, as the hash does',
  eierandel: 'the register of shares',
  sok_kontakt: 'the index of names',
  sok_navn: 'the index of names',
  operator_spor: 'what operators did, of an id and never of an address',
}

let current: OpenShop
const { bought, later } = keyholders(() => current)
shopForEachTest((open) => {
  current = open
})

test('P160: what is told of a customer is every column there is, but hashes', async () => {
  const { database } = current.storage
  const { epost, ordre } = await bought()
  const id = (await current.shop.sales.readOrder(ordre))?.nummer
  await database.query(
    `insert into betalingshendelse (referanse, navn, psp_referanse, ordre, mottatt_at) values ('bo-x-1', 'CREATED', 'psp', $1, now())`,
    [id],
  )
  const told = await readCustomerData(database, epost)
  for (const [name, table] of [
    ['nokler', 'api_nokkel'],
    ['ordrer', 'ordre'],
    ['betalingshendelser', 'betalingshendelse'],
    ['bilag', 'bilag'],
    ['arend', 'utboks'],
  ] as const) {
    const columns = await columnsOf(table)
    expect(told[name].length, table).toBeGreaterThan(0)
    expect(Object.keys(told[name][0] ?? {}).sort(), table).toEqual(
      columns.filter((column) => !(column in LEFT_OUT)).sort(),
    )
  }
})

test('P160: every table that is of a key, an order or an address is told, or is of nobody', async () => {
  const { database } = current.storage
  const told = await asked(database)
  const tables = await database.query<{ navn: string }>(
    `select distinct table_name::text as navn from information_schema.columns
     where table_schema = 'public' and column_name in ('epost', 'nokkel', 'ordre', 'kjede', 'eier', 'gjelder', 'bestilling', 'endepunkt')`,
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const { navn } of tables) expect(navn in OF_NOBODY || told.has(navn), navn).toBe(true)
})

describe('P160: attack: whoever is erased is in nobody’s way', () => {
  test('while it is looked into what was asked for with the address', async () => {
    const { epost, id } = await bought()
    await current.shop.sales.requestReplacement(epost, 'tapt')
    const erased = await erasedWhile(
      epost,
      (connection) => takeReplacementWish(connection, new Date()),
      async (connection) => lockChain(connection, (await chainOfKey(connection, id)) ?? ''),
    )
    expect(erased).toMatchObject({ rader: 2 })
  })

  test('while it is looked after an order that is done', async () => {
    const { epost, ordre } = await bought()
    const order = (await current.shop.sales.readOrder(ordre))?.nummer ?? ''
    const erased = await erasedWhile(
      epost,
      (connection) => lockOrder(connection, order),
      (connection) => lockChain(connection, order),
    )
    expect(erased).toMatchObject({ kjeder: [order] })
  })

  test('while a span of the log is asked for again with one of their keys', async () => {
    const { epost, id } = await bought()
    const { database } = current.storage
    const eier = (await chainOfKey(database, id)) ?? ''
    const { id: endepunkt } = await makeEndpoint(database, eier, 'https://mottaker.example.com/')
    const ask = (connection: Queryable) =>
      takeAllowance(connection, endepunkt, 'igjen', { count: 1, perHourMax: 2 })
    await ask(database)
    const erased = await erasedWhile(epost, ask, (connection) =>
      putTestDelivery(connection, endepunkt, 'prove'),
    )
    expect(erased).toMatchObject({ kjeder: [eier] })
    expect(await database.query('select 1 from endepunktbruk where eier = $1', [eier])).toEqual([])
  })

  test.each<[string, (epost: string, eier: string) => Promise<unknown>]>([
    ['is erased', (epost) => erase(epost)],
    ['wants no more of them', (_, eier) => stopMails(current.storage.database, eier)],
  ])('while a mail of changes has just gone to who %s', async (_, does) => {
    const { epost, id } = await bought()
    const { database } = current.storage
    const eier = (await chainOfKey(database, id)) ?? ''
    await database.query(`insert into varsel (eier, slag, neste_at) values ($1, 'straks', now())`, [eier])
    await database.query(`insert into varsel_linje (eier, slag, nr) values ($1, 'straks', 1)`, [eier])
    await during(
      () => does(epost, eier),
      (connection) => connection.query('update varsel set forsok = 0 where eier = $1', [eier]),
      (connection) => connection.query('delete from varsel_linje where eier = $1', [eier]),
    )
    expect(await database.query('select 1 from varsel where eier = $1', [eier])).toEqual([])
  })
})

test('P160: attack: of an order that was approved as its address was erased, and came to nothing all the same, nothing is left', async () => {
  const { storage, shop, vipps, mail } = current
  const epost = newAddress()
  const form = { epost, vilkaarGodtatt: true, idempotensToken: newToken() }
  const order = (await shop.sales.readOrder((await shop.sales.placeOrder(form)).ordre))?.nummer ?? ''
  vipps.approve(`bo-${order}-1`)
  expect(await erase(epost)).toMatchObject({ ubetalte: [order] })
  mail.behave({ at: 'rcpt', does: 550 })
  await later(policy.sales.pollFirstMs)
  expect(await stateOf(order)).toBe('avvist')
  await later(policy.sales.otherAddressMs)
  expect(await stateOf(order)).toBe('kansellert')
  for (const table of ['ordre', 'api_nokkel'])
    expect(await storage.database.query(`select 1 from ${table} where epost = $1`, [epost])).toEqual([])
})

type Step = (connection: Queryable) => Promise<unknown>

async function stateOf(order: string): Promise<string | undefined> {
  const rows = await current.storage.database.query<{ tilstand: string }>(
    'select tilstand from ordre where id = $1',
    [order],
  )
  return rows[0]?.tilstand
}

const erasedWhile = (epost: string, before: Step, after: Step) => during(() => erase(epost), before, after)

function erase(epost: string) {
  const by = { hvem: 'test', hvorfor: 'test', at: current.clock.now() }
  return eraseCustomerData(current.storage.database, epost, by)
}

/** Does it while somebody else is between two steps, and the first is in its way. */
async function during<T>(does: () => Promise<T>, before: Step, after: Step): Promise<T> {
  const { database } = current.storage
  const done: Promise<T>[] = []
  await database.transaction(async (connection) => {
    await before(connection)
    done.push(does())
    await eventually(
      'it waits',
      async () => (await database.query('select 1 from pg_locks where not granted limit 1')).length > 0,
    )
    await after(connection)
  })
  const [it] = await Promise.all(done)
  return it as T
}

async function columnsOf(table: string): Promise<string[]> {
  const rows = await current.storage.database.query<{ navn: string }>(
    `select column_name::text as navn from information_schema.columns where table_schema = 'public' and table_name = $1`,
    [table],
  )
  return rows.map(({ navn }) => navn)
}

/** The tables that are read for a customer. */
async function asked(database: Parameters<typeof readCustomerData>[0]): Promise<Set<string>> {
  const tables = new Set<string>()
  await readCustomerData(
    {
      query: (text, values) => {
        for (const [, table = ''] of text.matchAll(/ from (\w+) t,/g)) tables.add(table)
        return database.query(text, values)
      },
    },
    'ingen@example.no',
  )
  return tables
}
