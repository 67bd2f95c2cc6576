import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { LOCK, MigrationError, migrate } from '#src/storage/migrate.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { hurry } from '#test/support/hurried-database.ts'

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

  test.each(['LATIN1', 'WIN1252'])(
    'P105: attack: not in a database of %s, which would refuse names for good: it is told in one line, and nothing is made',
    async (encoding) => {
      const own = await createTestDatabase({ isMigrated: false, encoding })
      try {
        await expect(migrate({ url: own.url })).rejects.toThrow(ConfigurationError)
        expect(await own.database.query(`select to_regclass('migrering') as list`)).toEqual([{ list: null }])
      } finally {
        await own.close()
      }
    },
  )

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

test('a migration for which the disk has no room says so', async () => {
  await file(
    '0003_third.sql',
    `-- Is too much.\ndo $$ begin raise exception using errcode = 'disk_full'; end $$;`,
  )
  await expect(migrate({ url: storage.url, folder })).rejects.toThrow(
    /^0003_third\.sql was refused .* no space is left on its disk\. Make room/,
  )
})

describe('P46: a release that is started again', () => {
  test('works on a newer database, as far as that says so, and runs nothing', async () => {
    await file('0003_third.sql', '-- Adds a row.\n-- Works from: 0002\ninsert into a values (3);')
    await migrate({ url: storage.url, folder })
    await rm(join(folder, '0003_third.sql'))
    const log: string[] = []
    expect(await migrate({ url: storage.url, folder, onLog: (line) => log.push(line) })).toEqual([])
    expect(log).toEqual([expect.stringMatching(/newer.*0003_third\.sql.*0002_second\.sql, works on it/)])
  })

  test('a database from between two texts of 0005 gets what it lacks, and its rows stay', async () => {
    const ours = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url))
    const before = await mkdtemp(join(tmpdir(), 'oppslag-between-'))
    try {
      for (const name of (await readdir(ours)).filter((each) => /^000[1-5]_/.test(each)))
        await cp(join(ours, name), join(before, name))
      const path = join(before, '0005_aksjonaerer.sql')
      const text = (await readFile(path, 'utf8'))
        .replace(/^ +-- Read whole or not at all.*\n/m, '')
        .replace('storste json not null', 'storste jsonb not null')
        .replace('innehavere json not null', 'innehavere jsonb not null')
      await writeFile(path, text)
      await migrate({ url: storage.url, folder: before })
      const { database } = storage
      await database.query('create table aksjebok_1 partition of aksjebok for values in (1)')
      await database.query(
        `insert into aksjebok (leveranse, orgnr, aksjer_sum, innehavere, klasser, storste) values (1, 2, 3, 1, '{}', '[{"n": "A"}]')`,
      )

      await migrate({ url: storage.url })
      expect(
        await database.query(
          `select attrelid::regclass::text as tabell, atttypid::regtype::text as type from pg_attribute
           where attrelid in ('aksjebok'::regclass, 'aksjebok_1'::regclass, 'aksjebok_del'::regclass)
             and (attname = 'storste' or attname = 'innehavere' and attrelid = 'aksjebok_del'::regclass) order by 1`,
        ),
      ).toEqual(['aksjebok', 'aksjebok_1', 'aksjebok_del'].map((tabell) => ({ tabell, type: 'json' })))
      expect(await database.query('select orgnr, json_array_length(storste) as n from aksjebok')).toEqual([
        { orgnr: 2, n: 1 },
      ])
      // The files are the ones that ran there, and nothing is run twice.
      expect(await migrate({ url: storage.url })).toEqual([])
    } finally {
      await rm(before, { recursive: true })
    }
  })
})

describe('P190: while somebody reads all there is, as a backup does', () => {
  let reading: pg.Client

  beforeEach(async () => {
    await migrate({ url: storage.url, folder })
    reading = new pg.Client({ connectionString: storage.url })
    await reading.connect()
    await reading.query('begin')
    await reading.query('lock table migrering, a, b in access share mode')
  })
  afterEach(() => reading.end())

  test('a process starts that has nothing to bring up to date', async () => {
    expect(await migrate({ url: storage.url, folder })).toEqual([])
  })

  test('a file that alters what is read steps back, and nobody else waits behind it for longer than who asks has', async () => {
    await file('0003_third.sql', '-- Alters a table.\nalter table a add column m int;')
    const told: string[] = []
    const migrating = migrate({
      url: storage.url,
      folder,
      onLog: (line) => told.push(line),
      lockAgainMs: 100,
    })
    await eventually('it waits', () => told.some((line) => line.includes('0003_third.sql: waits')))
    // Behind a file that waited on, this would come to its time-out (5 s).
    expect(await storage.database.query('select n from a')).toEqual([{ n: 1 }])
    await reading.query('commit')
    expect(await migrating).toEqual(['0003_third.sql'])
  })
})

