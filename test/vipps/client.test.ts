import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askedBy } from '#src/core/asker.ts'
import type { Vipps } from '#src/vipps/client.ts'
import { VippsAlreadyDoneError, VippsOurFaultError, VippsUnknownError } from '#src/vipps/errors.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { failureOf, payment, vippsAt } from './asking.ts'

let standIn: VippsStandIn
let vipps: Vipps

beforeEach(async () => {
  standIn = await startVippsStandIn()
  vipps = vippsAt(standIn.url, standIn.credentials)
})

afterEach(async () => {
  await vipps.close()
  await standIn.close()
})

const sum = { amountOre: 49_900, currency: 'NOK' }

test('P45: attack: however many orders one network has made and let go, another’s payment is made between them', async () => {
  standIn.misbehave('alle', { kind: 'late', byMs: 20 })
  let done = 0
  const crowd = Array.from({ length: 300 }, () =>
    askedBy('198.51.100.7', () => vipps.createPayment(payment())).then(() => {
      done += 1
    }),
  )
  const { redirectUrl } = await askedBy('203.0.113.9', () => vipps.createPayment(payment()))
  expect(redirectUrl).toContain(standIn.url)
  expect(done).toBeLessThan(250)
  await Promise.all(crowd)
})

describe('a payment', () => {
  test('is created, approved, captured and refunded, and read back after each', async () => {
    const asked = payment()
    const { reference } = asked
    const { redirectUrl } = await vipps.createPayment(asked)
    expect(redirectUrl).toMatch(new RegExp(`^${standIn.url}/betal/`))
    expect(await vipps.getPayment(reference)).toEqual({
      reference,
      state: 'CREATED',
      amountOre: 49_900,
      currency: 'NOK',
      merchantSerialNumber: null,
      pspReference: expect.any(String),
      authorizedOre: 0,
      capturedOre: 0,
      refundedOre: 0,
      cancelledOre: 0,
      captureGuaranteedUntil: null,
    })

    standIn.approve(reference)
    expect(await vipps.getPayment(reference)).toMatchObject({
      state: 'AUTHORIZED',
      authorizedOre: 49_900,
      captureGuaranteedUntil: expect.any(Date),
    })

    await vipps.capture({ reference, ...sum, idempotencyKey: 'trekk-1' })
    await vipps.refund({ reference, amountOre: 100, currency: 'NOK', idempotencyKey: 'tilbake-1' })
    expect(await vipps.getPayment(reference)).toMatchObject({
      state: 'AUTHORIZED',
      capturedOre: 49_900,
      refundedOre: 100,
    })
    expect(await vipps.listEvents(reference)).toMatchObject([
      { name: 'CREATED', idempotencyKey: asked.idempotencyKey, isSuccess: true },
      { name: 'AUTHORIZED', amountOre: 49_900, currency: 'NOK', occurredAt: expect.any(Date) },
      { name: 'CAPTURED', idempotencyKey: 'trekk-1' },
      { name: 'REFUNDED', amountOre: 100, idempotencyKey: 'tilbake-1' },
    ])
  })

  test('that is cancelled gives the money back; before approval it is over', async () => {
    const [approved, waiting] = [payment(), payment()]
    await vipps.createPayment(approved)
    await vipps.createPayment(waiting)
    standIn.approve(approved.reference)
    await vipps.cancel({ reference: approved.reference, idempotencyKey: 'frigi-1' })
    await vipps.cancel({ reference: waiting.reference, idempotencyKey: 'frigi-2' })
    expect(await vipps.getPayment(approved.reference)).toMatchObject({
      state: 'AUTHORIZED',
      cancelledOre: 49_900,
    })
    expect(await vipps.getPayment(waiting.reference)).toMatchObject({ state: 'TERMINATED', cancelledOre: 0 })
  })

  test('that was approved meanwhile is not cancelled by whoever asked to cancel an unapproved one', async () => {
    const { reference, ...rest } = payment()
    await vipps.createPayment({ reference, ...rest })
    standIn.approve(reference)
    const cancelled = vipps.cancel({ reference, idempotencyKey: 'frigi-1', onlyUnapproved: true })
    expect(await failureOf(cancelled)).toMatchObject({ code: 'vipps_avslatt', errorCode: 6060 })
    expect(await vipps.getPayment(reference)).toMatchObject({ cancelledOre: 0 })
  })

  test('that nobody ever made is told apart from a failure', async () => {
    const error = await failureOf(vipps.getPayment('aldri-laget-1'))
    expect(error).toBeInstanceOf(VippsUnknownError)
    expect(error).toMatchObject({ status: 404, errorCode: 5090, traceId: expect.stringMatching(/^00-/) })
  })

  test('that differs from what was asked for is handed on as it was read: the comparison is not ours', async () => {
    const { reference, ...rest } = payment()
    await vipps.createPayment({ reference, ...rest })
    standIn.approve(reference)
    standIn.misbehave('get', { kind: 'wrongAmount', amountOre: 100 }, { times: 1 })
    expect(await vipps.getPayment(reference)).toMatchObject({ amountOre: 100, authorizedOre: 100 })
    standIn.misbehave('get', { kind: 'wrongCurrency', currency: 'DKK' }, { times: 1 })
    expect(await vipps.getPayment(reference)).toMatchObject({ currency: 'DKK' })
    standIn.misbehave('get', { kind: 'wrongMerchant', merchantSerialNumber: '999999' }, { times: 1 })
    expect(await vipps.getPayment(reference)).toMatchObject({ merchantSerialNumber: '999999' })
    standIn.misbehave('get', { kind: 'wrongReference', reference: 'en-annen-1' }, { times: 1 })
    expect(await vipps.getPayment(reference)).toMatchObject({ reference: 'en-annen-1' })
  })
})

