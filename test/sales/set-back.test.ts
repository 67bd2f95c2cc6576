import { afterEach, beforeEach, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { countSales } from '#src/storage/customers.ts'
import type { Database } from '#src/storage/database.ts'
import { keyholders, newAddress, newToken } from './keyholders.ts'
import { openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

let current: OpenShop
let forgetful: OpenShop['shop']
shopForEachTest((open) => {
  current = open
})
beforeEach(() => {
  const { storage, vipps, mail, clock } = current
  forgetful = openShop({ db: losingAKey(storage.database), vipps, mailUrl: mail.url, clock })
})
afterEach(() => forgetful.close())

const { bought, replaced, keysTo, newVerifier, later: goOn } = keyholders(() => current)

/** As a server in whose place comes another while a mail is under way: what was stored of the first key before it went is not there. */
function losingAKey(db: Database): Database {
  let isLost = false
  return {
    ...db,
    async transaction(work) {
      const result = await db.transaction(work)
      if (!isLost) isLost = (await db.query(LOSE)).length > 0
      return result
    },
  }
}
const LOSE = `with borte as (delete from api_nokkel where tilstand = 'ventende' returning levering)
  update utboks set forsok = forsok - 1, neste_at = laget_at where id in (select levering from borte) returning id`

test('P193: attack: a key that is lost while it is mailed is not delivered: another goes, and then the money is taken', async () => {
  current = { ...current, shop: forgetful }
  const { epost, key } = await bought()
  const keys = keysTo(epost)
  expect(keys).toHaveLength(2)
  expect(await newVerifier().verify(keys[0] ?? '')).toMatchObject({ ok: false })
  expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
})

test('P193: attack: one that is lost while it is mailed in the place of another replaces nothing', async () => {
  const { epost } = await bought()
  current = { ...current, shop: forgetful }
  const fresh = await replaced(epost, 'tapt')
  expect(keysTo(epost)).toHaveLength(3)
  expect(await newVerifier().verify(fresh)).toMatchObject({ ok: true })
})

test('P193: attack: a payment whose order is lost before it is approved is told of, until it is let go', async () => {
  const { storage, shop, vipps, clock } = current
  const told = async () => (await countSales(storage.database, clock.now())).paymentsOfNobody
  const { ordre } = await shop.sales.placeOrder({
    epost: newAddress(),
    vilkaarGodtatt: true,
    idempotensToken: newToken(),
  })
  const reference = `bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`
  const say = (name: string, about = reference) =>
    shop.sales.noteWebhook({
      merchantSerialNumber: vipps.credentials.merchantSerialNumber,
      reference: about,
      name,
      pspReference: `hendelse-${name}`,
    })
  await storage.database.query('delete from ordre')
  await say('AUTHORIZED', 'en-annens-ordre-1')
  expect(await told()).toBe(0)
  await say('AUTHORIZED')
  expect(await told()).toBe(1)
  await say('CANCELLED')
  expect(await told()).toBe(0)
})

test('P193: attack: a receipt that is being mailed when its number becomes another’s errand leaves that one its key', async () => {
  const { storage, vipps, mail, clock } = current
  const later = { epost: newAddress(), vilkaarGodtatt: true, idempotensToken: newToken() }
  let isSetBack = false
  const shop = openShop({
    db: storage.database,
    vipps,
    mailUrl: mail.url,
    clock,
    async reached(point) {
      if (point !== 'receipt-sent:after' || isSetBack) return
      isSetBack = true
      const { ordre } = await current.shop.sales.placeOrder(later)
      clock.advance(policy.sales.pollFirstMs)
      vipps.approve(`bo-${(await current.shop.sales.readOrder(ordre))?.nummer}-1`)
      await current.shop.sales.checkPayments({ signal: new AbortController().signal })
      await storage.database.query(NUMBER_GIVEN_AGAIN)
    },
  })
  const first = current.shop
  current = { ...current, shop }
  await bought()
  current = { ...current, shop: first }
  await goOn(0)
  expect(keysTo(later.epost)).toHaveLength(1)
  await shop.close()
})

/** The receipt under way is not there, and the key of the later order is delivered under its number. */
const NUMBER_GIVEN_AGAIN = `with borte as (delete from utboks where slag = 'kvittering' returning id),
  ny as (delete from utboks where slag = 'lever' and ferdig_at is null returning *)
  insert into utboks (id, slag, gjelder, nr, laget_at, neste_at) overriding system value
  select borte.id, ny.slag, ny.gjelder, ny.nr, ny.laget_at, ny.neste_at from ny, borte`
