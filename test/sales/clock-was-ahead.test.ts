import { expect, test } from 'vitest'
import { bringBack } from '#src/storage/put-off.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyholders, newAddress, newToken } from './keyholders.ts'
import { openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const AHEAD_MS = 400 * 86_400_000

let current: OpenShop
const { keysTo, approve } = keyholders(() => current)

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