describe('the same request again', () => {
  test('with the same key makes one payment and one capture', async () => {
    const asked = payment()
    const first = await vipps.createPayment(asked)
    expect(await vipps.createPayment(asked)).toEqual(first)
    expect(standIn.payments.all()).toHaveLength(1)

    standIn.approve(asked.reference)
    const capture = { reference: asked.reference, ...sum, idempotencyKey: 'trekk-1' }
    await Promise.all(Array.from({ length: 10 }, () => vipps.capture(capture)))
    expect(standIn.ledger().sums(asked.reference).captured).toEqual({ times: 1, ore: 49_900 })
  })

  test('with another key finds the reference taken, or the money captured', async () => {
    const asked = payment()
    const { reference } = asked
    await vipps.createPayment(asked)
    const again = await failureOf(vipps.createPayment({ ...asked, idempotencyKey: 'en-annen' }))
    expect(again).toBeInstanceOf(VippsOurFaultError)
    expect(again).toMatchObject({ status: 409, errorCode: 4150 })
    standIn.approve(reference)
    await vipps.capture({ reference, ...sum, idempotencyKey: 'trekk-1' })
    const captured = await failureOf(vipps.capture({ reference, ...sum, idempotencyKey: 'trekk-2' }))
    expect(captured).toBeInstanceOf(VippsAlreadyDoneError)
  })

  test('with the same key and another sum is our own fault', async () => {
    const { reference, ...rest } = payment()
    await vipps.createPayment({ reference, ...rest })
    standIn.approve(reference)
    const capture = { reference, currency: 'NOK', idempotencyKey: 'trekk-1' }
    await vipps.capture({ ...capture, amountOre: 100 })
    expect(await failureOf(vipps.capture({ ...capture, amountOre: 200 }))).toMatchObject({
      code: 'vipps_var_feil',
    })
  })
})

