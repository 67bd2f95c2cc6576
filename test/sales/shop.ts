import { pino } from 'pino'
import { policy } from '#config/policy.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { contentOf } from '#src/mail/templates/content-of.ts'
import { openMail } from '#src/mail/transport.ts'
import type { SalesPolicy } from '#src/sales/context.ts'
import type { Offer } from '#src/sales/ports.ts'
import { createSales, type Sales } from '#src/sales/sales.ts'
import type { Reached } from '#src/sales/steps.ts'
import { createPayments } from '#src/sales/vipps-payments.ts'
import type { Database } from '#src/storage/database.ts'
import { createVipps } from '#src/vipps/client.ts'
import type { VippsStandIn } from '#test/support/vipps-stand-in.ts'

export type TestShop = {
  sales: Sales
  /** Lets everything go on until nothing is due at this time of the clock. */
  goOn(): Promise<void>
  close(): Promise<void>
}

export const offer: Offer = {
  product: 'API-nøkkel, ett år',
  english: { product: 'API key, one year', vatText: 'Of which VAT 25 %: NOK 99.80' },
  priceOre: 49_900,
  currency: 'NOK',
  miljo: 'test',
  seller: {
    name: 'Oppslag Eksempel AS',
    organisationNumber: '999 999 999 MVA',
    address: 'Prøvegata 1, 0001 Oslo',
    vatText: 'Herav mva. 25 %: 99,80 kr',
  },
}

const letterhead = {
  name: 'Oppslag',
  publicUrl: 'http://127.0.0.1',
  replaceUrl: 'http://127.0.0.1/nokkel',
  keysUrl: 'http://127.0.0.1/nokler',
  contact: 'hjelp@example.no',
}

/** A sale in which nobody waits long: a test has no patience. */
export const hasty: Partial<SalesPolicy> = {
  pollFirstMs: 0,
  pollEveryMs: 50,
  leaseMs: 1500,
  mailDeadlineMs: 1000,
  mailRetryMs: [100],
  moneyRetryMs: [50],
  otherAddressMs: 100,
}

/**
 * The sale over a real database, a Vipps that is a stand-in, and a real mail server. Its clock is the test's; those it deals with
 * answer in time on a busy machine too, unless a test shortens what they have.
 */
export function openShop({
  db,
  vipps,
  mailUrl,
  clock = systemClock,
  reached = () => {},
  changes = {},
  sold = offer,
  ring = async () => {},
}: {
  db: Database
  vipps: Pick<VippsStandIn, 'url' | 'credentials'>
  mailUrl: string
  clock?: Clock
  reached?: Reached
  changes?: Partial<SalesPolicy>
  sold?: Offer
  ring?: (subject: string) => Promise<void>
}): TestShop {
  const log = pino({ level: 'silent' })
  const { mailDeadlineMs } = { ...policy.sales, ...changes }
  const client = createVipps({
    baseUrl: vipps.url,
    ...vipps.credentials,
    systemName: 'test',
    systemVersion: '1',
    clock,
    deadlineMs: mailDeadlineMs,
  })
  const mail = openMail({
    smtpUrl: mailUrl,
    dataDir: '.',
    from: { name: 'Oppslag', address: 'nokler@example.no' },
    replyTo: null,
    bounceAddress: null,
    dkim: null,
    policy: { ...policy.mail, finishMs: 0 },
    log,
  })
  const sales = createSales({
    db,
    clock,
    log,
    shop: {
      payments: createPayments(client, vipps.credentials.merchantSerialNumber),
      offer: sold,
      isOpen: true,
    },
    post: {
      async send(letter, call) {
        const { to, messageId } = letter
        const { outcome } = await mail.send({ to, messageId, ...contentOf(letter, letterhead) }, call)
        return outcome
      },
    },
    testKeys: { mint: () => null, fingerprintOf: () => null, networkFingerprintOf: () => null },
    links: {
      order: (token, sprak) => `http://127.0.0.1/ordre/${token}${sprak === null ? '' : `?lang=${sprak}`}`,
      replace: (token) => `http://127.0.0.1/nokkel/erstatt/${token}`,
      renew: (token) => `http://127.0.0.1/nokkel/forny/${token}`,
      endpoints: () => 'https://oppslag.selger.example/endepunkter',
    },
    mailDomain: mail.domain,
    policy: { ...policy.sales, ...changes },
    reached,
    ring,
  })
  const call = { signal: new AbortController().signal }
  return {
    sales,
    async goOn() {
      for (let turn = 0; turn < 4; turn += 1) {
        await sales.checkPayments(call)
        await sales.runErrands(call)
      }
    },
    async close() {
      await mail.close()
      await client.close()
    },
  }
}
