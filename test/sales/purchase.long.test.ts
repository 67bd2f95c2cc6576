import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Verdict } from '#src/access/verify.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { revokeAsOperator } from '#src/sales/revoke-key.ts'
import { HOUR_MS, MINUTE_MS, type TestClock } from '#test/support/clock.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyIn, linkIn, type MailServer } from '#test/support/mail-server.ts'
import type { VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { verifierOf } from './keyholders.ts'
import { offer, openShop, type TestShop } from './shop.ts'
import { shopForEachTest } from './shop-for-each-test.ts'

let storage: TestDatabase
let vipps: VippsStandIn
let mail: MailServer
let clock: TestClock
let shop: TestShop

shopForEachTest((open) => {
  ;({ storage, mail, vipps, clock, shop } = open)
})

describe('P110: an order that an operator refunds', () => {
  const refund = (id: string) => refundOrder({ db: storage.database, clock, policy: policy.sales }, id)

  async function paid() {
    const one = await placed()
    vipps.approve(one.reference)
    await later(policy.sales.pollFirstMs)
    const [keyMail] = await mail.waitForMails({ count: 2, to: one.epost })
    const id = (await shop.sales.readOrder(one.ordre))?.nummer ?? ''
    return { ...one, id, key: keyIn(keyMail ?? never()) }
  }

  test('ends its key before Vipps is asked, gives all of it back once, and tells the customer', async () => {
    const { id, key, ordre, epost, reference } = await paid()
    expect(await verdictOn(key)).toMatchObject({ ok: true })
    vipps.misbehave('refund', { kind: 'status', status: 500 })
    expect(await Promise.all([refund(id), refund(id)])).toEqual(expect.arrayContaining(['bedt', 'underveis']))
    expect(await verdictOn(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    await later(1000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refunderes', erEndelig: false })
    vipps.behave()
    await later(10 * MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refundert', erEndelig: true })
    expect(await refund(id)).toBe('refundert')
    expect(vipps.ledger().sums(reference).refunded).toEqual({ times: 1, ore: offer.priceOre })
    const keys = vipps.calls('refund', reference).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    const note = (await mail.waitForMails({ count: 3, to: epost })).at(-1)
    expect(note?.content.text).toMatch(/KREDITNOTA 1\b/)
    for (const fact of [...Object.values(offer.seller), epost, reference, '499,00'])
      expect(note?.content.text).toContain(fact)
  })

  test('P110: attack: that Vipps tells to be done, and is not: there is no credit note before the money is back, and an operator is told', async () => {
    const { id, ordre, reference, epost } = await paid()
    vipps.misbehave('refund', { kind: 'status', status: 200 })
    expect(await refund(id)).toBe('bedt')
    await later(1000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refunderes' })
    await later(policy.sales.refundAlarmMs)
    expect(await shop.sales.status()).toMatchObject({ alarms: 1 })
    expect(mail.mails.filter(({ envelope }) => envelope.to === epost)).toHaveLength(2)
    vipps.behave()
    await later(HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refundert' })
    expect(vipps.ledger().sums(reference).refunded).toEqual({ times: 1, ore: offer.priceOre })
    expect(await shop.sales.status()).toMatchObject({ alarms: 0 })
  })

  test('P110: sold on other terms since: books, receipt and credit note say what the sale said', async () => {
    const { ordre, epost, reference } = await placed()
    const today = {
      ...offer,
      priceOre: 59_900,
      seller: {
        name: 'Ny Eier AS',
        organisationNumber: '888 888 888',
        address: 'B 2',
        vatText: 'mva. 119,80',
      },
      english: { product: 'API key', vatText: 'VAT 119.80' },
    }
    const later = openShop({ db: storage.database, vipps, mailUrl: mail.url, clock, sold: today })
    try {
      vipps.approve(reference)
      clock.advance(policy.sales.pollFirstMs)
      await later.goOn()
      const { nummer = '' } = (await shop.sales.readOrder(ordre)) ?? {}
      await refund(nummer)
      await later.goOn()
      const mails = (await mail.waitForMails({ count: 3, to: epost })).slice(1)
      for (const { content } of mails) {
        for (const fact of [...Object.values(offer.seller), ...Object.values(offer.english), '499,00'])
          expect(content.text).toContain(fact)
        expect(content.text).not.toMatch(/119[,.]80|Ny Eier|888 888/)
      }
      const { vatText, name } = offer.seller
      expect(await storage.database.query('select mva, selger from kreditnota')).toEqual([
        { mva: vatText, selger: expect.stringContaining(name) },
      ])
    } finally {
      await later.close()
    }
  })

  test('P110: of an earlier release, sold on other terms since: what the books say of VAT is what is said', async () => {
    const { epost } = await paid()
    await storage.database.query(`update ordre set salg = null`)
    await storage.database.query(`update bilag set mva = 'Herav mva. 12 %: 53,46 kr'`)
    const [order] = await storage.database.query<{ id: string }>('select id from ordre')
    await refund(order?.id ?? '')
    await later(1000)
    const note = (await mail.waitForMails({ count: 3, to: epost })).at(-1)
    expect(note?.content.text?.match(/Herav mva. 12 %: 53,46 kr/g)).toHaveLength(2)
    expect(note?.content.text).not.toContain('99,80')
  })

  test('whose answer was lost is read back, and not asked for again', async () => {
    const { id, ordre, reference } = await paid()
    vipps.misbehave('refund', { kind: 'reset', accepts: true }, { times: 1 })
    await refund(id)
    await later(1000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refundert' })
    expect(vipps.calls('refund', reference)).toHaveLength(1)
  })

  test('that Vipps goes on refusing is tried on, and an operator is told', async () => {
    const { id, ordre, reference } = await paid()
    vipps.misbehave('refund', { kind: 'refused', errorCode: 6260 })
    await refund(id)
    await later(1000)
    await later(2 * HOUR_MS)
    const alarm = async () =>
      (await storage.database.query('select alarm from ordre where id = $1', [id]))[0]?.alarm
    expect(await alarm()).toBe('refusjon_venter')
    vipps.behave()
    await later(2 * HOUR_MS)
    expect([await alarm(), (await shop.sales.readOrder(ordre))?.tilstand]).toEqual([null, 'refundert'])
    expect(vipps.ledger().sums(reference).refunded.times).toBe(1)
  })

  test('P110: whose money is held and not taken yet is not said to have none', async () => {
    const { ordre, epost, reference } = await placed()
    mail.behave({ at: 'end', does: 'reset', times: 1 })
    vipps.approve(reference)
    await later(policy.sales.pollFirstMs)
    const [untold] = await mail.waitForMails({ to: epost })
    const id = (await shop.sales.readOrder(ordre))?.nummer ?? ''
    expect([await refund(id), vipps.ledger().sums(reference).captured.times]).toEqual(['holdes', 0])
    expect(await verdictOn(keyIn(untold ?? never()))).toMatchObject({ ok: true })
    await later(10 * MINUTE_MS)
    expect([await refund(id), vipps.ledger().sums(reference).captured.times]).toEqual(['bedt', 1])
  })

  test('must have been paid for, and not too long ago', async () => {
    const { ordre } = await placed()
    const unpaid = (await shop.sales.readOrder(ordre))?.nummer ?? ''
    expect([await refund(unpaid), await refund('finnesikke')]).toEqual(['ikke_trukket', null])
    const { id, key } = await paid()
    clock.advance(364 * 24 * HOUR_MS)
    expect(await refund(id)).toBe('for_sent')
    expect(await verdictOn(key)).not.toMatchObject({ why: 'tilbakekalt' })
  })
})

describe('a purchase', () => {
  test('paid and mailed is charged once, has its receipt, and the key in the mail works', async () => {
    const { ordre, reference, epost } = await placed()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'opprettet', erEndelig: false })
    vipps.approve(reference)
    await later(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort', erEndelig: true })
    const [keyMail, receipt] = await mail.waitForMails({ count: 2, to: epost })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
    expect(receipt?.content.text).toMatch(/KVITTERING 1\b/)
    for (const fact of [...Object.values(offer.seller), epost, reference, '499,00'])
      expect(receipt?.content.text).toContain(fact)
    expect(sums(reference)).toEqual({ captured: offer.priceOre, cancelled: 0 })
    expect(vipps.calls('capture', reference)).toHaveLength(1)
  })

  test('is one order however often the form is sent, at once or again', async () => {
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true, idempotensToken: token() }
    const clicks = await Promise.all(Array.from({ length: 10 }, () => shop.sales.placeOrder(request)))
    const again = await shop.sales.placeOrder(request)
    expect(new Set([...clicks, again].map(({ ordre }) => ordre)).size).toBe(1)
    expect(new Set([...clicks, again].map(({ redirectUrl }) => redirectUrl)).size).toBe(1)
    expect(vipps.payments.all()).toHaveLength(1)
  })

  test('that was broken off makes room for another from the same form', async () => {
    const first = await placed()
    vipps.refuse(first.reference)
    await later(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(first.ordre)).toMatchObject({ tilstand: 'avbrutt' })
    const second = await shop.sales.placeOrder(first.request)
    expect(second.ordre).not.toBe(first.ordre)
    expect(second.redirectUrl).not.toBeNull()
  })

  test('that came to nothing is ordered again without typing it, once however often it is pressed', async () => {
    const first = await placed()
    expect(await shop.sales.orderAgain(first.ordre, {})).toBeNull()
    vipps.refuse(first.reference)
    await later(policy.sales.pollFirstMs)
    const [again, twice] = await Promise.all([
      shop.sales.orderAgain(first.ordre, {}),
      shop.sales.orderAgain(first.ordre, {}),
    ])
    expect(again).toEqual(twice)
    expect(again?.ordre).not.toBe(first.ordre)
    const view = await shop.sales.readOrder(again?.ordre ?? '')
    vipps.approve(`bo-${view?.nummer}-1`)
    await later(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(again?.ordre ?? '')).toMatchObject({ tilstand: 'fullfort' })
    expect(await mail.waitForMails({ count: 2, to: first.epost })).toHaveLength(2)
    expect(await shop.sales.orderAgain(again?.ordre ?? '', {})).toBeNull()
    expect(await shop.sales.orderAgain(token(), {})).toBeNull()
  })

  test('is come back to in the language it was bought in', async () => {
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true }
    await shop.sales.placeOrder({ ...request, idempotensToken: token(), sprak: 'en' })
    await shop.sales.placeOrder({ ...request, idempotensToken: token() })
    const asked = vipps.calls('create').map(({ body }) => new URL(JSON.parse(body).returnUrl).search)
    expect(asked.slice(-2)).toEqual(['?lang=en', ''])
  })

  test('needs the terms, an address and a form of ours', async () => {
    const good = { epost: 'ola@example.no', vilkaarGodtatt: true, idempotensToken: token() }
    for (const wrong of [{ vilkaarGodtatt: false }, { epost: 'ola' }, { idempotensToken: 'x' }])
      await expect(shop.sales.placeOrder({ ...good, ...wrong })).rejects.toMatchObject({ name: 'InputError' })
    expect(vipps.payments.all()).toHaveLength(0)
  })

  test('whose payment was made but not answered for goes on with the same payment', async () => {
    vipps.misbehave('create', { kind: 'reset', accepts: true }, { times: 1 })
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true, idempotensToken: token() }
    await expect(shop.sales.placeOrder(request)).rejects.toMatchObject({ code: 'betaling_utilgjengelig' })
    const { redirectUrl } = await shop.sales.placeOrder(request)
    expect(redirectUrl).not.toBeNull()
    expect(vipps.payments.all()).toHaveLength(1)
  })

  test('P152: attack: whose payment Vipps refused for a moment is paid for when the same form is sent again', async () => {
    vipps.misbehave('create', { kind: 'refused', errorCode: 1000 }, { times: 2 })
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true, idempotensToken: token() }
    await expect(shop.sales.placeOrder(request)).rejects.toMatchObject({ code: 'betaling_avvist' })
    clock.advance(MINUTE_MS)
    const { redirectUrl } = await shop.sales.placeOrder(request)
    expect(redirectUrl).not.toBeNull()
    expect(vipps.payments.all()).toHaveLength(1)
  })

  test('P152: attack: whose payment Vipps refused for a moment, and whose next answer was lost, is paid for minutes later', async () => {
    vipps.misbehave('create', { kind: 'reset', accepts: true }, { times: 1 })
    vipps.misbehave('create', { kind: 'refused', errorCode: 1000 }, { times: 1 })
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true, idempotensToken: token() }
    await expect(shop.sales.placeOrder(request)).rejects.toMatchObject({ code: 'betaling_utilgjengelig' })
    const asked = vipps.calls('create').length
    clock.advance(9 * MINUTE_MS)
    const { redirectUrl } = await shop.sales.placeOrder(request)
    expect(redirectUrl).not.toBeNull()
    expect(vipps.payments.all()).toHaveLength(1)
    // More of them in a minute Vipps does not answer.
    expect(vipps.calls('create').length - asked).toBeLessThanOrEqual(5)
  })
})

describe('P29: messages about a payment', () => {
  test('the same fifty times at once: one state change, one key mail, one capture', async () => {
    const { reference, epost } = await placed()
    vipps.approve(reference)
    await Promise.all(Array.from({ length: 50 }, () => shop.sales.noteWebhook(message(reference))))
    await Promise.all(Array.from({ length: 5 }, () => shop.goOn()))
    expect(sums(reference).captured).toBe(offer.priceOre)
    expect(vipps.calls('capture', reference)).toHaveLength(1)
    expect(
      (await mail.waitForMails({ count: 2, to: epost })).filter((one) => keyIn(one) !== null),
    ).toHaveLength(1)
    expect(await count('betalingshendelse')).toBe(1)
  })

  test('about another merchant’s payment, also under a reference of ours: nothing is kept of it', async () => {
    const { reference } = await placed()
    await shop.sales.noteWebhook({ ...message(reference), merchantSerialNumber: '999999' })
    expect(await count('betalingshendelse')).toBe(0)
  })

  test('in the wrong order, or about a payment of nobody: put aside, and the order ends right', async () => {
    const { ordre, reference } = await placed()
    await shop.sales.noteWebhook({ ...message('en-annens-ordre-1'), name: 'CAPTURED' })
    await shop.sales.noteWebhook({ ...message(reference), name: 'CAPTURED' })
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'opprettet' })
    vipps.approve(reference)
    await shop.sales.noteWebhook(message(reference))
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(await count('betalingshendelse')).toBe(3)
  })

  test('that never come are not missed: within 60 s the payment is read back', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    await later(10_000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
  })

  test('while Vipps can not be heard nothing moves, and afterwards everything does', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    vipps.misbehave('get', { kind: 'status', status: 503 })
    await later(10_000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'opprettet' })
    vipps.behave()
    await later(10_000)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
  })

  test('P29: attack: about a payment that was made in the moment its order was given up: who approves it gets the key', async () => {
    const request = { epost: `${name()}@example.no`, vilkaarGodtatt: true, idempotensToken: token() }
    vipps.misbehave('create', { kind: 'status', status: 503 })
    await expect(shop.sales.placeOrder(request)).rejects.toMatchObject({ code: 'betaling_utilgjengelig' })
    vipps.behave()
    clock.advance(policy.sales.paymentWindowMs - MINUTE_MS)
    const made = Promise.withResolvers<void>()
    vipps.misbehave('get', { kind: 'status', status: 404 })
    vipps.misbehave('create', { kind: 'hold', until: made.promise })
    const pressedAgain = shop.sales.placeOrder(request)
    await eventually('the payment is made', () => vipps.payments.all().length === 1)
    await later(MINUTE_MS)
    made.resolve()
    const { ordre, redirectUrl } = await pressedAgain
    expect(redirectUrl).toContain(vipps.url)
    const view = await shop.sales.readOrder(ordre)
    expect(view).toMatchObject({ tilstand: 'utlopt' })
    vipps.behave()
    const reference = `bo-${view?.nummer}-1`
    vipps.approve(reference)
    await shop.sales.noteWebhook(message(reference))
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(sums(reference).captured).toBe(offer.priceOre)
    const [keyMail] = await mail.waitForMails({ to: request.epost })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
  })

  test('P29: attack: whoever approves one that had given way, and whose address is gone, is asked for another, and gets the key', async () => {
    const { ordre, reference } = await placed()
    await storage.database.query(`update ordre set viker_at = $1, neste_sjekk_at = null`, [clock.now()])
    await storage.database.query(`update ordre set tilstand = 'utlopt', epost = null`)
    vipps.approve(reference)
    await shop.sales.noteWebhook(message(reference))
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'avvist', kanGiNyAdresse: true })
    const epost = `${name()}@example.no`
    expect(await shop.sales.giveOtherAddress(ordre, epost)).toBe('sendes')
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(sums(reference).captured).toBe(offer.priceOre)
    const [keyMail] = await mail.waitForMails({ to: epost })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
  })
})

