import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createWebhooks, type Webhooks } from '#src/sales/webhooks.ts'
import type { Vipps } from '#src/vipps/client.ts'
import type { WebhookEvent } from '#src/vipps/webhook-event.ts'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { signWebhook } from '../support/vipps-stand-in/sign-webhook.ts'
import { startVippsStandIn, type VippsStandIn } from '../support/vipps-stand-in.ts'
import { vippsAt } from '../vipps/asking.ts'

const DAY_MS = 24 * HOUR_MS
const signal = AbortSignal.timeout(30_000)

let db: TestDatabase
let standIn: VippsStandIn
let vipps: Vipps
let clock: TestClock
let server: Server
let heard: WebhookEvent[]
let webhooks: Webhooks
let address: string | null

beforeEach(async () => {
  clock = createTestClock()
  heard = []
  db = await createTestDatabase()
  standIn = await startVippsStandIn()
  vipps = vippsAt(standIn.url, standIn.credentials)
  webhooks = another()
  server = createServer(async (request, response) => {
    const rawBody = await buffer(request)
    const event = await webhooks.hear({ method: request.method ?? '', headers: request.headers, rawBody })
    if (event !== null) heard.push(event)
    response.writeHead(event === null ? 401 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/vipps/webhook`
})
afterEach(async () => {
  await vipps.close()
  await standIn.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await db.close()
})

/** As another process would have it. */
function another(): Webhooks {
  return createWebhooks({
    db: db.database,
    vipps,
    url: () => address,
    clock,
    log: pino({ level: 'silent' }),
    policy: policy.vipps,
  })
}

const registrations = () => standIn.webhooks.registrations()

describe('registrations for messages from Vipps', () => {
  it('there is one, and what it signs is heard', async () => {
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(1)
    expect(await standIn.webhooks.send({ reference: 'bo-ordre-1-1', name: 'AUTHORIZED' })).toBe(200)
    expect(heard).toMatchObject([{ reference: 'bo-ordre-1-1', name: 'AUTHORIZED' }])
  })

  it('P28: with any byte changed nothing is heard', async () => {
    await webhooks.keep({ signal })
    const changed = await standIn.webhooks.send({ name: 'AUTHORIZED' }, (request) => {
      const body = Buffer.from(request.body)
      body[body.length - 2] = (body.at(-2) ?? 0) ^ 1
      return { ...request, body }
    })
    expect(changed).toBe(401)
    expect(heard).toEqual([])
  })

  it('before there is one nothing is heard, and where messages are sent to is not guessed', async () => {
    expect(await webhooks.hear({ method: 'POST', headers: {}, rawBody: Buffer.from('{}') })).toBeNull()
    address = null
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(0)
  })

  it('however many processes look at once, there is one', async () => {
    await Promise.all(Array.from({ length: 10 }, () => another().keep({ signal })))
    expect(registrations()).toHaveLength(1)
  })

  it('is made again, within a day, when Vipps has deleted it', async () => {
    await webhooks.keep({ signal })
    standIn.webhooks.forget(registrations()[0]?.id ?? '')
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(0)
    clock.advance(DAY_MS + 1)
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(1)
    expect(await standIn.webhooks.send({ name: 'AUTHORIZED' })).toBe(200)
  })

  it('one whose secret nobody knows is replaced, and so is one that lacks an event', async () => {
    standIn.webhooks.register(address ?? '')
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(1)
    expect(await standIn.webhooks.send({ name: 'AUTHORIZED' })).toBe(200)

    await db.database.query('delete from vipps_webhook')
    const { id, secret } = standIn.webhooks.register(address ?? '', ['epayments.payment.created.v1'])
    await db.database.query(
      'insert into vipps_webhook (id, url, hemmelighet, registrert_at) values ($1, $2, $3, now())',
      [id, address, secret],
    )
    clock.advance(DAY_MS + 1)
    await webhooks.keep({ signal })
    expect(registrations().map((each) => each.id)).not.toContain(id)
    expect(registrations()).toHaveLength(1)
  })

  it('a new address is registered at once; what the old one signed is believed for a week', async () => {
    await webhooks.keep({ signal })
    const old = registrations()[0]
    address = `${address}/ny`
    await webhooks.keep({ signal })
    expect(registrations().map(({ url }) => url)).toEqual([address])

    const late = () => sent(old)
    expect(await late()).toBe(200)
    clock.advance(policy.vipps.webhookOverlapMs - 60_000)
    expect(await late()).toBe(200)
    clock.advance(120_000)
    expect(await late()).toBe(401)
  })

  it('P195: attack: in a process that heard one while the clock was ahead, what a registration made since has signed is heard', async () => {
    await another().keep({ signal })
    clock.advance(400 * DAY_MS)
    expect(await standIn.webhooks.send({ reference: 'bo-ordre-1-1', name: 'AUTHORIZED' })).toBe(200)
    clock.advance(-400 * DAY_MS)
    standIn.webhooks.forget(registrations()[0]?.id ?? '')
    clock.advance(DAY_MS + 1)
    await another().keep({ signal })
    expect(await standIn.webhooks.send({ reference: 'bo-ordre-1-1', name: 'CAPTURED' })).toBe(200)
    expect(heard).toHaveLength(2)
  })

  it('Vipps does not answer: it is tried again in minutes, not tomorrow', async () => {
    standIn.misbehave('listWebhooks', { kind: 'status', status: 500 }, { times: 1 })
    await expect(webhooks.keep({ signal })).rejects.toThrow()
    clock.advance(policy.vipps.webhookTurnMs + 1)
    await webhooks.keep({ signal })
    expect(registrations()).toHaveLength(1)
  })
})

/** A message signed with the secret of a registration that is no more. */
async function sent(old: { url: string; secret: string } | undefined): Promise<number> {
  const body = Buffer.from(
    JSON.stringify({
      msn: '654321',
      reference: 'bo-ordre-9-1',
      pspReference: 'psp-1',
      name: 'AUTHORIZED',
      amount: { currency: 'NOK', value: 100 },
      timestamp: '2026-11-21T10:00:00Z',
      success: true,
    }),
  )
  const headers = signWebhook({ url: old?.url ?? '', body, secret: old?.secret ?? '', date: new Date() })
  const answer = await fetch(old?.url ?? '', { method: 'POST', headers, body })
  return answer.status
}
