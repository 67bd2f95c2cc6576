import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { decideOrder } from '#src/sales/decide-order.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { readCustomerData } from '#src/storage/customer-data.ts'
import { findCustomer } from '#src/storage/customers.ts'
import { HOUR_MS, MINUTE_MS } from '#test/support/clock.ts'
import { keyholders, newAddress, newToken } from './keyholders.ts'
import { offer } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

let current: OpenShop
shopForEachTest((open) => {
  current = open
})
const { keysTo, later, newVerifier } = keyholders(() => current)

test('P110: attack: what is taken and given back in the portal before we could take it leaves no key, no receipt and an alarm', async () => {
  const { vipps } = current
  const { epost, reference, nummer } = await approved(() =>
    vipps.misbehave('capture', { kind: 'status', status: 503 }),
  )
  const [key = ''] = keysTo(epost)
  await inPortal(reference, { capturedOre: offer.priceOre, refundedOre: offer.priceOre })
  expect(await newVerifier().verify(key)).toMatchObject({ ok: false })
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: 'trekk_umulig', bilag: 0 })
})

test('P110: attack: of money that comes of an order whose loss was decided an operator is told again', async () => {
  const { vipps, storage, clock } = current
  const { reference, nummer } = await approved(() =>
    vipps.misbehave('capture', { kind: 'status', status: 503 }),
  )
  await inPortal(reference, { cancelledOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: 'trekk_umulig', bilag: 0 })
  const decide = () => decideOrder({ db: storage.database, clock, policy: policy.sales }, nummer)
  expect(await decide()).toBe('avgjort')
  await inPortal(reference, {})
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: null, bilag: 0 })
  await inPortal(reference, { cancelledOre: 0, capturedOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: 'betaling_avviker', bilag: 0 })
  expect(await decide()).toBe('avgjort')
  await inPortal(reference, { refundedOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: null, bilag: 0 })
})

test('P110: attack: it is found out at the next try to take it, though Vipps says nothing of it', async () => {
  const { vipps } = current
  const { epost, reference, nummer } = await approved(() =>
    vipps.misbehave('capture', { kind: 'status', status: 503 }),
  )
  const sums = { capturedOre: offer.priceOre, refundedOre: offer.priceOre }
  Object.assign(vipps.payments.find(reference) ?? {}, sums)
  vipps.behave()
  await later(MINUTE_MS)
  await later(MINUTE_MS)
  expect(await newVerifier().verify(keysTo(epost)[0] ?? '')).toMatchObject({ ok: false })
  expect(await asStored(nummer)).toEqual({ tilstand: 'tapt', alarm: 'trekk_umulig', bilag: 0 })
})

test('P110: attack: what is taken in the portal of an order that gets no key is told of until it is given back', async () => {
  const { vipps, mail } = current
  const { reference, nummer } = await approved(() => {
    mail.behave({ at: 'rcpt', does: 550 })
    vipps.misbehave('cancel', { kind: 'status', status: 503 })
  })
  await later(policy.sales.otherAddressMs)
  await inPortal(reference, { capturedOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'kanselleres', alarm: 'betaling_avviker', bilag: 0 })
  await inPortal(reference, { refundedOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'kansellert', alarm: null, bilag: 0 })
})

test('P110: attack: of what is taken in part in the portal, and let go for the rest, before we look, an operator is told', async () => {
  const { reference, nummer, epost } = await approved(() => {}, {
    capturedOre: 10_000,
    cancelledOre: offer.priceOre - 10_000,
  })
  await inPortal(reference, {})
  expect(await asStored(nummer)).toEqual({ tilstand: 'avvik', alarm: 'betaling_avviker', bilag: 0 })
  expect(keysTo(epost)).toEqual([])
})

test('P110: attack: of what is given back whole in the portal when the key is out an operator is told, and not of a part of it', async () => {
  const { epost, reference, nummer } = await approved(() => {})
  await inPortal(reference, { refundedOre: 100 })
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: null, bilag: 1 })
  await inPortal(reference, { refundedOre: offer.priceOre })
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: 'betaling_avviker', bilag: 1 })
  // Whoever is told decides what becomes of the key.
  expect(await newVerifier().verify(keysTo(epost)[0] ?? '')).toMatchObject({ ok: true })
})

