import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestClock, MINUTE_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from '../support/operators.ts'
import { type ShopService, startShopService } from '../support/shop-service.ts'

const clock = createTestClock()
let service: ShopService
beforeAll(async () => {
  service = await startShopService({ clock })
})
afterAll(() => service.close())

it('P29: attack: Vipps tells of a payment and can not be asked about it: that a buyer waits is told as of any other', async () => {
  await eventually('Vipps knows whom to tell', async () => {
    const rows = await service.storage.database.query('select from vipps_webhook')
    return rows.length > 0
  })
  const operator = await logIn(service.storage, service.opsAddress, { navn: 'Leser', rolle: 'lese' })
  const form = { epost: 'kjoper@example.no', skjema: randomBytes(24).toString('base64url'), vilkaar: 'ja' }
  const pressed = await fetch(`${service.address}/kjop/betal`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin: service.address },
    redirect: 'manual',
  })
  expect(pressed.status).toBe(303)
  const [payment] = service.vipps.payments.all()
  expect(await secondsWaited()).toBe(0)
  service.vipps.misbehave('get', { kind: 'status', status: 500 })
  service.vipps.approve(payment?.reference ?? '')
  await eventually('Vipps has told of it', async () => {
    const told = await service.storage.database.query('select from betalingshendelse')
    return told.length > 0
  })
  clock.advance(16 * MINUTE_MS)
  await eventually('it is told how long the buyer has waited', async () => (await secondsWaited()) >= 900)
  const { galt } = JSON.parse((await operator.get('/oversikt.json')).text)
  expect(galt).toContainEqual(expect.stringMatching(/^En betalt ordre har ventet på nøkkelen siden /))
  service.vipps.behave()
  clock.advance(MINUTE_MS)
  await service.mail.waitForMails({ count: 1, to: form.epost })
  await eventually('nobody waits', async () => (await secondsWaited()) === 0)
})

async function secondsWaited(): Promise<number> {
  const metrics = await (await fetch(`${service.opsAddress}/metrics`)).text()
  const [, seconds] = /^bedriftsoppslag_order_oldest_undelivered_seconds (\S+)$/m.exec(metrics) ?? []
  return Number(seconds)
}
