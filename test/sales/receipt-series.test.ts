import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { restoreBackup } from '#src/backup/restore-backup.ts'
import { writeBackup } from '#src/backup/write-backup.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { LOCK } from '#src/storage/migrate.ts'
import { openReceiptSeries } from '#src/storage/receipts.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { openTestPool } from '#test/support/test-pool.ts'
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
    const { storage } = current
    await soldAndRefunded(storage)
    await writeBackup({ url: storage.url, path, now: new Date() })
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

test('P170: attack: what reads a backup in dies in the moment the rows are there: the series is there with them, and the trail', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-bilag-'))
  const path = join(folder, 'kopi.sql.gz')
  const place = await createTestDatabase({ isMigrated: false })
  const pool = openTestPool(place.url)
  const [first, second] = [await pool.pool.connect(), await pool.pool.connect()]
  try {
    await writeBackup({ url: current.storage.url, path, now: new Date(Date.now() - 60_000) })
    // Whoever reads it in waits for this lock, and whoever waits behind it has it from when the rows are there.
    await first.query('select pg_advisory_lock($1)', [LOCK])
    const variables = { DATABASE_URL: place.url, DATA_DIR: folder }
    const restoring = runCommand(variables, ['gjenopprett', path, ...WHY], { isAlone: false })
    await eventually('it waits', async () => (await waiting(place)) === 1)
    const there = second.query('select pg_advisory_lock($1)', [LOCK])
    await eventually('another waits behind it', async () => (await waiting(place)) === 2)
    await first.query('select pg_advisory_unlock($1)', [LOCK])
    await there
    const { rows } = await second.query(
      `select (select count(*)::int from bilagsrekke) as series,
         (select count(*)::int from operator_spor where handling = 'gjenopprett') as trail`,
    )
    expect(rows).toEqual([{ series: 1, trail: 1 }])
    await second.query('select pg_advisory_unlock($1)', [LOCK])
    expect(await restoring).toMatchObject({ code: 0 })
  } finally {
    first.release()
    second.release()
    await pool.close()
    await place.close()
    await rm(folder, { recursive: true })
  }
})

test('P170: attack: with a clock that is behind what was given, no series begins, and nothing is read in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-bilag-'))
  const path = join(folder, 'kopi.sql.gz')
  const place = await createTestDatabase({ isMigrated: false })
  try {
    const { storage } = current
    const at = new Date('2026-11-23T10:00:30Z')
    await openReceiptSeries(storage.database, at)
    for (const behind of [at, new Date(at.getTime() - 3_600_000)])
      await expect(openReceiptSeries(storage.database, behind)).rejects.toThrow(/klokke/)
    await writeBackup({ url: storage.url, path, now: new Date(Date.now() + 3_600_000) })
    const refused = await runCommand({ DATABASE_URL: place.url, DATA_DIR: folder }, [
      'gjenopprett',
      path,
      ...WHY,
    ])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('still klokken først') })
    expect(await place.database.query(`select from pg_tables where schemaname = 'public'`)).toEqual([])
  } finally {
    await place.close()
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

/** How many wait for the lock. */
async function waiting({ database }: TestDatabase): Promise<number> {
  const [row] = await database.query<{ number: number }>(
    `select count(*)::int as number from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return row?.number ?? 0
}

async function numbers({ database }: TestDatabase): Promise<{ bilag: number[]; kreditnota: number[] }> {
  const of = async (table: string) =>
    (await database.query<{ nummer: string }>(`select nummer from ${table} order by nummer`)).map(
      ({ nummer }) => Number(nummer),
    )
  return { bilag: await of('bilag'), kreditnota: await of('kreditnota') }
}
