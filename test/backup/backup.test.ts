import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import {
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BackupUnreadableError } from '#src/backup/format.ts'
import { readBackup } from '#src/backup/read-backup.ts'
import { restoreBackup } from '#src/backup/restore-backup.ts'
import { writeBackup } from '#src/backup/write-backup.ts'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { LOCK, migrate } from '#src/storage/migrate.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { holdAndHurry, waitsTooLong } from '#test/support/hurried-database.ts'
import { putYear } from '#test/support/share-books.ts'

const run = promisify(execFile)
const now = new Date('2026-11-22T10:00:00Z')
const hasPsql = spawnSync('psql', ['--version']).status === 0

/** With something in it, and never written to again. */
let storage: TestDatabase
/** A backup of it. */
let whole: string
let shared: string
/** Empty, for those that ask for one. */
let empty: TestDatabase
let folder: string
let path: string

beforeAll(async () => {
  storage = await createTestDatabase()
  const { database } = storage
  await hidePerson(database, { navn: 'KARI NORDMANN', fodselsaar: 1970, orgnr: null })
  const holders = [{ n: 'OLA \\. NORDMANN\ttab', f: 1970, l: 'NO', a: [[0, 5]] as [number, number][] }]
  await putYear(database, { aar: 2023, books: [{ orgnr: 923609016, holders }] })
  await putYear(database, { aar: 2024, books: [{ orgnr: 923609016, holders }] })
  // As an import has it that is not through.
  await database.query('create table aksjebok_3 (like aksjebok including defaults including constraints)')
  await database.query(`insert into prosessfeil values
    (1, gen_random_uuid(), 'front', E'back\\\\slash\\n\\\\.\\nline', now(), E'\\\\.', null), (2, gen_random_uuid(), '', '', now(), '', '')`)
})
beforeAll(async () => {
  shared = await mkdtemp(join(tmpdir(), 'oppslag-backup-'))
  whole = join(shared, 'hel.sql.gz')
  await writeBackup({ url: storage.url, path: whole, now })
})
afterAll(async () => {
  await storage.close()
  await rm(shared, { recursive: true })
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oppslag-backup-'))
  path = join(folder, 'kopi.sql.gz')
})
afterEach(() => rm(folder, { recursive: true }))

function withEmptyPlace(): void {
  beforeEach(async () => {
    empty = await createTestDatabase({ isMigrated: false })
  })
  afterEach(() => empty.close())
}

