import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { restoreBackup } from '#src/backup/restore-backup.ts'
import { writeBackup } from '#src/backup/write-backup.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { openReceiptSeries } from '#src/storage/receipts.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { keyholders } from './keyholders.ts'
import { openShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const WHY = ['--hvorfor', 'disken røk']

let current: OpenShop
shopForEachTest((open) => {
  current = open
})

test('P170: attack: what is sold after an older backup was read in has no number that was given before, however often', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-bilag-'))
  const path = join(folder, 'kopi.sql.gz')
  const restored: TestDatabase[] = []
  const emptyPlace = async () => {
    const place = await createTestDatabase({ isMigrated: false })
    restored.push(place)
    return place
  }
  try {
    const { storage, clock } = current
    await soldAndRefunded(storage)
    await writeBackup({ url: storage.url, path, now: clock.now() })
    await soldAndRefunded(storage)
    expect(await numbers(storage)).toEqual({ bilag: [1, 2], kreditnota: [1, 2] })

    const first = await emptyPlace()
    const { code, out } = await runCommand({ DATABASE_URL: first.url, DATA_DIR: folder }, [
      'gjenopprett',
      path,
      ...WHY,
    ])
    expect(code).toBe(0)
    const told = Number(/går videre fra nummer (\d+)/.exec(out)?.[1])
    await soldAndRefunded(first)
    await soldAndRefunded(first)
    expect(await numbers(first)).toEqual({
      bilag: [1, told, told + 1],
      kreditnota: [1, told, told + 1],
    })

    // The same backup once more, of which nothing since is known.
    const second = await emptyPlace()
    await restoreBackup({ url: second.url, path })
    await openReceiptSeries(second.database, new Date(Date.now() + 60_000))
    await soldAndRefunded(second)
    const { bilag, kreditnota } = await numbers(second)
    expect([bilag[0], kreditnota[0]]).toEqual([1, 1])
    expect(bilag[1]).toBeGreaterThan(told + 1)
    expect(kreditnota[1]).toBeGreaterThan(told + 1)
  } finally {
    for (const each of restored) await each.close()
    await rm(folder, { recursive: true })
  }
})

test('P170: after other means of PostgreSQL an operator begins a new series, which stands in the trail', async () => {
  const { storage } = current
  await soldAndRefunded(storage)
  const { code, out } = await runCommand({ DATABASE_URL: storage.url }, [
    ...['kunde', 'bilagsrekke', '--json'],
    ...WHY,
  ])
  expect(code).toBe(0)
  const { bilagFra } = JSON.parse(out)
  await soldAndRefunded(storage)
  expect(await numbers(storage)).toEqual({ bilag: [1, bilagFra], kreditnota: [1, bilagFra] })
  const [deed] = await storage.database.query(
    `select gjelder from operator_spor where handling = 'kunde.bilagsrekke' and utfall = 'gjort'`,
  )
  expect(deed).toEqual({ gjelder: String(bilagFra) })
})

async function soldAndRefunded(place: TestDatabase): Promise<void> {
  const { mail, vipps, clock } = current
  const shop = openShop({ db: place.database, vipps, mailUrl: mail.url, clock })
  try {
    const { bought } = keyholders(() => ({ ...current, storage: place, shop }))
    const { ordre } = await bought()
    const { nummer = '' } = (await shop.sales.readOrder(ordre)) ?? {}
    await refundOrder({ db: place.database, clock, policy: policy.sales }, nummer)
    await shop.goOn()
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'refundert' })
  } finally {
    await shop.close()
  }
}

async function numbers({ database }: TestDatabase): Promise<{ bilag: number[]; kreditnota: number[] }> {
  const of = async (table: string) =>
    (await database.query<{ nummer: string }>(`select nummer from ${table} order by nummer`)).map(
      ({ nummer }) => Number(nummer),
    )
  return { bilag: await of('bilag'), kreditnota: await of('kreditnota') }
}