describe('P31: a payment that differs when it is read back', () => {
  test.each([
    ['in its amount', { kind: 'wrongAmount', amountOre: 100 }],
    ['in its currency', { kind: 'wrongCurrency', currency: 'EUR' }],
    ['in its merchant', { kind: 'wrongMerchant', merchantSerialNumber: '999999' }],
    ['in its reference', { kind: 'wrongReference', reference: 'bo-zzzzzzzzzz-1' }],
  ] as const)('%s: no key, no charge, an alarm', async (_, fault) => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    vipps.misbehave('get', fault)
    await later(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'avvik' })
    expect((await shop.sales.status()).alarms).toBe(1)
    expect(sums(reference).captured).toBe(0)
    expect(await count('api_nokkel')).toBe(0)
    expect(mail.mails.filter(({ envelope }) => envelope.to === epost)).toEqual([])
  })
})

describe('P32: a mail server', () => {
  test('that says 4xx for two days: the key is delivered all the same, and only then charged', async () => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'rcpt', does: 451 })
    for (let hours = 0; hours < 48; hours += 2) await later(2 * HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'reservert' })
    expect(sums(reference).captured).toBe(0)
    mail.behave()
    await later(2 * HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    const [keyMail] = await mail.waitForMails({ to: epost })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
    expect(sums(reference).captured).toBe(offer.priceOre)
  })

  test('that says 4xx for longer than the money lasts: given up, and nothing is charged', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'rcpt', does: 451 })
    for (let hours = 0; hours < 74; hours += 2) await later(2 * HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({
      tilstand: 'kansellert',
      grunn: 'levering_oppgitt',
    })
    expect(sums(reference)).toEqual({ captured: 0, cancelled: offer.priceOre })
    expect(await liveKeys()).toBe(0)
  })

  test('P110: attack: given up, and Vipps tells that the money is let go, and it is not: it is let go under another name', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'rcpt', does: 451 })
    vipps.misbehave('cancel', { kind: 'status', status: 200 })
    for (let hours = 0; hours < 74; hours += 2) await later(2 * HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kanselleres', erEndelig: false })
    expect(await liveKeys()).toBe(0)
    vipps.behave()
    await later(HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kansellert' })
    expect(sums(reference)).toEqual({ captured: 0, cancelled: offer.priceOre })
    const keys = vipps.calls('cancel', reference).map(({ idempotencyKey }) => idempotencyKey)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test.each([
    ['is away', { kind: 'status', status: 503 }],
    ['refuses', { kind: 'refused', errorCode: 6190 }],
    ['says that it is done', { kind: 'status', status: 200 }],
  ] as const)(
    'P110: attack: given up, and Vipps %s, and nothing is let go: an operator is told once, until it is',
    async (_, fault) => {
      const { ordre, reference } = await placed()
      vipps.approve(reference)
      mail.behave({ at: 'rcpt', does: 550 })
      vipps.misbehave('cancel', fault)
      await later(policy.sales.pollFirstMs)
      const alarm = async () => (await storage.database.query('select alarm from ordre'))[0]?.alarm
      await later(policy.sales.otherAddressMs)
      expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kanselleres' })
      expect(await alarm()).toBeNull()
      for (let hours = 0; hours < 5; hours += 1) await later(HOUR_MS)
      for (let looks = 0; looks < 3; looks += 1) {
        await later(HOUR_MS)
        expect(await alarm()).toBe('kansellering_venter')
      }
      vipps.behave()
      await later(HOUR_MS)
      expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kansellert' })
      expect([await alarm(), sums(reference)]).toEqual([null, { captured: 0, cancelled: offer.priceOre }])
    },
  )

  test.each([
    ['has not taken the mail', 451],
    ['has refused the address', 550],
  ])(
    'P110: attack: %s, an operator revokes, and Vipps lets nothing go: an operator is told after an hour',
    async (_, does) => {
      const { ordre, reference } = await placed()
      vipps.approve(reference)
      mail.behave({ at: 'rcpt', does })
      await later(policy.sales.pollFirstMs)
      const { nummer = '' } = (await shop.sales.readOrder(ordre)) ?? {}
      vipps.misbehave('cancel', { kind: 'status', status: 503 })
      await revokeAsOperator({ db: storage.database, clock, policy: policy.sales }, nummer)
      await later(MINUTE_MS)
      expect(vipps.calls('cancel', reference)).not.toEqual([])
      const alarm = async () => (await storage.database.query('select alarm from ordre'))[0]?.alarm
      expect(await alarm()).toBeNull()
      for (let hours = 0; hours < 2; hours += 1) await later(HOUR_MS)
      expect(await alarm()).toBe('kansellering_venter')
      vipps.behave()
      await later(HOUR_MS)
      expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kansellert' })
      expect([await alarm(), sums(reference)]).toEqual([null, { captured: 0, cancelled: offer.priceOre }])
    },
  )

  test.each(['key', 'order'])(
    'attack: that is away while an operator revokes the %s: no other key goes, and nothing is charged',
    async (what) => {
      const { ordre, reference, epost } = await placed()
      vipps.approve(reference)
      mail.behave({ at: 'rcpt', does: 451, times: 1 })
      await later(policy.sales.pollFirstMs)
      const { nummer = '' } = (await shop.sales.readOrder(ordre)) ?? {}
      const [key] = await storage.database.query<{ id: string }>(
        'select id from api_nokkel where kjede = $1',
        [nummer],
      )
      const revoke = (id: string) =>
        revokeAsOperator({ db: storage.database, clock, policy: policy.sales }, id)
      expect(await revoke(what === 'key' ? (key?.id ?? '') : nummer)).toEqual(expect.any(Date))
      await later(MINUTE_MS)
      expect(await shop.sales.readOrder(ordre)).toMatchObject({
        tilstand: 'kansellert',
        grunn: 'nokkel_tilbakekalt',
      })
      expect(sums(reference)).toEqual({ captured: 0, cancelled: offer.priceOre })
      expect(mail.mails.filter(({ envelope }) => envelope.to === epost)).toEqual([])
      expect(await revoke('ukjent000000')).toBeNull()
    },
  )

  /** By one who does one thing at a time; while the first of others' mails hangs, it is seen what Vipps has of the rest. */
  async function sweepWhileOneHangs(others: readonly string[], afterMs: number): Promise<void> {
    mail.behave(...others.map((to) => ({ at: 'rcpt', does: 'hang', to }) as const))
    const { recipients } = mail.seen
    clock.advance(afterMs)
    const alone = openShop({
      db: storage.database,
      vipps,
      mailUrl: mail.url,
      clock,
      changes: { atOnce: 1, mailDeadlineMs: 4000 },
    })
    const { signal } = new AbortController()
    const sweep = alone.sales.runErrands({ signal })
    await eventually('the first hangs', () => mail.seen.recipients > recipients)
    await alone.sales.checkPayments({ signal })
    mail.behave()
    await sweep
    await alone.close()
  }

  test('P29: attack: that hangs with what others have mailed to them: a key that is paid for comes before the rest of it', async () => {
    const others = [`${name()}@example.no`, `${name()}@example.no`]
    mail.behave(...others.map((to) => ({ at: 'rcpt', does: 451, to }) as const))
    for (const epost of others) {
      const { reference } = await placed(epost)
      vipps.approve(reference)
    }
    await later(policy.sales.pollFirstMs)
    mail.behave()
    await later(MINUTE_MS)
    // Each has a key, and waits for a link.
    mail.behave(...others.map((to) => ({ at: 'rcpt', does: 451, to }) as const))
    for (const epost of others) await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    const { reference, epost } = await placed()
    vipps.approve(reference)
    await sweepWhileOneHangs(others, HOUR_MS)
    const keyAt = mail.mails.findIndex((one) => one.envelope.to === epost && keyIn(one) !== null)
    const linkAt = mail.mails.findIndex(
      (one) => others.includes(one.envelope.to) && linkIn(one, 'http://127.0.0.1/nokkel/erstatt/') !== null,
    )
    expect(keyAt).toBeGreaterThan(-1)
    expect(linkAt).toBeGreaterThan(keyAt)
  })

  test.each([
    ['whose key was not tried yet', () => shop.sales.checkPayments({ signal: new AbortController().signal })],
    ['whose key was tried before', () => shop.goOn()],
  ])(
    'P29: attack: that hangs for many others, %s: a key that is paid for after them comes before the rest of theirs',
    async (_, tried) => {
      const others = Array.from({ length: 4 }, () => `${name()}@example.no`)
      mail.behave(...others.map((to) => ({ at: 'rcpt', does: 451, to }) as const))
      for (const epost of others) vipps.approve((await placed(epost)).reference)
      clock.advance(policy.sales.pollFirstMs)
      await tried()
      const { reference, epost } = await placed()
      vipps.approve(reference)
      const before = mail.mails.length
      await sweepWhileOneHangs(others, 2 * MINUTE_MS)
      const keysInTurn = mail.mails
        .slice(before)
        .flatMap((one) => (keyIn(one) === null ? [] : one.envelope.to))
      expect(keysInTurn).toHaveLength(4)
      expect(keysInTurn[0]).toBe(epost)
    },
  )

  test('that refuses the address: nothing is charged, the page says so, and another address gets the key', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'rcpt', does: 550, times: 1 })
    await later(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({
      tilstand: 'avvist',
      grunn: 'adresse_avvist',
      kanGiNyAdresse: true,
    })
    expect(sums(reference).captured).toBe(0)
    const other = `${name()}@example.no`
    expect(await shop.sales.giveOtherAddress(ordre, other)).toBe('sendes')
    expect(await shop.sales.giveOtherAddress(ordre, other)).toBe('ikke_mulig')
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    const [keyMail] = await mail.waitForMails({ to: other })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
  })

  test('that refuses the address, and no other is given: the reservation is let go', async () => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'rcpt', does: 550 })
    await later(policy.sales.pollFirstMs)
    await later(policy.sales.otherAddressMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kansellert' })
    expect(sums(reference)).toEqual({ captured: 0, cancelled: offer.priceOre })
    expect(await shop.sales.giveOtherAddress(ordre, 'ola@example.no')).toBe('ikke_mulig')
  })

  test('that takes a mail and never says so: a second may go, and the first key that is used is the one', async () => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'end', does: 'hang', times: 1 })
    await laterImpatient(policy.sales.pollFirstMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'reservert' })
    expect(sums(reference).captured).toBe(0)
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    const keys = mail.mails.filter(({ envelope }) => envelope.to === epost).flatMap((one) => keyIn(one) ?? [])
    expect(keys).toHaveLength(2)
    const verdicts = await Promise.all(keys.map(verdictOn))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(sums(reference).captured).toBe(offer.priceOre)
  })

  test('whose silence is answered by the key being used: no second mail, and the money is taken', async () => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    mail.behave({ at: 'end', does: 'hang', times: 1 })
    await laterImpatient(policy.sales.pollFirstMs)
    const [only] = await mail.waitForMails({ to: epost })
    expect(await verdictOn(keyIn(only ?? never()))).toMatchObject({ ok: true })
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(mail.mails.filter((one) => one.envelope.to === epost && keyIn(one) !== null)).toHaveLength(1)
  })
})

