import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Database } from '#src/storage/database.ts'
import { putErrand } from '#src/storage/errands.ts'
import { keyholders, newAddress, newToken } from './keyholders.ts'
import { openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

let current: OpenShop
shopForEachTest((open) => {
  current = open
})
const { keysTo, newVerifier } = keyholders(() => current)
const call = { signal: new AbortController().signal }

test('P105: attack: an errand that fails each time it is tried holds up none of the others', async () => {
  const { storage, shop, clock } = current
  const db = storage.database
  const at = clock.now()
  const subjects = Array.from({ length: 40 }, (_, nr) => `kjede${String(nr).padStart(5, '0')}`)
  for (const gjelder of subjects) await putErrand(db, { slag: 'lenke', gjelder, nr: 1, notBefore: at }, at)
  await db.query(
    `create function sier_nei() returns trigger language plpgsql as 'begin raise exception ''nei''; end'`,
  )
  await db.query(
    `create trigger sier_nei before update on utboks for each row when (old.gjelder = 'kjede00000') execute function sier_nei()`,
  )
  try {
    await expect(shop.sales.runErrands(call)).rejects.toThrow('nei')
    expect(await db.query('select gjelder from utboks where ferdig_at is null')).toEqual([
      { gjelder: 'kjede00000' },
    ])
  } finally {
    await db.query('drop function sier_nei cascade')
  }
})

test('P105: attack: errands nobody here can read are looked at now and again, and hold up no sweep', async () => {
  const { storage, vipps, mail, clock } = current
  const db = storage.database
  const at = clock.now()
  for (let nr = 0; nr < 8; nr += 1)
    await putErrand(db, { slag: 'lenke', gjelder: `kjede0000${nr}`, nr: 1, notBefore: at }, at)
  await db.query(`update utboks set laget_at = '-infinity', neste_at = 'epoch' where gjelder < 'kjede00006'`)
  const enough = new AbortController()
  let asked = 0
  const counting: Database = {
    ...db,
    query(text, values) {
      asked += 1
      if (asked > 200) enough.abort()
      return db.query(text, values)
    },
  }
  const shop = openShop({ db: counting, vipps, mailUrl: mail.url, clock })
  try {
    await shop.sales.runErrands({ signal: enough.signal })
    expect(enough.signal.aborted).toBe(false)
    expect(await db.query('select gjelder from utboks where ferdig_at is not null order by gjelder')).toEqual(
      [{ gjelder: 'kjede00006' }, { gjelder: 'kjede00007' }],
    )
  } finally {
    await shop.close()
  }
})

test('P105: attack: a paid order nobody here can read keeps what is to be done for it, for who can', async () => {
  const { storage, shop, vipps, clock, mail } = current
  const db = storage.database
  const epost = newAddress()
  const { ordre } = await shop.sales.placeOrder({ epost, vilkaarGodtatt: true, idempotensToken: newToken() })
  vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
  clock.advance(policy.sales.pollFirstMs)
  await shop.sales.checkPayments(call)
  const [before] = await db.query<{ salg: unknown }>('select salg from ordre')
  const unreadably = async (work: () => Promise<void>) => {
    await db.query(`update ordre set salg = '{}'`)
    await work()
    await db.query('update ordre set salg = $1', [JSON.stringify(before?.salg)])
    clock.advance(policy.sales.leaseMs)
  }
  await unreadably(shop.goOn)
  await shop.sales.runErrands(call)
  const [key = ''] = keysTo(epost)
  expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
  await shop.goOn()
  expect((await mail.waitForMails({ count: 2, to: epost })).at(-1)?.content.subject).toMatch(/kvittering/i)
})