describe('P190: attack: whoever brings the schema up to date hangs', () => {
  let hanging: pg.Client

  beforeEach(async () => {
    await migrate({ url: storage.url, folder })
    hanging = new pg.Client({ connectionString: storage.url })
    await hanging.connect()
    await hanging.query('select pg_advisory_lock($1)', [LOCK])
  })
  afterEach(() => hanging.end())

  test('a process starts that has nothing to bring up to date', async () => {
    expect(await migrate({ url: storage.url, folder })).toEqual([])
  })

  test('who has something to run says whom it waits for, and goes on when that one is gone', async () => {
    await file('0003_third.sql', '-- Makes a table.\ncreate table c (n int);')
    const told: string[] = []
    const migrating = migrate({ url: storage.url, folder, onLog: (line) => told.push(line) })
    await eventually('it says so', () => told.some((line) => line.includes('is waited for')))
    await hanging.query('select pg_advisory_unlock($1)', [LOCK])
    expect(await migrating).toEqual(['0003_third.sql'])
  })
})

describe('P37: a database that goes away meanwhile is one to be waited for, and no file was refused', () => {
  test('in the middle of a file', async () => {
    await file('0003_third.sql', '-- Ends its own session.\nselect pg_terminate_backend(pg_backend_pid());')
    await expect(migrate({ url: storage.url, folder })).rejects.toBeInstanceOf(StorageUnavailableError)
  })

  test('while another runs them', async () => {
    const other = new pg.Client({ connectionString: storage.url })
    await other.connect()
    await other.query('select pg_advisory_lock($1)', [LOCK])
    const refusal = migrate({ url: storage.url, folder }).catch((error: unknown) => error)
    const endWhoWaits = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory'`
    await eventually('it waits, and is ended', async () => (await other.query(endWhoWaits)).rowCount === 1)
    await other.end()
    expect(await refusal).toBeInstanceOf(StorageUnavailableError)
  })
})

test('P37: attack: a file is run to its end, however soon PostgreSQL has been told to end what takes long', async () => {
  await hurry(storage)
  await file('0003_third.sql', '-- Takes its time.\nselect pg_sleep(1.2);\ninsert into a values (2);')
  expect(await migrate({ url: storage.url, folder })).toContain('0003_third.sql')
  expect(await storage.database.query('select n from a order by n')).toEqual([{ n: 1 }, { n: 2 }])
})

test('P36: attack: who is told to end does not wait for a PostgreSQL that hangs, nor for another who migrates', async () => {
  const other = new pg.Client({ connectionString: storage.url })
  await other.connect()
  await other.query('select pg_advisory_lock($1)', [LOCK])
  const way = await createBreakableConnection(storage.url)
  const told = new AbortController()
  const end = migrate({ url: way.url, folder, ended: told.signal }).catch((error: unknown) => error)
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
  await eventually('it waits', async () => (await other.query(waits)).rowCount === 1)
  way.silence()
  told.abort()
  expect(await end).toBeInstanceOf(StorageUnavailableError)
  await way.close()
  await other.end()
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
    await refused(/newer than this program can use.*0003_third\.sql.*0002_second\.sql/)
  })

  test('P46: when it is newer than any program as old as this can use, though it could use a part of it', async () => {
    await file('0003_third.sql', '-- Adds a row.\n-- Works from: 0002\ninsert into a values (3);')
    await file('0004_fourth.sql', '-- Ends what was.\n-- Works from: 0003\nselect 1;')
    await migrate({ url: storage.url, folder })
    await Promise.all(['0003_third.sql', '0004_fourth.sql'].map((name) => rm(join(folder, name))))
    await refused(/newer than this program can use.*0004_fourth\.sql.*0002_second\.sql/)
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