describe('taking the money', () => {
  test.each([6100, 6260])(
    'fails for good (%i): the key is revoked, and an operator is told',
    async (errorCode) => {
      const { ordre, reference, epost } = await placed()
      vipps.approve(reference)
      vipps.misbehave('capture', { kind: 'refused', errorCode })
      await later(policy.sales.pollFirstMs)
      expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'tapt' })
      const [keyMail] = await mail.waitForMails({ to: epost })
      expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: false, why: 'tilbakekalt' })
      expect((await shop.sales.status()).alarms).toBe(1)
    },
  )

  test('P29: attack: was done, and is not heard of for longer than it is tried: whoever has paid keeps the key', async () => {
    const { reference, epost } = await placed()
    vipps.approve(reference)
    vipps.misbehave('capture', { kind: 'status', status: 500, accepts: true })
    clock.advance(policy.sales.pollFirstMs)
    await shop.sales.checkPayments({ signal: new AbortController().signal })
    vipps.misbehave('get', { kind: 'status', status: 500 })
    await shop.goOn()
    const told = async () =>
      (await storage.database.query('select tilstand, alarm from ordre where referanse = $1', [reference]))[0]
    expect(await told()).toEqual({ tilstand: 'sendt', alarm: null })
    // While the reservation stands, and an operator can do something about it.
    await later(policy.sales.captureAlarmMs)
    expect(await told()).toEqual({ tilstand: 'sendt', alarm: 'trekk_venter' })
    await later(policy.sales.captureForMs)
    expect(await told()).toEqual({ tilstand: 'sendt', alarm: 'trekk_venter' })
    vipps.behave()
    await later(HOUR_MS)
    expect(await told()).toEqual({ tilstand: 'fullfort', alarm: null })
    const [keyMail] = await mail.waitForMails({ to: epost })
    expect(await verdictOn(keyIn(keyMail ?? never()))).toMatchObject({ ok: true })
    expect(vipps.ledger().sums(reference).captured).toEqual({ times: 1, ore: offer.priceOre })
  })

  test('P171: attack: fails for good while another key is on its way: that one is not sent', async () => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    vipps.misbehave('capture', { kind: 'status', status: 500 })
    await later(policy.sales.pollFirstMs)
    const [keyMail] = await mail.waitForMails({ to: epost })
    const id = keyIn(keyMail ?? never())?.split('_')[2] ?? ''
    mail.behave({ at: 'rcpt', does: 451 })
    const ground = { db: storage.database, clock, policy: policy.sales }
    expect(await replaceAsOperator(ground, id, 'tapt')).toMatchObject({ utfall: 'sendes' })
    await shop.goOn()
    vipps.behave()
    vipps.misbehave('capture', { kind: 'refused', errorCode: 6100 })
    await later(HOUR_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'tapt' })
    mail.behave()
    await later(HOUR_MS)
    const mailed = mail.mails.flatMap((one) => (one.envelope.to === epost ? (keyIn(one) ?? []) : []))
    for (const key of mailed) expect(await verdictOn(key)).toMatchObject({ ok: false })
    expect(mailed).toHaveLength(1)
  })

  test('P110: attack: is told to be done, and is not: there is no receipt before it is taken, and it is taken once', async () => {
    const { ordre, reference, epost } = await placed()
    vipps.approve(reference)
    vipps.misbehave('capture', { kind: 'status', status: 200 }, { times: 1 })
    clock.advance(policy.sales.pollFirstMs)
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'sendt' })
    expect(mail.mails.filter(({ envelope }) => envelope.to === epost)).toHaveLength(1)
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(vipps.ledger().sums(reference).captured).toEqual({ times: 1, ore: offer.priceOre })
  })

  test.each([
    ['is locked for a while', { kind: 'locked' }],
    ['is not answered, and done', { kind: 'reset', accepts: true }],
    ['is not answered, and not done', { kind: 'hang' }],
    ['fails at Vipps', { kind: 'status', status: 500 }],
  ] as const)('%s: it is taken once', async (_, fault) => {
    const { ordre, reference } = await placed()
    vipps.approve(reference)
    vipps.misbehave('capture', fault, { times: 1 })
    await later(policy.sales.pollFirstMs)
    await later(MINUTE_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'fullfort' })
    expect(vipps.ledger().sums(reference).captured).toEqual({ times: 1, ore: offer.priceOre })
    expect(new Set(vipps.calls('capture', reference).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(
      1,
    )
  })
})