test('P110: attack: of what is given back whole in the portal when the key is out, and of which no message comes, an operator is told within days', async () => {
  const { vipps, storage, clock } = current
  const db = storage.database
  const { reference, nummer } = await approved(() => {})
  const kept = await approved(() => {})
  Object.assign(vipps.payments.find(reference) ?? {}, { refundedOre: offer.priceOre })
  await aWeek()
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: 'betaling_avviker', bilag: 1 })
  expect(await asStored(kept.nummer)).toEqual({ tilstand: 'fullfort', alarm: null, bilag: 1 })
  await actOnRecord(
    { db, clock },
    { hvem: 'Kari', handling: 'ordre.avgjort', gjelder: nummer, hvorfor: 'kunden beholder nøkkelen' },
    () => decideOrder({ db, clock, policy: policy.sales }, nummer),
  )
  await aWeek()
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: null, bilag: 1 })
  const before = vipps.calls('get', kept.reference).length
  await aWeek()
  expect(vipps.calls('get', kept.reference).length - before).toBe(1)
})

test('P110: attack: of a done order whose money was not taken whole, and of which no message comes, an operator is told within days', async () => {
  const { vipps } = current
  const { reference, nummer } = await approved(() => {})
  Object.assign(vipps.payments.find(reference) ?? {}, { capturedOre: offer.priceOre - 100 })
  await aWeek()
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: 'betaling_avviker', bilag: 1 })
})

test('P31: attack: what Vipps says of another payment, when the money was to be taken or given back, is none of this one’s', async () => {
  const { vipps, storage, clock, shop } = current
  const db = storage.database
  const amount = (value: number) => ({ currency: 'NOK', value })
  const { priceOre } = offer
  const another = (refundedOre: number) => ({
    reference: 'bo-zzzzzzzzzz-1',
    aggregate: {
      authorizedAmount: amount(priceOre),
      cancelledAmount: amount(0),
      capturedAmount: amount(priceOre),
      refundedAmount: amount(refundedOre),
    },
  })
  const outOfStep = (call: 'capture' | 'refund', refundedOre: number) => {
    vipps.misbehave(call, { kind: 'status', status: 200 }, { times: 1 })
    vipps.misbehave('get', { kind: 'altered', change: another(refundedOre) })
  }
  const healed = async () => {
    vipps.behave()
    for (let hours = 0; hours < 6; hours += 1) await later(HOUR_MS)
  }
  const { reference, nummer } = await approved(() => vipps.misbehave('capture', { kind: 'reset' }))
  vipps.behave()
  outOfStep('capture', 0)
  await later(HOUR_MS)
  expect(await asStored(nummer)).toMatchObject({ tilstand: 'sendt', bilag: 0 })
  await healed()
  expect(await asStored(nummer)).toMatchObject({ tilstand: 'fullfort', bilag: 1 })
  expect(vipps.payments.find(reference)).toMatchObject({ capturedOre: priceOre })

  await actOnRecord(
    { db, clock },
    { hvem: 'Kari', handling: 'ordre.refundert', gjelder: nummer, hvorfor: 'angret' },
    () => refundOrder({ db, clock, policy: policy.sales }, nummer),
  )
  outOfStep('refund', priceOre)
  await shop.goOn()
  expect(await asStored(nummer)).toMatchObject({ tilstand: 'refunderes' })
  await healed()
  expect(await asStored(nummer)).toMatchObject({ tilstand: 'refundert' })
  expect(vipps.payments.find(reference)).toMatchObject({ refundedOre: priceOre })
})

test.each([
  ['all', offer.priceOre, 'kanselleres'],
  ['a part', 10_000, 'kansellert'],
])(
  'P110: attack: of %s of it, taken in the portal while another address is waited for, an operator is told, though Vipps says nothing',
  async (_, capturedOre, tilstand) => {
    const { vipps, mail } = current
    const { reference, nummer } = await approved(() => mail.behave({ at: 'rcpt', does: 550 }))
    expect(await asStored(nummer)).toEqual({ tilstand: 'avvist', alarm: null, bilag: 0 })
    Object.assign(vipps.payments.find(reference) ?? {}, { capturedOre })
    await later(policy.sales.otherAddressMs)
    await later(MINUTE_MS)
    expect(await asStored(nummer)).toEqual({ tilstand, alarm: 'betaling_avviker', bilag: 0 })
    await inPortal(reference, { refundedOre: capturedOre })
    expect(await asStored(nummer)).toEqual({ tilstand: 'kansellert', alarm: null, bilag: 0 })
  },
)

