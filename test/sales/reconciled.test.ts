import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { restoreBackup } from '#src/backup/restore-backup.ts'
import { writeBackup } from '#src/backup/write-backup.ts'
import { systemClock } from '#src/core/clock.ts'
import { DAY_MS } from '#src/core/units.ts'
import { reconcile, verdictOn } from '#src/sales/reconcile.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { listDeeds } from '#src/storage/operator-trail.ts'
import type { OrderState } from '#src/storage/order-states.ts'
import { createVipps } from '#src/vipps/client.ts'
import { type Outcome, runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { seller, vippsVariables } from '#test/support/shop-service.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { hasty, openShop } from './shop.ts'

const PRICE = 49_900
const today = new Date().toISOString().slice(0, 10)

describe('P74: orders that are compared with Vipps after a restore', () => {
  let vipps: VippsStandIn
  let mail: MailServer
  let before: TestDatabase
  let restored: TestDatabase
  let folder: string
  /** The references at Vipps, by what became of them. */
  const bought = { kept: '', lost: '', held: '', refunded: '', unpaid: '', refused: '' }

  beforeAll(async () => {
    ;[vipps, mail, before, restored, folder] = await Promise.all([
      startVippsStandIn(),
      startMailServer(),
      createTestDatabase(),
      createTestDatabase({ isMigrated: false }),
      mkdtemp(join(tmpdir(), 'oppslag-avstem-')),
    ])
    const shop = openShop({ db: before.database, vipps, mailUrl: mail.url, changes: hasty })
    async function order(): Promise<string> {
      const request = {
        epost: `${randomBytes(4).toString('hex')}@example.no`,
        vilkaarGodtatt: true,
        idempotensToken: randomBytes(24).toString('base64url'),
      }
      await shop.sales.placeOrder(request)
      return vipps.payments.all().at(-1)?.reference ?? ''
    }
    async function buy(): Promise<string> {
      const reference = await order()
      vipps.approve(reference)
      await shop.goOn()
      return reference
    }
    bought.kept = await buy()
    bought.refunded = await buy()
    bought.unpaid = await order()
    bought.refused = await order()
    vipps.refuse(bought.refused)
    await shop.goOn()
    const path = join(folder, 'kopi.sql.gz')
    await writeBackup({ url: before.url, path, now: new Date() })
    bought.lost = await buy()
    bought.held = await order()
    vipps.approve(bought.held)
    await shop.close()
    await restoreBackup({ url: restored.url, path })
  })

  afterAll(async () => {
    await Promise.all([vipps.close(), mail.close(), before.close(), restored.close()])
    await rm(folder, { recursive: true, force: true })
  })

  test('that was in time are in order, and nothing is changed by looking', async () => {
    const { code, out, err } = await avstem(before)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^6 betalinger sett etter hos Vipps: 4 i orden, 2 underveis, 0 avvik\.\n/)
  })

  test('that are gone are not said to be well: without a list it says what it did not look for', async () => {
    const { code, out } = await avstem(restored)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^4 betalinger sett etter hos Vipps: .* 0 avvik\.\nUten en liste fra Vipps er bare betalinger som kjennes her sett etter: .*--rapport eller --fil\.\n$/,
    )
    expect(JSON.parse((await avstem(restored, '--json')).out)).toMatchObject({ avvik: [], liste: false })
    const withList = await avstem(restored, '--fil', await put('liste', bought.kept))
    expect(withList.out).not.toContain('Uten en liste')
  })

  test('a purchase since the backup is found in the report of the portal, by its reference, with what to do', async () => {
    const { code, out, err } = await avstem(restored, '--fil', await put('rapport.csv', portalReport()))
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(out).toContain('6 betalinger sett etter hos Vipps: 3 i orden, 1 underveis, 2 avvik.')
    expect(out).toContain('2 referanser i listen er ikke herfra.')
    expect(out).toMatch(new RegExp(`^betalt_uten_ordre +${bought.lost} .*499\\.00 NOK`, 'm'))
    expect(out).toMatch(new RegExp(`^reservert_uten_ordre +${bought.held} `, 'm'))
    expect(out).toMatch(/^betalt_uten_ordre: .*nokkel utsted.*refunder i Vipps’ portal/m)
    const [deed] = await listDeeds(restored.database, { limit: 1 })
    expect(deed).toMatchObject({
      handling: 'kunde.avstem',
      gjelder: '6 betalinger, 2 avvik',
      utfall: 'avvik_funnet',
      hvorfor: 'disken røk',
    })
  })

  test.each([
    ['the older report, several tables in one file', () => settlementInfo()],
    ['one reference a line', () => `${bought.lost}\r\n${bought.kept}\n`],
    [
      'a report with semicolons and a byte order mark',
      () => `\uFEFFreference;amount\n${bought.lost};499,00\n`,
    ],
  ])('and in %s', async (_, text) => {
    const { code, out } = await avstem(restored, '--json', '--fil', await put('liste', text()))
    const { avvik } = JSON.parse(out)
    expect(code).toBe(1)
    expect(avvik).toEqual([
      {
        kode: 'betalt_uten_ordre',
        referanse: bought.lost,
        ordre: null,
        tilstand: null,
        bilag: null,
        trukketOre: PRICE,
        refundertOre: 0,
        valuta: 'NOK',
      },
    ])
  })

  test('and in Vipps’ own books, fetched by the command page by page; a day that is not over is said', async () => {
    const { code, out } = await avstem(restored, '--json', '--rapport', '--fra', today)
    const { avvik, dagerSomIkkeErAvsluttet } = JSON.parse(out)
    expect(code).toBe(1)
    expect(avvik.map(({ referanse }: { referanse: string }) => referanse)).toEqual([bought.lost])
    expect(dagerSomIkkeErAvsluttet).toContain(today)
    expect(vipps.calls('report', today).length).toBeGreaterThan(1)
  })

  test('and without any list, once Vipps has sent a message about it', async () => {
    await restored.database.query(
      `insert into betalingshendelse (referanse, navn, psp_referanse, mottatt_at) values ($1, 'CAPTURED', 'x', now())`,
      [bought.lost],
    )
    const { out } = await avstem(restored, '--json')
    await restored.database.query('truncate betalingshendelse')
    expect(JSON.parse(out).avvik).toMatchObject([{ kode: 'betalt_uten_ordre', referanse: bought.lost }])
  })

  test('what Vipps says otherwise of an order is told with its receipt', async () => {
    vipps.misbehave('get', { kind: 'altered', change: refundedFully() }, { reference: bought.refunded })
    const refunded = await avstem(restored, '--json')
    vipps.behave()
    expect(JSON.parse(refunded.out).avvik).toMatchObject([
      { kode: 'refundert', referanse: bought.refunded, tilstand: 'fullfort', bilag: 2, refundertOre: PRICE },
    ])
    vipps.misbehave('get', { kind: 'wrongAmount', amountOre: 1 }, { reference: bought.kept })
    const other = await avstem(restored, '--json')
    vipps.behave()
    expect(JSON.parse(other.out).avvik).toMatchObject([{ kode: 'annen_betaling', bilag: 1 }])
  })

  test('what Vipps did not answer for is told as that, never as in order', async () => {
    vipps.misbehave('get', { kind: 'status', status: 500 }, { reference: bought.kept })
    const { code, out } = await avstem(restored, '--json')
    vipps.behave()
    expect(code).toBe(1)
    expect(JSON.parse(out).avvik).toMatchObject([{ kode: 'ikke_lest', referanse: bought.kept }])
    vipps.misbehave('token', { kind: 'status', status: 401 })
    vipps.revokeTokens()
    const locked = await avstem(restored, '--rapport')
    vipps.behave()
    expect(locked).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^oppslag: Vipps kunne ikke/),
    })
  })

  test('P74: attack: by a clock of this machine that is wrong: PostgreSQL’s counts, and where one is broken nothing is told as in order', async () => {
    const own = await createTestDatabase()
    try {
      await aheadOfPostgres(own, '6 hours')
      const { code, out } = await avstem(own, '--json')
      expect(code).toBe(0)
      const daysBack = (Date.now() - new Date(JSON.parse(out).fra).getTime()) / DAY_MS
      expect(daysBack).toBeGreaterThan(30.2)
      await aheadOfPostgres(own, '40 days')
      expect(await avstem(own)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('tiden_er_ukjent'),
      })
    } finally {
      await own.close()
    }
  })

  test('P74: attack: what is given back while others are looked up is no difference', async () => {
    const own = await createTestDatabase()
    const shop = openShop({ db: own.database, vipps, mailUrl: mail.url, changes: hasty })
    const client = createVipps({
      baseUrl: vipps.url,
      ...vipps.credentials,
      systemName: 'test',
      systemVersion: '1',
      clock: systemClock,
      deadlineMs: 10_000,
    })
    try {
      const { ordre } = await shop.sales.placeOrder({
        epost: `${randomBytes(4).toString('hex')}@example.no`,
        vilkaarGodtatt: true,
        idempotensToken: randomBytes(24).toString('base64url'),
      })
      const reference = vipps.payments.all().at(-1)?.reference ?? ''
      vipps.approve(reference)
      await shop.goOn()
      const number = (await shop.sales.readOrder(ordre))?.nummer ?? ''
      const slow = {
        async getPayment(asked: string, call: { signal: AbortSignal }) {
          await refundOrder({ db: own.database, clock: systemClock, policy: policy.sales }, number)
          await shop.goOn()
          return client.getPayment(asked, call)
        },
      }
      const told = await reconcile(
        {
          db: own.database,
          vipps: slow,
          merchant: vipps.credentials.merchantSerialNumber,
          policy: policy.sales,
          signal: new AbortController().signal,
        },
        { since: new Date(0), listed: [] },
      )
      expect(vipps.ledger().sums(reference).refunded.ore).toBe(PRICE)
      expect(told).toMatchObject({ sett: 1, iOrden: 1, avvik: [] })
    } finally {
      await shop.close()
      await client.close()
      await own.close()
    }
  })

  test.each([
    ['a file that is no list', ['--fil', 'package.json'], /Filen er ikke forstått/],
    ['a file that is not there', ['--fil', 'nowhere.csv'], /finnes ikke/],
    ['a day that is none', ['--fra', '2026-02-31x'], /--fra er en dato/],
    ['a day to come', ['--fra', '2999-01-01'], /--fra er en dato/],
  ])('%s is refused before Vipps is asked', async (_, options, why) => {
    const asked = vipps.calls().length
    expect(await avstem(restored, ...options)).toMatchObject({ code: 2, err: expect.stringMatching(why) })
    expect(vipps.calls().length).toBe(asked)
  })

  test('without access to Vipps it says so', async () => {
    const { code, err } = await runCommand({ DATABASE_URL: restored.url }, [
      'kunde',
      'avstem',
      '--hvorfor',
      'disken røk',
    ])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('VIPPS_CLIENT_ID') })
  })

  function avstem({ url }: TestDatabase, ...options: string[]): Promise<Outcome> {
    return runCommand({ DATABASE_URL: url, ...seller, ...vippsVariables(vipps), MILJO: 'test' }, [
      'kunde',
      'avstem',
      '--hvorfor',
      'disken røk',
      ...options,
    ])
  }

  /** Of two clocks nobody can say which is wrong: here it is the database that tells another time. */
  async function aheadOfPostgres({ url, database }: TestDatabase, by: string): Promise<void> {
    await database.query('create schema if not exists klokke')
    await database.query(
      `create or replace function klokke.clock_timestamp() returns timestamptz language sql
         as $$ select pg_catalog.clock_timestamp() - interval '${by}' $$`,
    )
    await database.query(
      `alter database ${new URL(url).pathname.slice(1)} set search_path = klokke, pg_catalog, public`,
    )
  }

  async function put(name: string, text: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }

  /** As the portal gives it today; two lines of another shop by the same sales unit. */
  function portalReport(): string {
    const line = (reference: string, kind: string) =>
      `22.11.2026,Eksempel,123456,Vipps Netthandel,5554795401,${reference},"499,00","492,51",${kind},2000001,23.11.2026,"985,02",15039794613,,,`
    return [
      'Salgsdato,Salgssted,Vippsnummer,Produkt,Transaksjons-ID,Ordre-ID,Brutto,Netto,Transaksjonstype,Oppgjørs-ID,Oppgjørsdato,Oppgjørssum,Oppgjørskonto,Fornavn,Etternavn,Melding',
      line(bought.kept, 'Salg'),
      line(bought.lost, 'Salg'),
      line(bought.held, 'Reservert'),
      line('1911652', 'Salg'),
      line('annen-butikk-7', 'Salg'),
      line('', 'Utbetaling'),
    ].join('\r\n')
  }

  function settlementInfo(): string {
    return [
      'OrganizationNumber,MerchantName',
      '918713867,Eksempel AS',
      'SettlementInfo,SalesUnitName,SaleUnitNumber,SettlementDate,SettlementID,SettlementAccount,Gross,Currency,Fee,Refund,Net,NumberOfTransactions',
      'SettlementInfo,Eksempel,123456,22.11.2026,2000001,15039794613,499.00,NOK,-6.49,0.00,492.51,1',
      'TransactionInfo,SalesDate,SaleUnitName,SaleUnitNumber,TransactionId,SettlementId,OrderID,SettlementDate,Gross,Currency,Fee,Refund,Net',
      `TransactionInfo,22.11.2026,Eksempel,123456,5554795401,2000001,${bought.lost},22.11.2026,499.00,NOK,-6.49,0.00,492.51`,
      'FeeInfo,SettlementDate,SaleUnitName,SaleUnitNumber,FeeAccount,Fee,Currency',
    ].join('\n')
  }

  function refundedFully() {
    const ore = (value: number) => ({ currency: 'NOK', value })
    return {
      aggregate: {
        authorizedAmount: ore(PRICE),
        capturedAmount: ore(PRICE),
        refundedAmount: ore(PRICE),
        cancelledAmount: ore(0),
      },
    }
  }
})