async function placed(epost = `${name()}@example.no`) {
  const request = { epost, vilkaarGodtatt: true, idempotensToken: token() }
  const { ordre } = await shop.sales.placeOrder(request)
  const view = await shop.sales.readOrder(ordre)
  return { ordre, epost, request, reference: `bo-${view?.nummer}-1` }
}

function message(reference: string) {
  return {
    merchantSerialNumber: vipps.credentials.merchantSerialNumber,
    reference,
    name: 'AUTHORIZED',
    pspReference: `hendelse-${reference}`,
  }
}

async function later(ms: number): Promise<void> {
  clock.advance(ms)
  await shop.goOn()
}

/** By somebody who waits a few seconds for a mail server, and then ends. */
async function laterImpatient(ms: number): Promise<void> {
  clock.advance(ms)
  const changes = { mailDeadlineMs: 4000 }
  const impatient = openShop({ db: storage.database, vipps, mailUrl: mail.url, clock, changes })
  await impatient.goOn()
  await impatient.close()
}

function sums(reference: string) {
  const { captured, cancelled } = vipps.ledger().sums(reference)
  return { captured: captured.ore, cancelled: cancelled.ore }
}

async function count(table: string): Promise<number> {
  const [row] = await storage.database.query<{ count: string }>(`select count(*) from ${table}`)
  return Number(row?.count)
}

async function liveKeys(): Promise<number> {
  const rows = await storage.database.query('select 1 from api_nokkel where tilbakekalt_at is null')
  return rows.length
}

async function verdictOn(key: string | null): Promise<Verdict> {
  return verifierOf({ storage, clock }).verify(key ?? '')
}

function name(): string {
  return `kjoper-${randomBytes(4).toString('hex')}`
}

function token(): string {
  return randomBytes(24).toString('base64url')
}

function never(): never {
  throw new Error('expected a mail')
}
