import { pino } from 'pino'
import { expect } from 'vitest'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyIn, linkIn, startMailServer } from '#test/support/mail-server.ts'
import { startVippsStandIn } from '#test/support/vipps-stand-in.ts'
import { keepSales } from '#workers/keep-sales.ts'
import { newToken, tokenOf, verifierOf } from './keyholders.ts'
import { openShop } from './shop.ts'

const WITHIN_MS = 150_000

/**
 * A shop in which so many orders wait that nobody pays, in real time and by the policy as it is. Vipps sends no message, takes 200 ms
 * for each of its answers, and knows of none of their payments.
 */
export async function openFloodedShop({ unpaid }: { unpaid: number }) {
  const [storage, vipps, mail] = await Promise.all([
    createTestDatabase(),
    startVippsStandIn(),
    startMailServer(),
  ])
  const shop = openShop({ db: storage.database, vipps, mailUrl: mail.url })
  vipps.webhooks.never()
  vipps.misbehave('alle', { kind: 'late', byMs: 200 })
  const log = pino({ level: 'silent' })
  const working = keepSales(shop.sales, { webhooks: null, log, policy: policy.sales })
  await storage.database.query(
    `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
       laget_at, endret_at, neste_sjekk_at)
     select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-flom' || n || '-1', 'opprettet', n || '@example.no', 'test',
       'x', 49900, 'NOK', now(), now(), now(), now() from generate_series(1, $1) n`,
    [unpaid],
  )
  const mailsTo = (epost: string) => mail.mails.filter(({ envelope }) => envelope.to === epost)
  const keysTo = (epost: string) => mailsTo(epost).flatMap((one) => keyIn(one) ?? [])
  const linksTo = (epost: string) =>
    mailsTo(epost).flatMap((one) => linkIn(one, 'http://127.0.0.1/nokkel/erstatt/') ?? [])

  async function secondsUntil(what: string, isSo: () => boolean): Promise<number> {
    const begun = performance.now()
    await eventually(what, isSo, WITHIN_MS)
    return Math.round((performance.now() - begun) / 100) / 10
  }

  return {
    /** @returns seconds from when the payment was approved to the key */
    async buy(epost: string, { approvedAfter = async () => {} } = {}): Promise<number> {
      const { ordre } = await shop.sales.placeOrder({
        epost,
        vilkaarGodtatt: true,
        idempotensToken: newToken(),
      })
      await approvedAfter()
      vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
      return secondsUntil('the key is mailed', () => keysTo(epost).length > 0)
    },

    /** Whose key leaked says so: it is over when the link is confirmed. @returns seconds to the link, and from there to the new key */
    async replaceLeaked(epost: string): Promise<[number, number]> {
      const key = keysTo(epost).at(-1) ?? ''
      await shop.sales.requestReplacement(epost, 'lekket')
      const toLink = await secondsUntil('the link is mailed', () => linksTo(epost).length > 0)
      const confirmed = await shop.sales.confirmReplacement(tokenOf(linksTo(epost).at(-1) ?? ''))
      expect(confirmed).toMatchObject({ utfall: 'sendes' })
      const verifier = verifierOf({ storage, clock: systemClock })
      expect(await verifier.verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
      const toKey = await secondsUntil('the new key is mailed', () => keysTo(epost).at(-1) !== key)
      expect(await verifier.verify(keysTo(epost).at(-1) ?? '')).toMatchObject({ ok: true })
      return [toLink, toKey]
    },

    async close(): Promise<void> {
      await working.close()
      await shop.close()
      await Promise.all([mail.close(), vipps.close()])
      await storage.close()
    },
  }
}