describe('a backup', () => {
  test('is one file that this user alone may read, and tells what is in it', async () => {
    const made = await write()
    expect(await readdir(folder)).toEqual(['kopi.sql.gz'])
    const { mode, size } = await stat(path)
    expect(mode & 0o777).toBe(0o600)
    expect(made).toMatchObject({ path, bytes: size, beginning: { format: 1, tatt: now.toISOString() } })
    const rows = Object.fromEntries(made.ending.tabeller.map(({ tabell, rader }) => [tabell, rader]))
    expect(rows).toMatchObject({ skjult_person: 1, aksjebok_1: 1, aksjebok_2: 1, prosessfeil: 2 })
    // What no import has finished is not kept, nor what the program makes itself.
    expect(Object.keys(rows)).not.toContain('aksjebok_3')
    expect(Object.keys(rows)).not.toContain('migrering')
    // A guess at a key is to cost whoever reads it an argon2.
    expect(Object.keys(rows)).not.toContain('nokkelbevis')
    expect(await readBackup(path)).toEqual({ beginning: made.beginning, ending: made.ending })
  })

  test('P66: attack: has nothing of somebody else’s tables in the same place, says so, and can be read in', async () => {
    const shared = await createTestDatabase()
    const target = await createTestDatabase({ isMigrated: false })
    try {
      await shared.database.query('create table notater (id bigserial primary key, tekst text)')
      await shared.database.query('create sequence annens_nummer')
      const made = await writeBackup({ url: shared.url, path, now })
      expect(made.leftOut).toEqual(['notater'])
      expect(gunzipSync(await readFile(path)).toString()).not.toMatch(/notater|annens_nummer/)
      await restoreBackup({ url: target.url, path })
      expect(await tablesOf(target)).not.toContain('notater')
      // Nothing else is: each table there is after the migrations is one they have made.
      expect((await writeBackup({ url: target.url, path: join(folder, 'b.sql.gz'), now })).leftOut).toEqual(
        [],
      )
    } finally {
      await shared.close()
      await target.close()
    }
  })

  test('P66: attack: is taken, and read in, however soon PostgreSQL has been told to end whatever takes long', async () => {
    const source = await createTestDatabase()
    const target = await createTestDatabase({ isMigrated: false })
    const using = await holdAndHurry(source, 'lock table api_nokkel in access exclusive mode')
    const migrating = await holdAndHurry(target, `select pg_advisory_lock(${LOCK})`)
    try {
      const taken = writeBackup({ url: source.url, path, now })
      await Promise.race([taken, waitsTooLong(source, 'oppslag backup')])
      await using.end()
      const { beginning } = await taken
      const read = restoreBackup({ url: target.url, path })
      await Promise.race([read, waitsTooLong(target, 'oppslag backup')])
      await migrating.end()
      expect((await read).beginning).toEqual(beginning)
    } finally {
      await Promise.all([using.end(), migrating.end()])
      await Promise.all([source.close(), target.close()])
    }
  })

  test('P66: two that are taken in the same second, to the same name, do not take each other away', async () => {
    const take = () => writeBackup({ url: storage.url, path, now })
    const taken = await Promise.allSettled([take(), take()])
    expect(taken.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await readdir(folder)).toEqual(['kopi.sql.gz'])
    expect((await readBackup(path)).beginning.tatt).toBe(now.toISOString())
  })

  test('P66: is of one moment: what is written while it is taken is in no table of it', async () => {
    const busy = await createTestDatabase()
    try {
      let isWritten: Promise<unknown> | null = null
      await busy.database.query(`insert into feed_hendelse (foretak, seksjoner, lest_at)
        select '923609016', '{roller}', now() from generate_series(1, 20000)`)
      const made = await writeBackup({
        url: busy.url,
        path,
        now,
        // feed_hendelse is at hand; both tables before it and after it get a row at once.
        onProgress: () => {
          isWritten ??= busy.database.query(`with a as (insert into bilag values
            (1, 'a', 'b', now(), '', 1, 'NOK', '', ''))
            insert into vipps_webhook values ('a', 'b', 'c', now())`)
        },
      })
      await isWritten
      expect(isWritten).not.toBeNull()
      const rows = Object.fromEntries(made.ending.tabeller.map(({ tabell, rader }) => [tabell, rader]))
      expect([rows.bilag, rows.vipps_webhook, rows.feed_hendelse]).toEqual([0, 0, 20_000])
    } finally {
      await busy.close()
    }
  })

  test('that can not be written leaves nothing, whatever was there before stays, and it is told in one line', async () => {
    await write()
    const before = await readFile(path)
    await expect(write()).rejects.toThrow(/finnes fra før/)
    expect(await readFile(path)).toEqual(before)
    await expect(writeBackup({ url: storage.url, path: '/proc/sys/kopi.sql.gz', now })).rejects.toThrow(
      OppslagError,
    )
    const bare = await createTestDatabase({ isMigrated: false })
    await expect(writeBackup({ url: bare.url, path: join(folder, 'b.sql.gz'), now })).rejects.toThrow(
      /ingenting/,
    )
    await bare.close()
    expect(await readdir(folder)).toEqual(['kopi.sql.gz'])
  })

  test('that is interrupted leaves nothing, and lets the database go', async () => {
    const controller = new AbortController()
    const writing = writeBackup({
      url: storage.url,
      path,
      now,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' })
    expect(await readdir(folder)).toEqual([])
  })

  test('P66: while which its connection breaks leaves nothing, and it is told that PostgreSQL is away', async () => {
    const busy = await createTestDatabase()
    const way = await createBreakableConnection(busy.url)
    try {
      // More than lies on the way when it breaks.
      await busy.database.query(`insert into feed_hendelse (foretak, seksjoner, lest_at)
        select '923609016', array[repeat(md5(n::text), 100)], now() from generate_series(1, 10000) n`)
      const begun = Promise.withResolvers<void>()
      const cut = begun.promise.then(way.cut)
      const writing = writeBackup({ url: way.url, path, now, onProgress: () => begun.resolve() })
      await expect(writing).rejects.toBeInstanceOf(StorageUnavailableError)
      await cut
      expect(await readdir(folder)).toEqual([])
    } finally {
      await way.close()
      await busy.close()
    }
  })

  test.runIf(process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0)(
    'P66: on a full disk leaves nothing, and says so in one line (needs root, who may mount)',
    async (context) => {
      const small = join(folder, 'liten')
      await run('mkdir', [small])
      const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', small]).catch(() => null)
      if (mounted === null) return context.skip('this root may not mount')
      try {
        await storage.database.query(`select 1`)
        const busy = await createTestDatabase()
        await busy.database.query(`insert into feed_hendelse (foretak, seksjoner, lest_at)
          select '923609016', array[md5(n::text)], now() from generate_series(1, 5000) n`)
        const written = writeBackup({ url: busy.url, path: join(small, 'kopi.sql.gz'), now })
        await expect(written).rejects.toThrow(`Ingen sikkerhetskopi er laget i ${small}: disken er full.`)
        expect(await readdir(small)).toEqual([])
        await busy.close()
      } finally {
        await run('umount', [small])
      }
    },
  )

  test('P66: where there is a file and no folder, it leaves that as it is, and says so in one line', async () => {
    const file = join(folder, 'fil')
    await writeFile(file, 'et brev')
    for (const place of [file, join(file, 'under')]) {
      const written = writeBackup({ url: storage.url, path: join(place, 'kopi.sql.gz'), now })
      await expect(written).rejects.toThrow(`Ingen sikkerhetskopi er laget i ${place}: det er ingen mappe.`)
    }
    expect(await readFile(file, 'utf8')).toBe('et brev')
  })

  test.runIf(process.getuid?.() === 0)(
    'P66: attack: one that root took first keeps those of the service’s own user from no place (needs root)',
    async () => {
      const own = join(folder, 'tjenestens')
      await mkdir(own)
      await chown(own, 65_534, 65_533)
      const places = join(own, 'kopier')
      const { path } = await writeBackup({ url: storage.url, path: join(places, 'uke', 'en.sql.gz'), now })
      for (const made of [places, join(places, 'uke'), path])
        expect(await stat(made)).toMatchObject({ uid: 65_534, gid: 65_533 })
      expect((await stat(places)).mode & 0o777).toBe(0o700)
    },
  )
})

describe('P66: a file that is not a whole backup is refused', () => {
  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    [
      'with one byte changed',
      (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 300 ? byte ^ 1 : byte))),
    ],
    ['with a row more', (bytes: Buffer) => changed(bytes, /\n\\\.\n-- \{"tabell":"skjult_person"/, '\nx$&')],
    ['with a row less', (bytes: Buffer) => changed(bytes, /(from stdin;\n)1\tKARI.*\n/, '$1')],
    [
      'with a number that no sequence has',
      (bytes: Buffer) =>
        changed(bytes, /(?<="fjernet_nummer","verdi":"|'fjernet_nummer', )\d+/g, '9'.repeat(19)),
    ],
    ['with a name changed', (bytes: Buffer) => changed(bytes, /1\tKARI NORDMANN/, '1\tOLAV NORDMANN')],
    [
      'with a statement of somebody else’s',
      (bytes: Buffer) => changed(bytes, /\ncopy /, '\ndrop table api_nokkel;\ncopy '),
    ],
    [
      'with a name that is more than a name',
      (bytes: Buffer) => changed(bytes, /"skjult_person","kolonner"/, '"a; drop table b","kolonner"'),
    ],
    ['without its end', (bytes: Buffer) => changed(bytes, /-- \{"tabeller"[\s\S]*/, '')],
    ['with something after its end', (bytes: Buffer) => changed(bytes, /$/, 'select 1;\n')],
    ['of another kind', () => gzipSync('hei\n')],
    ['that is not packed', () => Buffer.from('hei')],
    ['of a later format', (bytes: Buffer) => changed(bytes, /"format":1/, '"format":2')],
  ])('%s', async (_, spoil) => {
    await writeFile(path, spoil(await readFile(whole)))
    await expect(readBackup(path)).rejects.toThrow(BackupUnreadableError)
  })

  test('one that is not there', async () => {
    await expect(readBackup(join(folder, 'borte'))).rejects.toThrow(/finnes ikke/)
  })

  test('P66: attack: a named pipe that nobody writes to is refused, and not waited for', async () => {
    const pipe = join(folder, 'kopi.sql.gz')
    await run('mkfifo', [pipe])
    const told = readBackup(pipe).catch((error: unknown) => error)
    await Promise.race([told, once(AbortSignal.timeout(10_000), 'abort')])
    // Whoever waits for one who writes would wait for ever.
    await open(pipe, constants.O_RDWR | constants.O_NONBLOCK).then((file) => file.close())
    expect(String(await told)).toMatch(/ingen vanlig fil/)
  })
})

describe('what is found out only when it is read in leaves the place empty', () => {
  withEmptyPlace()

  test('a row less than there was', async () => {
    await writeFile(path, changed(await readFile(whole), /(from stdin;\n)1\tKARI.*\n/, '$1'))
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(BackupUnreadableError)
    expect(await tablesOf(empty)).toEqual([])
  })

  test('a row that PostgreSQL does not take', async () => {
    await writeFile(path, changed(await readFile(whole), /\n1\tKARI/, '\nx\tKARI'))
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(/skjult_person/)
    expect(await tablesOf(empty)).toEqual([])
  })

  test.each([
    ['a table of PostgreSQL’s own', 'pg_authid'],
    ['the list of migrations', 'migrering'],
    ['a table that is none', 'finnes_ikke'],
  ])('P172: attack: one that goes together with itself and has %s in it', async (_, name) => {
    await writeFile(path, changed(await readFile(whole), /\bskjult_person\b/g, name))
    await expect(readBackup(path)).resolves.toBeTruthy()
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(/ikke er av tjenesten/)
    expect(await tablesOf(empty)).toEqual([])
  })

  test.each([
    ['a column there is not', /\bfodselsaar\b/g, 'fodselsdag'],
    ['a part of another table', /\baksjebok_1\b/g, 'ordre'],
    ['a part of what is not divided', /"av":"aksjebok"|like aksjebok including|table aksjebok attach/g, null],
    ['a sequence there is not', /\bskjult_person_id_seq\b/g, 'pg_annen_seq'],
  ])('P172: attack: one that has %s in it', async (_, what, into) => {
    const swap = (all: string) => into ?? all.replace('aksjebok', 'ordre')
    const text = gunzipSync(await readFile(whole)).toString('latin1')
    expect(text).toMatch(what)
    await writeFile(path, gzipSync(Buffer.from(text.replace(what, swap), 'latin1')))
    await expect(readBackup(path)).resolves.toBeTruthy()
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(/ikke er av tjenesten/)
    expect(await tablesOf(empty)).toEqual([])
  })

  test('one of a later release', async () => {
    const later = (bytes: Buffer) =>
      changed(bytes, /\}\]\}\n/, `},{"navn":"9999_ny.sql","sjekksum":"${'0'.repeat(64)}"}]}\n`)
    await writeFile(path, later(await readFile(whole)))
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(ConfigurationError)
    expect(await tablesOf(empty)).toEqual([])
  })
})

