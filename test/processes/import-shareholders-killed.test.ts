import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listDeliveries } from '#src/storage/shareholders/deliveries.ts'
import { dropReplacedDeliveries } from '#src/storage/shareholders/replaced-deliveries.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { killChild } from '#test/support/kill-child.ts'
import { csv, deliveryTables, importText, stored } from '../imports/share-registers.ts'

const PROGRAM = fileURLToPath(new URL('../imports/import-shareholders-process.ts', import.meta.url))

let folder: string
let storage: TestDatabase
let child: ChildProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aksjonaer-'))
  await writeFile(join(folder, 'ny.csv'), csv(rowsOf('NY')))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  storage = await createTestDatabase()
})
afterEach(async () => {
  if (child !== undefined) await killChild(child)
  await storage.close()
})

/** Some of the companies scattered, so that every way of reading is under way. */
function rowsOf(navn: string): string[] {
  return Array.from({ length: 20_000 }, (_, index) => {
    const orgnr = 910_000_000 + (index % 100 === 0 ? 1 : Math.floor(index / 30) + 2)
    return `${orgnr};SELSKAP AS;A;${navn} ${index};1980;0484 OSLO;NO;${index + 1};0`
  })
}

function startImport(...place: string[]): ChildProcess {
  child = fork(PROGRAM, [storage.url, join(folder, 'ny.csv'), '2025', ...place], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return child
}

/** PostgreSQL has noticed that the killed process is gone, and undone what was not done. */
function noticed(): Promise<void> {
  return eventually('its connections are gone', async () => {
    const rows = await storage.database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'oppslag import'`,
    )
    return rows.length === 0
  })
}

describe('P18: an import that is killed', () => {
  test.each([
    ['while it looks at the file', 'undersoker', '1'],
    ['when it begins to load', 'leser', '1'],
    ['in the middle of loading', 'leser', '8000'],
    ['before it checks what it has loaded', 'kontrollerer', '1'],
  ])('%s leaves the old year whole, and nothing in the way of the next', async (_, ...place) => {
    await importText(storage.url, csv(rowsOf('GAMMEL')))
    const before = {
      year: await stored(storage.database, 2025),
      tables: await deliveryTables(storage.database),
    }
    const killed = startImport(...place)
    if (killed.stdout !== null) await once(killed.stdout, 'data')
    await killChild(killed)
    expect(killed.signalCode).toBe('SIGKILL')
    expect(await stored(storage.database, 2025)).toEqual(before.year)
    await noticed()
    await dropReplacedDeliveries(storage.database)
    expect(await deliveryTables(storage.database)).toEqual(before.tables)
    expect(await listDeliveries(storage.database, 10)).toHaveLength(1)
    const { outcome } = await importText(storage.url, csv(rowsOf('NY')))
    expect(outcome).toMatchObject({ utfall: 'lest_inn', rader: 20_000, godtatt: 20_000 })
  })

  test('at the moment it makes the year its own leaves the old one or the new one', async () => {
    await importText(storage.url, csv(rowsOf('GAMMEL')))
    const old = await stored(storage.database, 2025)
    const release = Promise.withResolvers<void>()
    // Nobody can be removed, and so no year be published, for as long as somebody is being removed.
    const holding = storage.database.transaction(async (connection) => {
      await connection.query('lock table fjernet in share row exclusive mode')
      await release.promise
    })
    const killed = startImport()
    await eventually('it has begun to publish', async () => (await waitingForRemoved()) === 1)
    await killChild(killed)
    release.resolve()
    await holding
    await noticed()
    expect(await stored(storage.database, 2025)).toEqual(old)
    const finished = startImport()
    await once(finished, 'exit')
    expect(finished.exitCode).toBe(0)
    expect((await stored(storage.database, 2025)).books[0]?.storste[0].n).toMatch(/^NY /)
    expect(await deliveryTables(storage.database)).toHaveLength(6)
  })
})

async function waitingForRemoved(): Promise<number> {
  const rows = await storage.database.query(
    `select from pg_locks where relation = 'fjernet'::regclass and not granted`,
  )
  return rows.length
}
