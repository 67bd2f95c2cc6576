import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { MigrationError, migrate } from '#src/storage/migrate.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
let folder: string

beforeEach(async () => {
  storage = await createTestDatabase({ isMigrated: false })
  folder = await mkdtemp(join(tmpdir(), 'oppslag-migrations-'))
  await file(
    '0001_first.sql',
    '-- Makes the first table.\ncreate table a (n int);\ninsert into a values (1);',
  )
  await file(
    '0002_second.sql',
    '-- Makes the second table.\ncreate table b (n int);\ninsert into b values (1);',
  )
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await storage.close()
})

describe('the schema is brought up to date', () => {
  test('with our own files, once; each tells the operator what it does', async () => {
    const log: string[] = []
    const applied = await migrate({ url: storage.url, onLog: (line) => log.push(line) })
    expect(applied[0]).toBe('0001_api_keys.sql')
    expect(log[0]).toMatch(/^0001_api_keys\.sql: \w+/)
    expect(log).toHaveLength(applied.length)
    expect(await migrate({ url: storage.url })).toEqual([])
  })

  test('by twenty at once: each file is run once, and all twenty end well', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => migrate({ url: storage.url, folder })))
    expect(runs.flat().sort()).toEqual(['0001_first.sql', '0002_second.sql'])
    expect(await storage.database.query('select * from a, b')).toEqual([{ n: 1 }])
  })

  test('from where it stands: a new file alone is run', async () => {
    await migrate({ url: storage.url, folder })
    await file('0003_third.sql', '-- Adds a row.\ninsert into a values (2);')
    expect(await migrate({ url: storage.url, folder })).toEqual(['0003_third.sql'])
    expect(await storage.database.query('select n from a order by n')).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('all of a file or nothing: what was run before a refused statement is undone, earlier files stay', async () => {
    await file(
      '0003_third.sql',
      '-- Fails half-way.\ninsert into a values (2);\ninsert into finnes_ikke values (1);',
    )
    const refusal = await migrate({ url: storage.url, folder }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(MigrationError)
    expect(refusal).toMatchObject({ file: '0003_third.sql', cause: { code: '42P01' } })
    expect(await storage.database.query('select n from a')).toEqual([{ n: 1 }])
    await file('0003_third.sql', '-- Now right.\ninsert into a values (3);')
    expect(await migrate({ url: storage.url, folder })).toEqual(['0003_third.sql'])
  })
})

test('a file and the record of it are kept together or not at all', async () => {
  await file('0003_third.sql', '-- Makes its own record impossible.\nalter table migrering rename to borte;')
  await expect(migrate({ url: storage.url, folder })).rejects.toBeInstanceOf(MigrationError)
  expect(await storage.database.query('select navn from migrering order by navn')).toEqual([
    { navn: '0001_first.sql' },
    { navn: '0002_second.sql' },
  ])
})

describe('it is refused, with a word on what to do', () => {
  test('when the database is newer than the program', async () => {
    await file('0003_third.sql', '-- Known to a newer version.\nselect 1;')
    await migrate({ url: storage.url, folder })
    await rm(join(folder, '0003_third.sql'))
    await refused(/newer than this program.*0003_third\.sql.*0002_second\.sql/)
  })

  test('when a file was changed after it had run', async () => {
    await migrate({ url: storage.url, folder })
    await file('0001_first.sql', '-- Makes the first table.\ncreate table a (n bigint);')
    await refused(/0001_first\.sql.*may not be changed/)
  })

  test('when a file was renamed after it had run', async () => {
    await migrate({ url: storage.url, folder })
    await rm(join(folder, '0002_second.sql'))
    await file(
      '0002_other.sql',
      '-- Makes the second table.\ncreate table b (n int);\ninsert into b values (1);',
    )
    await refused(/0002_second\.sql/)
  })

  test('but not when only the line ends differ, as some checkouts have them', async () => {
    await migrate({ url: storage.url, folder })
    await file(
      '0001_first.sql',
      '-- Makes the first table.\r\ncreate table a (n int);\r\ninsert into a values (1);',
    )
    expect(await migrate({ url: storage.url, folder })).toEqual([])
  })

  test.each([
    ['a number is missing', '0004_fourth.sql', '-- Fine.\nselect 1;'],
    ['a number is there twice', '0002_again.sql', '-- Fine.\nselect 1;'],
    ['a name has no number', 'third.sql', '-- Fine.\nselect 1;'],
    ['a file has no word to the operator', '0003_third.sql', 'select 1;'],
  ])('when %s; nothing is run', async (_, name, sql) => {
    await file(name, sql)
    await refused(/^Migration \d*\w+\.sql: expected number/)
    expect(await storage.database.query(`select from pg_tables where schemaname = 'public'`)).toEqual([])
  })

  test('when PostgreSQL is not there', async () => {
    const nowhere = new URL(storage.url)
    nowhere.port = '1'
    await expect(migrate({ url: nowhere.href, folder })).rejects.toBeInstanceOf(StorageUnavailableError)
  })

  async function refused(message: RegExp): Promise<void> {
    const refusal = await migrate({ url: storage.url, folder }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConfigurationError)
    expect((refusal as Error).message).toMatch(message)
    expect((refusal as Error).message).not.toContain('\n')
  }
})

async function file(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql)
}