test('P110: attack: of what is taken in part in the portal the rest is taken for the key, and what is given back in part is given back whole', async () => {
  const { storage, vipps, clock } = current
  const { epost, reference, nummer } = await approved(() => {}, { capturedOre: 10_000 })
  await later(MINUTE_MS)
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: null, bilag: 1 })
  expect(vipps.payments.find(reference)).toMatchObject({ capturedOre: offer.priceOre })
  expect(await newVerifier().verify(keysTo(epost)[0] ?? '')).toMatchObject({ ok: true })
  await inPortal(reference, { refundedOre: 100 })
  await refundOrder({ db: storage.database, clock, policy: policy.sales }, nummer)
  await later(MINUTE_MS)
  await later(MINUTE_MS)
  expect(await asStored(nummer)).toEqual({ tilstand: 'refundert', alarm: null, bilag: 1 })
  expect(vipps.payments.find(reference)).toMatchObject({ refundedOre: offer.priceOre })
})

test('P110: attack: of a done order whose money was not taken whole an operator has given back what was taken, and is told no more', async () => {
  const { vipps, storage, clock } = current
  const { reference, nummer } = await approved(() => {})
  const payment = vipps.payments.find(reference)
  await inPortal(reference, { capturedOre: 10_000 })
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: 'betaling_avviker', bilag: 1 })
  await refundOrder({ db: storage.database, clock, policy: policy.sales }, nummer)
  for (let hours = 0; hours < 3; hours += 1) await later(HOUR_MS)
  expect(payment).toMatchObject({ capturedOre: 10_000, refundedOre: 10_000 })
  expect(await asStored(nummer)).toMatchObject({ tilstand: 'refundert', bilag: 1 })
  expect(await decideOrder({ db: storage.database, clock, policy: policy.sales }, nummer)).toBe('avgjort')
})

test('P110: attack: where less was taken than was asked for, the credit note says what came back, and the order what was taken', async () => {
  const { storage, clock, mail } = current
  const { nummer, reference, epost } = await approved(() => {})
  await inPortal(reference, { capturedOre: 10_000 })
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: 10_000, refundertOre: 0 })
  await refundOrder({ db: storage.database, clock, policy: policy.sales }, nummer)
  for (let hours = 0; hours < 3; hours += 1) await later(HOUR_MS)
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: 10_000, refundertOre: 10_000 })
  const note = (await mail.waitForMails({ count: 3, to: epost })).at(-1)?.content.text
  // The receipt it undoes said all of it.
  expect(note).toMatch(/Kreditert:?\s+499,00/)
  expect(note).toMatch(/Refundert:?\s+100,00/)
  expect(note).toMatch(/Refunded:?\s+NOK\s100\.00/)
})

test('P110: attack: what is given back in parts in the portal stands with the order, as much as it is by then', async () => {
  const { nummer, reference, epost } = await approved(() => {})
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: offer.priceOre, refundertOre: 0 })
  await inPortal(reference, { refundedOre: 100 })
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: offer.priceOre, refundertOre: 100 })
  await inPortal(reference, { refundedOre: 20_000 })
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: offer.priceOre, refundertOre: 20_000 })
  const { ordrer } = await readCustomerData(current.storage.database, epost)
  expect(ordrer).toMatchObject([{ trukket_ore: offer.priceOre, refundert_ore: 20_000 }])
})

test('P110: attack: what is given back in the portal, and is told of by an answer about something else first, stands with the order all the same', async () => {
  const { vipps, shop, clock } = current
  const { nummer, reference } = await approved(() => {})
  const about = () => vipps.misbehave('get', { kind: 'wrongAmount', amountOre: 100 }, { times: 1 })
  await inPortal(reference, { refundedOre: offer.priceOre }, about)
  expect(await asStored(nummer)).toEqual({ tilstand: 'fullfort', alarm: 'betaling_avviker', bilag: 1 })
  clock.advance(policy.sales.lookAgain.everyMs)
  await shop.goOn()
  expect(await sumsOf(nummer)).toMatchObject({ trukketOre: offer.priceOre, refundertOre: offer.priceOre })
})

