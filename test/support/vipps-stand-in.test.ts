import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestClock, MINUTE_MS } from './clock.ts'
import { eventually } from './eventually.ts'
import { signWebhook } from './vipps-stand-in/sign-webhook.ts'
import { startVippsStandIn, type VippsStandIn } from './vipps-stand-in.ts'

const clock = createTestClock()
let standIn: VippsStandIn
let token: string

beforeEach(async () => {
  standIn = await startVippsStandIn({ clock, retryWaitsMs: [1] })
  token = await getToken()
})

afterEach(() => standIn.close())

async function getToken(): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = standIn.credentials
  const answer = await fetch(`${standIn.url}/accesstoken/get`, {
    method: 'POST',
    headers: { client_id, client_secret, ...salesUnit() },
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

const salesUnit = () => ({
  'ocp-apim-subscription-key': standIn.credentials.subscriptionKey,
  'merchant-serial-number': standIn.credentials.merchantSerialNumber,
})

/** One call, as plain as it can be made. */
async function ask(path: string, body?: object, key = 'nokkel-1', method = body ? 'POST' : 'GET') {
  const answer = await fetch(standIn.url + path, {
    method,
    headers: { ...salesUnit(), authorization: `Bearer ${token}`, 'idempotency-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await answer.text()
  const json = text === '' ? null : (JSON.parse(text) as Record<string, unknown>)
  const details = (json?.extraDetails ?? []) as { reason: string }[]
  return { status: answer.status, json, errorCode: details[0]?.reason, headers: answer.headers }
}

const PAYMENTS = '/epayment/v1/payments'
const REFERENCE = 'bo-ordre-1-1'
const sum = (value: number) => ({ modificationAmount: { currency: 'NOK', value } })

function order(reference = REFERENCE, value = 49_900) {
  return {
    amount: { currency: 'NOK', value },
    paymentMethod: { type: 'WALLET' },
    reference,
    userFlow: 'WEB_REDIRECT',
    returnUrl: 'http://127.0.0.1:1/ordre/1?a=1&b=<2>',
    paymentDescription: 'Nøkkel & "mer" <b>',
  }
}

async function approved(reference = REFERENCE) {
  await ask(PAYMENTS, order(reference), `opprett-${reference}`)
  standIn.approve(reference)
  return `${PAYMENTS}/${reference}`
}

describe('the interface', () => {
  test('takes a token that it gave out, for as long as it lives, and the keys of its sales unit', async () => {
    expect((await ask(PAYMENTS, order())).status).toBe(201)
    clock.advance(3600_000)
    expect((await ask(`${PAYMENTS}/${REFERENCE}`)).status).toBe(401)
    token = await getToken()
    expect((await ask(`${PAYMENTS}/${REFERENCE}`)).status).toBe(200)
    standIn.revokeTokens()
    expect((await ask(`${PAYMENTS}/${REFERENCE}`)).status).toBe(401)
    const stranger = await fetch(`${standIn.url}/accesstoken/get`, { method: 'POST', headers: salesUnit() })
    expect(stranger.status).toBe(401)
  })

  test('refuses a field it does not know, a wrong sum, and a change without a key', async () => {
    expect(await ask(PAYMENTS, { ...order(), ekstra: 1 })).toMatchObject({ status: 400 })
    expect(await ask(PAYMENTS, order(REFERENCE, 99), 'b')).toMatchObject({ status: 400, errorCode: '6010' })
    expect(await ask(PAYMENTS, order('kort'), 'c')).toMatchObject({ status: 400 })
    expect(await ask(PAYMENTS, order(), '')).toMatchObject({ status: 400 })
    expect(standIn.payments.all()).toEqual([])
  })

  test('gives the same answer to the same key, also a refusal, and refuses another body under it', async () => {
    await ask(PAYMENTS, order())
    const path = `${PAYMENTS}/${REFERENCE}`
    expect(await ask(`${path}/capture`, sum(100), 'trekk')).toMatchObject({ status: 400, errorCode: '6080' })
    standIn.approve(REFERENCE)
    expect(await ask(`${path}/capture`, sum(100), 'trekk')).toMatchObject({ status: 400, errorCode: '6080' })
    expect(await ask(`${path}/capture`, sum(100), 'trekk-2')).toMatchObject({ status: 200 })
    expect(await ask(`${path}/capture`, sum(100), 'trekk-2')).toMatchObject({ status: 200 })
    expect(await ask(`${path}/capture`, sum(200), 'trekk-2')).toMatchObject({ status: 409 })
    expect(standIn.ledger().sums().captured).toEqual({ times: 1, ore: 100 })
  })

  test('a reference is taken once', async () => {
    await ask(PAYMENTS, order())
    expect(await ask(PAYMENTS, order(), 'en-annen')).toMatchObject({ status: 409, errorCode: '4150' })
  })

  test('counts calls for each payment and minute, when told to', async () => {
    await standIn.close()
    standIn = await startVippsStandIn({ clock, withRateLimits: true })
    token = await getToken()
    const path = await approved()
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) statuses.push((await ask(`${path}/capture`, sum(1), `t-${n}`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await ask(`${path}/capture`, sum(1), 't-7')).headers.get('retry-after')).toBe('60')
    clock.advance(MINUTE_MS)
    expect((await ask(`${path}/capture`, sum(1), 't-8')).status).toBe(200)
  })
})

describe('the money', () => {
  test('captured and cancelled together are never more than reserved, refunded never more than captured', async () => {
    const path = await approved()
    expect(await ask(`${path}/capture`, sum(50_000), 'a')).toMatchObject({ errorCode: '6090' })
    expect(await ask(`${path}/refund`, sum(1), 'b')).toMatchObject({ errorCode: '6210' })
    await ask(`${path}/capture`, sum(40_000), 'c')
    expect((await ask(`${path}/cancel`, {}, 'd')).json).toMatchObject({
      state: 'AUTHORIZED',
      aggregate: {
        authorizedAmount: { value: 49_900 },
        capturedAmount: { value: 40_000 },
        cancelledAmount: { value: 9900 },
      },
    })
    expect(await ask(`${path}/capture`, sum(1), 'e')).toMatchObject({ errorCode: '6070' })
    expect(await ask(`${path}/refund`, sum(40_001), 'f')).toMatchObject({ errorCode: '6150' })
    await ask(`${path}/refund`, sum(40_000), 'g')
    expect(await ask(`${path}/refund`, sum(1), 'h')).toMatchObject({ errorCode: '6180' })
    expect(standIn.ledger().entries.map(({ kind, amountOre }) => [kind, amountOre])).toEqual([
      ['reserved', 49_900],
      ['captured', 40_000],
      ['cancelled', 9900],
      ['refunded', 40_000],
    ])
  })

  test('what is captured whole is neither captured nor cancelled again', async () => {
    const path = await approved()
    await ask(`${path}/capture`, sum(49_900), 'a')
    expect(await ask(`${path}/capture`, sum(49_900), 'b')).toMatchObject({ errorCode: '6170' })
    expect(await ask(`${path}/cancel`, {}, 'c')).toMatchObject({ errorCode: '6040' })
  })

  test('of a payment that was refused or has expired there is none', async () => {
    await ask(PAYMENTS, order('bo-avvist-1'), 'a')
    await ask(PAYMENTS, order('bo-utlopt-1'), 'b')
    standIn.refuse('bo-avvist-1')
    clock.advance(10 * MINUTE_MS)
    expect((await ask(`${PAYMENTS}/bo-avvist-1`)).json).toMatchObject({ state: 'ABORTED' })
    expect((await ask(`${PAYMENTS}/bo-utlopt-1`)).json).toMatchObject({ state: 'EXPIRED' })
    expect(() => standIn.approve('bo-utlopt-1')).toThrow('EXPIRED')
    expect(await ask(`${PAYMENTS}/bo-avvist-1/capture`, sum(1), 'c')).toMatchObject({ errorCode: '6200' })
    expect(standIn.ledger().entries).toEqual([])
  })
})

describe('told to misbehave', () => {
  test('does the work or leaves it, and loses the answer', async () => {
    const path = await approved()
    standIn.misbehave('capture', { kind: 'reset' }, { times: 1 })
    await expect(ask(`${path}/capture`, sum(100), 'a')).rejects.toThrow()
    expect(standIn.ledger().sums().captured.times).toBe(0)
    standIn.misbehave('capture', { kind: 'reset', accepts: true }, { times: 1 })
    await expect(ask(`${path}/capture`, sum(100), 'a')).rejects.toThrow()
    expect(standIn.ledger().sums().captured.times).toBe(1)
    expect((await ask(`${path}/capture`, sum(100), 'a')).status).toBe(200)
    expect(standIn.ledger().sums().captured.times).toBe(1)
  })

  test('a lock passes, a refusal stays with its key', async () => {
    const path = await approved()
    standIn.misbehave('capture', { kind: 'locked' }, { times: 1 })
    expect(await ask(`${path}/capture`, sum(100), 'a')).toMatchObject({ status: 423, errorCode: '6160' })
    expect(await ask(`${path}/capture`, sum(100), 'a')).toMatchObject({ status: 200 })
    standIn.misbehave('capture', { kind: 'refused', errorCode: 6100 }, { times: 1 })
    expect(await ask(`${path}/capture`, sum(100), 'b')).toMatchObject({ status: 400, errorCode: '6100' })
    expect(await ask(`${path}/capture`, sum(100), 'b')).toMatchObject({ status: 400, errorCode: '6100' })
  })

  test('for one payment leaves the others alone, and behaves again when told', async () => {
    const [one, other] = [await approved('bo-ordre-1-1'), await approved('bo-ordre-2-1')]
    standIn.misbehave('get', { kind: 'status', status: 503 }, { reference: 'bo-ordre-1-1' })
    expect([(await ask(one)).status, (await ask(other)).status]).toEqual([503, 200])
    standIn.behave()
    expect((await ask(one)).status).toBe(200)
  })
})

describe('the page where one decides', () => {
  const landing = async () => ((await ask(PAYMENTS, order())).json as { redirectUrl: string }).redirectUrl

  test.each([
    ['godkjenn', 'AUTHORIZED'],
    ['avvis', 'ABORTED'],
  ])('%s is a plain form that leads back, and the choice is made once', async (act, state) => {
    const url = await landing()
    const page = await (await fetch(url)).text()
    expect(page).toContain(`action="${new URL(url).pathname}/${act}"`)
    expect(page).toContain('Nøkkel &#38; &#34;mer&#34; &#60;b&#62;')
    expect(page).toMatch(/499,00 NOK/)
    expect(page).not.toContain('<script')

    const chosen = await fetch(`${url}/${act}`, { method: 'POST', redirect: 'manual' })
    expect(chosen.status).toBe(303)
    expect(chosen.headers.get('location')).toBe(order().returnUrl)
    expect(standIn.payments.find(REFERENCE)?.state).toBe(state)
    const again = await fetch(`${url}/godkjenn`, { method: 'POST', redirect: 'manual' })
    expect(again.status).toBe(410)
    expect(await again.text()).toContain('Tilbake til butikken')
    expect(standIn.payments.find(REFERENCE)?.state).toBe(state)
  })

  test('looking at it decides nothing', async () => {
    const url = await landing()
    await fetch(`${url}/godkjenn`)
    expect(standIn.payments.find(REFERENCE)?.state).toBe('CREATED')
  })

  test('the list shows what became of each payment', async () => {
    expect(await (await fetch(`${standIn.url}/betalinger`)).text()).toContain('Ingen betalinger')
    await approved()
    const list = await (await fetch(standIn.url)).text()
    expect(list).toContain(REFERENCE)
    expect(list).toContain('godkjent')
  })
})

describe('webhooks', () => {
  type Received = { name: string; reference: string; headers: IncomingHttpHeaders; raw: Buffer }
  let received: Received[]
  let answer: (one: Received) => number
  let listener: Awaited<ReturnType<typeof listen>>

  beforeEach(async () => {
    received = []
    answer = () => 200
    listener = await listen()
    standIn.webhooks.register(listener.url)
  })
  afterEach(() => listener.close())

  async function listen() {
    const server = createServer(async (request, response) => {
      const raw = Buffer.concat(await request.toArray())
      const one = { ...(JSON.parse(raw.toString()) as Received), headers: request.headers, raw }
      received.push(one)
      response.writeHead(answer(one)).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/vipps?en=1`,
      async close() {
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeAllConnections()
        await closed
      },
    }
  }

  const names = () => received.map(({ name }) => name)

  test('are delivered at once, signed, in the documented shape', async () => {
    await approved()
    await standIn.webhooks.settled()
    expect(names()).toEqual(['CREATED', 'AUTHORIZED'])
    const [, event] = received
    expect(JSON.parse(String(event?.raw))).toEqual({
      msn: '123456',
      reference: REFERENCE,
      pspReference: expect.any(String),
      name: 'AUTHORIZED',
      amount: { currency: 'NOK', value: 49_900 },
      timestamp: clock.now().toISOString(),
      success: true,
    })
    const secret = standIn.webhooks.registrations()[0]?.secret ?? ''
    const body = event?.raw ?? Buffer.alloc(0)
    expect(event?.headers).toMatchObject(signWebhook({ url: listener.url, body, secret, date: clock.now() }))
  })

  test('one that is not taken is sent again, and the next of its payment waits behind it', async () => {
    let failures = 3
    answer = ({ name }) => (name === 'CREATED' && failures-- > 0 ? 500 : 200)
    await approved()
    await standIn.webhooks.settled()
    expect(names()).toEqual(['CREATED', 'CREATED', 'CREATED', 'CREATED', 'AUTHORIZED'])
    expect(standIn.webhooks.deliveries().map(({ answers }) => answers)).toEqual([[500, 500, 500, 200], [200]])
  })

  test('one payment that is stuck does not hold another', async () => {
    answer = ({ reference }) => (reference === 'bo-ordre-1-1' ? 500 : 200)
    await approved('bo-ordre-1-1')
    await approved('bo-ordre-2-1')
    await eventually('the other one is told of', () =>
      received.some(({ name, reference }) => name === 'AUTHORIZED' && reference === 'bo-ordre-2-1'),
    )
    answer = () => 200
    await standIn.webhooks.settled()
  })

  test('are held, turned round, doubled and sent together when told to', async () => {
    standIn.webhooks.hold()
    await approved()
    await ask(`${PAYMENTS}/${REFERENCE}/capture`, sum(49_900), 'trekk')
    expect(standIn.webhooks.held()).toHaveLength(3)
    const order = standIn.webhooks.deliverHeld({ order: (held) => held.toReversed(), times: 2 })
    expect(await order).toEqual([200, 200, 200, 200, 200, 200])
    expect(names()).toEqual(['CAPTURED', 'CAPTURED', 'AUTHORIZED', 'AUTHORIZED', 'CREATED', 'CREATED'])
    expect(standIn.webhooks.held()).toEqual([])
  })

  test('what was not taken while held goes on waiting, and is delivered on release', async () => {
    standIn.webhooks.hold()
    await approved()
    answer = () => 503
    expect(await standIn.webhooks.deliverHeld({ together: true })).toEqual([503, 503])
    answer = () => 200
    standIn.webhooks.release()
    await standIn.webhooks.settled()
    expect(names().slice(2)).toEqual(['CREATED', 'AUTHORIZED'])
  })

  test('come so many times, or never, when told to', async () => {
    standIn.webhooks.duplicate(3)
    await ask(PAYMENTS, order())
    await standIn.webhooks.settled()
    expect(names()).toEqual(['CREATED', 'CREATED', 'CREATED'])
    standIn.webhooks.never()
    standIn.approve(REFERENCE)
    standIn.webhooks.release()
    await standIn.webhooks.settled()
    expect(names()).toHaveLength(3)
  })

  test('are sent to none that did not ask for the event, nor to one that was forgotten', async () => {
    const [first] = standIn.webhooks.registrations()
    standIn.webhooks.forget(first?.id ?? '')
    standIn.webhooks.register(listener.url, ['epayments.payment.authorized.v1'])
    await approved()
    await standIn.webhooks.settled()
    expect(names()).toEqual(['AUTHORIZED'])
  })

  test('a test may send any event, and spoil it after it was signed', async () => {
    const spoilt = await standIn.webhooks.send({ reference: 'aldri-sett-1' }, (request) => ({
      ...request,
      // By its name: a reference may have the same digits.
      body: Buffer.from(request.body.toString().replace('"value":100', '"value":900')),
    }))
    expect(spoilt).toBe(200)
    expect(received[0]).toMatchObject({
      reference: 'aldri-sett-1',
      name: 'AUTHORIZED',
      amount: { value: 900 },
    })
  })

  test('closing ends a delivery that is never taken', async () => {
    answer = () => 500
    await approved()
    await eventually('it is tried', () => received.length > 2)
    await standIn.close()
  })
})
