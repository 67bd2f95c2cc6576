import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import { createTestClock, MINUTE_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { logIn, type TestOperator } from '../support/operators.ts'
import { type ShopService, startShopService } from '../support/shop-service.ts'

const clock = createTestClock()
let service: ShopService
let operator: TestOperator
beforeAll(async () => {
  service = await startShopService({ clock })
  operator = await logIn(service.storage, service.opsAddress, { navn: 'Leser', rolle: 'lese' })
})
afterAll(() => service.close())

it('P32: attack: the last mail that was not taken is given up, and nobody is mailed since: that none is taken is told no more', async () => {
  await service.mail.down()
  await fetch(`${service.address}/bytt-nokkel`, {
    method: 'POST',
    body: new URLSearchParams({ epost: 'a@example.com', grunn: 'lekket' }),
    headers: { origin: service.address },
    redirect: 'manual',
  })
  await eventually('it was tried', async () => (await attempts('temporary')) > 0)
  clock.advance(4 * DAY_MS)
  await eventually('operators are told, as of the last try', async () => (await wrongWithMail()).length === 1)
  await eventually('it is given up', async () => {
    const waiting = await service.storage.database.query('select from utboks where ferdig_at is null')
    return waiting.length === 0
  })
  clock.advance(4 * HOUR_MS)
  await eventually('nothing waits, and nothing is told', async () => (await wrongWithMail()).length === 0)
  await service.mail.up()
})

it('P32: attack: a mail server is away that no paid order waits for: operators and Prometheus are told, until it takes mails again', async () => {
  await service.mail.down()
  const failed = await attempts('temporary')
  const sent = await fetch(`${service.address}/bytt-nokkel`, {
    method: 'POST',
    body: new URLSearchParams({ epost: 'a@example.com', grunn: 'lekket' }),
    headers: { origin: service.address },
    redirect: 'manual',
  })
  expect(sent.status).toBe(303)
  await eventually('it was tried', async () => (await attempts('temporary')) > failed)
  expect(await wrongWithMail()).toEqual([])
  clock.advance(31 * MINUTE_MS)
  await eventually('operators are told', async () => (await wrongWithMail()).length === 1)
  await service.mail.up()
  clock.advance(31 * MINUTE_MS)
  await eventually('it is taken', async () => (await attempts('accepted')) > 0)
  await eventually('it is over', async () => (await wrongWithMail()).length === 0)
})

async function attempts(outcome: string): Promise<number> {
  const metrics = await (await fetch(`${service.opsAddress}/metrics`)).text()
  const [, count] =
    new RegExp(`^bedriftsoppslag_mails_total{utfall="${outcome}"} (\\d+)$`, 'm').exec(metrics) ?? []
  return Number(count)
}

async function wrongWithMail(): Promise<string[]> {
  const { galt } = JSON.parse((await operator.get('/oversikt.json')).text)
  return galt.filter((each: string) => each.startsWith('E-postserveren har ikke tatt imot noe siden '))
}