test('P110: attack: an answer about something else is asked for once more, and not for ever', async () => {
  const { vipps, shop, clock } = current
  const { reference } = await approved(() => {})
  const before = vipps.calls('get', reference).length
  await inPortal(reference, {}, () => vipps.misbehave('get', { kind: 'wrongAmount', amountOre: 100 }))
  for (let times = 0; times < 20; times += 1) {
    clock.advance(policy.sales.lookAgain.everyMs)
    await shop.goOn()
  }
  expect(vipps.calls('get', reference).length - before).toBe(2)
})

test('P110: attack: what is taken and given back in part in the portal is not gone: the rest is taken for the key, or let go', async () => {
  const { vipps, mail } = current
  const halfGone = { capturedOre: 10_000, refundedOre: 10_000 }
  const paid = await approved(() => {}, halfGone)
  await later(MINUTE_MS)
  expect(await asStored(paid.nummer)).toEqual({ tilstand: 'fullfort', alarm: null, bilag: 1 })
  expect(vipps.payments.find(paid.reference)).toMatchObject({ capturedOre: offer.priceOre })

  const unpaid = await approved(() => mail.behave({ at: 'rcpt', does: 550 }), halfGone)
  vipps.misbehave('cancel', { kind: 'reset' }, { times: 1 })
  await later(policy.sales.otherAddressMs)
  await later(MINUTE_MS)
  expect(await asStored(unpaid.nummer)).toEqual({ tilstand: 'kansellert', alarm: null, bilag: 0 })
  expect(vipps.payments.find(unpaid.reference)).toMatchObject({ cancelledOre: offer.priceOre - 10_000 })
})

type Sums = Partial<Record<'capturedOre' | 'refundedOre' | 'cancelledOre', number>>

async function approved(meanwhile: () => void, sums: Sums = {}) {
  const { shop, vipps } = current
  const epost = newAddress()
  const { ordre } = await shop.sales.placeOrder({ epost, vilkaarGodtatt: true, idempotensToken: newToken() })
  const nummer = (await shop.sales.readOrder(ordre))?.nummer ?? ''
  const reference = `bo-${nummer}-1`
  meanwhile()
  vipps.approve(reference)
  Object.assign(vipps.payments.find(reference) ?? {}, sums)
  await later(policy.sales.pollFirstMs)
  await later(MINUTE_MS)
  return { epost, nummer, reference }
}

/** What is looked for in the first six days of it is of others. */
async function aWeek(): Promise<void> {
  const { shop, clock } = current
  const { everyMs } = policy.sales.lookAgain
  clock.advance(6 * DAY_MS)
  for (let ms = 0; ms < DAY_MS; ms += everyMs) {
    clock.advance(everyMs)
    await shop.sales.lookAgain()
    await shop.sales.checkPayments({ signal: new AbortController().signal })
  }
}

let told = 0

/** Somebody does it there, and Vipps tells us; by then all that was out of order is well. */
async function inPortal(reference: string, sums: Sums, meanwhile = () => {}): Promise<void> {
  const { vipps, shop, mail } = current
  Object.assign(vipps.payments.find(reference) ?? {}, sums)
  vipps.behave()
  mail.behave()
  meanwhile()
  const { merchantSerialNumber } = vipps.credentials
  told += 1
  await shop.sales.noteWebhook({ merchantSerialNumber, reference, name: 'REFUNDED', pspReference: `${told}` })
  await later(HOUR_MS)
}

/** As an operator is shown it. */
async function sumsOf(nummer: string) {
  return (await findCustomer(current.storage.database, nummer))?.order
}

async function asStored(nummer: string) {
  const [order] = await current.storage.database.query<{
    tilstand: string
    alarm: string | null
    bilag: number
  }>(
    `select tilstand, alarm, (select count(*)::int from bilag where ordre = ordre.id) as bilag from ordre where id = $1`,
    [nummer],
  )
  return order
}