describe('what is sent', () => {
  test('names the sales unit and the system, carries our key, and has no field Vipps does not know', async () => {
    const asked = payment()
    await vipps.createPayment(asked)
    const [created] = standIn.calls('create')
    expect(created?.headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer \S+$/),
      'ocp-apim-subscription-key': standIn.credentials.subscriptionKey,
      'merchant-serial-number': standIn.credentials.merchantSerialNumber,
      'vipps-system-name': 'bedriftsoppslag',
      'vipps-system-version': '0.1.0',
      'content-type': 'application/json',
      'idempotency-key': asked.idempotencyKey,
    })
    expect(JSON.parse(created?.body ?? '')).toEqual({
      amount: { currency: 'NOK', value: 49_900 },
      paymentMethod: { type: 'WALLET' },
      reference: asked.reference,
      userFlow: 'WEB_REDIRECT',
      returnUrl: asked.returnUrl,
      paymentDescription: 'API-nøkkel, ett år',
    })
  })

  test('a name longer than Vipps takes is cut', async () => {
    const named = vippsAt(standIn.url, { ...standIn.credentials, systemName: 'n'.repeat(40) })
    await named.createPayment(payment())
    await named.close()
    expect(standIn.calls('create')[0]?.headers['vipps-system-name']).toBe('n'.repeat(30))
  })

  test.each([
    ['a short reference', { reference: 'kort-1' }],
    ['a long reference', { reference: 'r'.repeat(51) }],
    ['a reference of digits', { reference: '123456789' }],
    ['a reference with a zero in front', { reference: '0rdre-12345' }],
    ['a reference that leaves the path', { reference: '../../webhooks' }],
    ['no idempotency key', { idempotencyKey: '' }],
    ['a long idempotency key', { idempotencyKey: 'k'.repeat(51) }],
    ['a key that breaks the header', { idempotencyKey: 'a\r\nb: c' }],
    ['less than a krone', { amountOre: 99 }],
    ['a part of an øre', { amountOre: 100.5 }],
    ['no currency', { currency: '' }],
    ['an empty description', { description: '' }],
    ['a long description', { description: 'd'.repeat(101) }],
    ['a return address that is none', { returnUrl: '/ordre/1' }],
  ])('%s is refused before anything is sent', async (_, change) => {
    expect(await failureOf(vipps.createPayment(payment(change)))).toMatchObject({
      code: 'vipps_var_feil',
      status: null,
    })
    expect(standIn.calls()).toEqual([])
  })

  test('with Vipps itself, over TLS, the buyer comes back to https and nothing else', async () => {
    const real = vippsAt('https://127.0.0.1:1', standIn.credentials)
    const plain = await failureOf(real.createPayment(payment()))
    expect(plain.code).toBe('vipps_var_feil')
    // Nobody listens there: that it was tried shows that the address was good.
    const secure = await failureOf(
      real.createPayment(payment({ returnUrl: 'https://oppslag.example/ordre/1' })),
    )
    expect(secure.code).toBe('vipps_utilgjengelig')
    await real.close()
  })
})

describe('webhooks', () => {
  test('are registered with a secret that is shown once, listed and deleted', async () => {
    const webhook = { url: 'https://oppslag.example/vipps', events: ['epayments.payment.authorized.v1'] }
    const { id, secret } = await vipps.registerWebhook(webhook)
    expect(secret).toBe(standIn.webhooks.registrations()[0]?.secret)
    expect(await vipps.listWebhooks()).toEqual([{ id, ...webhook }])
    await vipps.deleteWebhook(id)
    expect(await vipps.listWebhooks()).toEqual([])
    expect(await failureOf(vipps.deleteWebhook(id))).toBeInstanceOf(VippsUnknownError)
  })
})

describe("Vipps' own books of a day", () => {
  const day = new Date().toISOString().slice(0, 10)

  test('are read page by page, of our ledger alone, and say whether the day is over', async () => {
    const references: string[] = []
    for (let nr = 0; nr < 3; nr += 1) {
      const asked = payment()
      await vipps.createPayment(asked)
      standIn.approve(asked.reference)
      await vipps.capture({ reference: asked.reference, ...sum, idempotencyKey: `trekk-${nr}` })
      references.push(asked.reference)
    }
    const { entries, isOpen } = await vipps.listSettled(day)
    expect(isOpen).toBe(true)
    expect(entries.map(({ reference }) => reference)).toEqual([...references, null])
    expect(standIn.calls('report')).toHaveLength(2)
    expect(await vipps.listSettled('2020-01-01')).toMatchObject({
      entries: [{ kind: 'payout-scheduled' }],
      isOpen: false,
    })
  })

  test('that are not there yet are of a day that is not over; anything else is a failure', async () => {
    standIn.misbehave('report', { kind: 'status', status: 404 })
    expect(await vipps.listSettled(day)).toEqual({ entries: [], isOpen: true })
    standIn.misbehave('report', { kind: 'status', status: 500 })
    expect(await failureOf(vipps.listSettled(day))).toMatchObject({ code: 'vipps_utilgjengelig' })
    standIn.behave()
    standIn.misbehave('ledgers', { kind: 'altered', change: { items: [] } })
    expect(await failureOf(vipps.listSettled(day))).toBeInstanceOf(VippsUnknownError)
    expect(await failureOf(vipps.listSettled('../../epayment'))).toBeInstanceOf(VippsOurFaultError)
  })

  test('that never end are given up', async () => {
    standIn.misbehave('report', { kind: 'altered', change: { cursor: '0' } })
    expect(await failureOf(vipps.listSettled(day))).toMatchObject({ code: 'vipps_ugyldig_svar' })
  })
})