describe('reading one in', () => {
  withEmptyPlace()

  test('comes back as it was: rows, parts of tables, and the numbers that come next', async () => {
    await restoreBackup({ url: empty.url, path: whole })
    for (const table of [
      'skjult_person',
      'aksjeleveranse',
      'aksjebok',
      'aksjebok_del',
      'prosessfeil',
      'eierandel',
    ])
      expect(await rowsOf(empty, table), table).toEqual(await rowsOf(storage, table))
    expect(await partsOf(empty)).toEqual((await partsOf(storage)).filter((name) => !name.endsWith('_3')))
    const next = `insert into skjult_person (navn, fodselsaar) values ('NY', 1980) returning id`
    expect(await empty.database.query(next)).toEqual([{ id: 2 }])
  })

  test('of an earlier schema is brought up to date as it is read in', async () => {
    await migrate({ url: empty.url })
    const names = (await rowsOf(empty, 'migrering')).length
    const earlier = await createTestDatabase({ isMigrated: false })
    try {
      const { beginning } = await readBackup(whole)
      // As the release of six migrations would have left it.
      await earlier.database.query(
        'create table migrering (navn text, sjekksum text, utfort_at timestamptz default now())',
      )
      const kept = beginning.skjema.slice(0, 6)
      for (const { navn, sjekksum } of kept) {
        const sql = await readFile(new URL(`../../src/storage/migrations/${navn}`, import.meta.url), 'utf8')
        await earlier.database.query(sql)
        await earlier.database.query('insert into migrering values ($1, $2)', [navn, sjekksum])
      }
      await earlier.database.query(`insert into skjult_person (navn, fodselsaar) values ('KARI', 1970)`)
      const old = join(folder, 'gammel.sql.gz')
      await writeBackup({ url: earlier.url, path: old, now })
      const target = await createTestDatabase({ isMigrated: false })
      await restoreBackup({ url: target.url, path: old })
      expect(await rowsOf(target, 'skjult_person')).toHaveLength(1)
      expect(await rowsOf(target, 'migrering')).toHaveLength(names)
      await target.close()
    } finally {
      await earlier.close()
    }
  })

  test.skipIf(!hasPsql)('is read by psql too, without this program (needs psql)', async () => {
    await migrate({ url: empty.url })
    const sql = join(folder, 'kopi.sql')
    await writeFile(sql, gunzipSync(await readFile(whole)))
    const psql = await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', sql, empty.url])
    expect(psql.stderr).toBe('')
    for (const table of ['skjult_person', 'aksjebok', 'prosessfeil'])
      expect(await rowsOf(empty, table), table).toEqual(await rowsOf(storage, table))
  })

  test('is refused where there is anything, which stays', async () => {
    await copyFile(whole, path)
    await empty.database.query('create table noe (n int)')
    await expect(restoreBackup({ url: empty.url, path })).rejects.toThrow(/ikke tom \(den har noe\)/)
    expect(await tablesOf(empty)).toEqual(['noe'])
    await expect(restoreBackup({ url: storage.url, path })).rejects.toThrow(/ikke tom/)
  })

  test('that is interrupted leaves the place empty, for the next try', async () => {
    await copyFile(whole, path)
    const controller = new AbortController()
    const restoring = restoreBackup({
      url: empty.url,
      path,
      signal: controller.signal,
      onProgress: ({ table }) => {
        if (table === 'prosessfeil') controller.abort()
      },
    })
    await expect(restoring).rejects.toMatchObject({ name: 'AbortError' })
    expect(await tablesOf(empty)).toEqual([])
    await restoreBackup({ url: empty.url, path })
    expect(await rowsOf(empty, 'skjult_person')).toHaveLength(1)
  })
})

function write() {
  return writeBackup({ url: storage.url, path, now })
}

function changed(bytes: Buffer, what: RegExp, into: string): Buffer {
  const text = gunzipSync(bytes).toString('latin1')
  expect(text).toMatch(what)
  return gzipSync(Buffer.from(text.replace(what, into), 'latin1'))
}

async function rowsOf({ database }: TestDatabase, table: string): Promise<string[]> {
  const rows = await database.query<{ row: string }>(
    `select t::text as row from ${table} t ${table.startsWith('aksjebok') || table === 'eierandel' ? 'where leveranse < 3' : ''} order by 1`,
  )
  return rows.map(({ row }) => row)
}

async function tablesOf({ database }: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Each part with its table and its bound. */
async function partsOf({ database }: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ part: string }>(
    `select inhparent::regclass || ' ' || inhrelid::regclass || ' ' || pg_get_expr(relpartbound, c.oid) as part
     from pg_inherits join pg_class c on c.oid = inhrelid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ part }) => part)
}
