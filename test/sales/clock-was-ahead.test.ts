import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { bringBack } from '#src/storage/put-off.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyholders, newAddress, newToken } from './keyholders.ts'
import { openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const AHEAD_MS = 400 * 86_400_000

let current: OpenShop
const { keysTo, approve, later, newVerifier } = keyholders(() => current)

shopForEachTest((open) => {
  current = open
})

test('P195: attack: a PostgreSQL whose clock was ahead by a year puts off neither a payment nor a mail by it', async () => {
  const { storage, vipps, mail, clock, shop } = current
  const { database } = storage
  const order = async () => {
    const epost = newAddress()
    const { ordre } = await shop.sales.placeOrder({
      epost,
      vilkaarGodtatt: true,
      idempotensToken: newToken(),
    })
    return { epost, ordre }
  }
  // Every process dates what is sold by PostgreSQL's clock; Vipps does not.
  const ahead = openShop({
    db: database,
    vipps,
    mailUrl: mail.url,
    clock: { now: () => new Date(clock.now().getTime() + AHEAD_MS) },
  })
  const [unpaid, another] = [await order(), await order()]
  try {
    await ahead.goOn()
  } finally {
    await ahead.close()
  }
  const late = () => database.query(`select 1 from ordre where neste_sjekk_at > now() + interval '300 days'`)
  expect(await late()).toHaveLength(2)
  expect(Object.keys(await bringBack(database))).toEqual(['ordre'])
  expect(await late()).toEqual([])
  expect(await bringBack(database)).toEqual({})
  await approve(unpaid.ordre)
  await eventually('it has its key', () => keysTo(unpaid.epost).length === 1)
  expect(keysTo(another.epost)).toEqual([])
})

test.each([
  ['more than its year', AHEAD_MS],
  ['half of it', AHEAD_MS / 2],
])(
  'P27: attack: a key that is mailed while the clock is behind the approval by %s has its year when the clock is right again',
  async (_, behindMs) => {
    const { storage, vipps, mail, clock, shop } = current
    clock.advance(AHEAD_MS)
    const epost = newAddress()
    const { ordre } = await shop.sales.placeOrder({
      epost,
      vilkaarGodtatt: true,
      idempotensToken: newToken(),
    })
    mail.behave({ at: 'rcpt', does: 450 })
    const nummer = (await shop.sales.readOrder(ordre))?.nummer
    vipps.approve(`bo-${nummer}-1`)
    await later(policy.sales.pollFirstMs)
    const approvedAt = clock.now()
    mail.behave()
    clock.advance(-behindMs)
    await storage.database.query('update utboks set neste_at = $1 where ferdig_at is null', [clock.now()])
    await eventually('it has its key', async () => {
      await shop.goOn()
      return keysTo(epost).length === 1
    })
    clock.advance(behindMs)
    const verdict = await newVerifier().verify(keysTo(epost)[0] ?? '')
    expect(verdict).toMatchObject({ ok: true, key: { utloper: expiryOf(approvedAt) } })
  },
)
