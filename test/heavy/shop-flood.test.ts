import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { keepSales } from '#workers/keep-sales.ts'
import { openShop } from '../sales/shop.ts'
import { createTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { keyIn, startMailServer } from '../support/mail-server.ts'
import { startVippsStandIn } from '../support/vipps-stand-in.ts'

const UNPAID = 2000
const ROUNDS = 3

/** Real time, and the policy as it is. The flood's payments were never made at Vipps, which is as slow to say so. */
test('P29: with 2,000 unpaid orders waiting, no message of Vipps coming and 200 ms for each of its answers, keys come within 60 s', async () => {
  const [storage, vipps, mail] = await Promise.all([
    createTestDatabase(),
    startVippsStandIn(),
    startMailServer(),
  ])
  const shop = openShop({ db: storage.database, vipps, mailUrl: mail.url })
  vipps.webhooks.never()
  vipps.misbehave('alle', { kind: 'late', byMs: 200 })
  const working = keepSales(shop.sales, {
    webhooks: null,
    log: pino({ level: 'silent' }),
    policy: policy.sales,
  })
  try {
    await storage.database.query(
      `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at,
         laget_at, endret_at, neste_sjekk_at)
       select lpad(n::text, 10, '0'), sha256(n::text::bytea), 'bo-flom' || n || '-1', 'opprettet', n || '@example.no', 'test',
         'x', 49900, 'NOK', now(), now(), now(), now() from generate_series(1, $1) n`,
      [UNPAID],
    )
    const seconds: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const epost = `kjoper-${round}@example.no`
      const { ordre } = await shop.sales.placeOrder({
        epost,
        vilkaarGodtatt: true,
        idempotensToken: randomBytes(24).toString('base64url'),
      })
      await pause(5000 * round)
      vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
      const begun = performance.now()
      const hasKey = () => mail.mails.some((one) => one.envelope.to === epost && keyIn(one) !== null)
      await eventually('the key is mailed', hasKey, 150_000)
      seconds.push(Math.round((performance.now() - begun) / 100) / 10)
    }
    process.stdout.write(`seconds from approval to key: ${seconds.join(', ')}\n`)
    expect(Math.max(...seconds)).toBeLessThan(60)
  } finally {
    await working.close()
    await shop.close()
    await Promise.all([mail.close(), vipps.close()])
    await storage.close()
  }
}, 600_000)