describe('P74: an order and its payment', () => {
  const order = { id: 'x', referanse: 'bo-0123456789-1', belopOre: PRICE, valuta: 'NOK', bilag: null }
  const payment = {
    reference: order.referanse,
    state: 'AUTHORIZED' as const,
    amountOre: PRICE,
    currency: 'NOK',
    merchantSerialNumber: null,
    pspReference: 'p',
    authorizedOre: PRICE,
    capturedOre: PRICE,
    refundedOre: 0,
    cancelledOre: 0,
    captureGuaranteedUntil: null,
  }
  const back = { ...payment, refundedOre: PRICE }
  const cancelled = { ...payment, capturedOre: 0, cancelledOre: PRICE }
  const aborted = { ...payment, state: 'ABORTED' as const, authorizedOre: 0, capturedOre: 0 }

  test.each<[OrderState | null, Parameters<typeof verdictOn>[1], string]>([
    ['fullfort', payment, 'i_orden'],
    ['fullfort', { ...payment, capturedOre: 0 }, 'ikke_trukket'],
    ['fullfort', back, 'refundert'],
    ['fullfort', { ...payment, currency: 'DKK' }, 'annen_betaling'],
    ['fullfort', { ...payment, merchantSerialNumber: '654321' }, 'annen_betaling'],
    ['fullfort', null, 'ukjent_hos_vipps'],
    ['utlopt', payment, 'betalt_uten_nokkel'],
    ['kansellert', back, 'i_orden'],
    ['kansellert', cancelled, 'i_orden'],
    ['avbrutt', null, 'i_orden'],
    ['sendt', null, 'underveis'],
    [null, payment, 'betalt_uten_ordre'],
    [null, back, 'i_orden'],
    [null, { ...payment, capturedOre: 0 }, 'reservert_uten_ordre'],
    [null, cancelled, 'i_orden'],
    [null, aborted, 'i_orden'],
    [null, null, 'ukjent_hos_vipps'],
  ])('here %s, and there another: %3$s', (tilstand, seen, verdict) => {
    expect(verdictOn(tilstand === null ? null : { ...order, tilstand }, seen, '123456')).toBe(verdict)
  })
})
