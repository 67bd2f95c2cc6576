import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { openEmbeddedDatabase, waitAfterDeath } from '#src/embedded/embedded-database.ts'
import { OWNER, ROLE } from '#src/embedded/names.ts'
import { askPostgres } from '#test/support/ask-postgres.ts'
import { startCommand } from '#test/support/command.ts'
import { makeDataFolder } from '#test/support/data-folder.ts'
import { asOwner } from '#test/support/embedded/as-owner.ts'
import { holdEmbeddedDatabase } from '#test/support/embedded-holder.ts'
import { eventually } from '#test/support/eventually.ts'

const isRoot = process.getuid?.() === 0

/** Where a cluster has been made; nothing runs there between tests. */
let dataDir: string
let emptyDir: string

beforeAll(async () => {
  dataDir = await newFolder()
})
beforeEach(async () => {
  emptyDir = await newFolder()
})
afterEach(() => rm(emptyDir, { recursive: true }))
afterAll(() => rm(dataDir, { recursive: true }))

describe('an embedded database', () => {
  test('is made in an empty folder, out of reach for others, is safe at a power cut, and asks for a password', async () => {
    const { url, close } = await open({ durable: true })
    const [settings] = await askPostgres(
      url,
      `select current_setting('listen_addresses') as listens, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('server_version_num')::int / 10000 as version`,
    )
    const sockets = join(await realpath(dataDir), 'postgres', 'socket')
    expect(settings).toEqual({ listens: '', sockets: `"${sockets}"`, fsync: 'on', version: 18 })
    const wrong = new URL(url)
    wrong.password = 'feil'
    await expect(askPostgres(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    for (const closed of ['', 'data', 'socket', 'password', 'service-password'])
      expect((await stat(join(dataDir, 'postgres', closed))).mode & 0o077, closed).toBe(0)
    await close()
  })

  test.skipIf(process.platform === 'win32')(
    'P47: closes the folder it is given, also one that was open to all; not one that is everybody’s',
    async () => {
      await chmod(emptyDir, 0o777)
      await (await openEmbeddedDatabase({ dataDir: emptyDir, durable: false })).close()
      // Under root it lets PostgreSQL's own user through, and shows nobody what is in it.
      expect((await stat(emptyDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700)
      await chmod(emptyDir, 0o1777)
      await (await openEmbeddedDatabase({ dataDir: emptyDir, durable: false })).close()
      expect((await stat(emptyDir)).mode & 0o7777).toBe(0o1777)
    },
  )

  test.skipIf(process.platform === 'win32')(
    'attack: a folder whose name is a program for the shell is a folder',
    async () => {
      const folder = join(emptyDir, `a"b $(touch x) \`touch y\` 'c' \\ ;touch z`)
      const { url, close } = await openEmbeddedDatabase({ dataDir: folder, durable: false })
      expect(await askPostgres(url, "select current_setting('data_directory') as folder")).toEqual([
        { folder: join(await realpath(folder), 'postgres', 'data') },
      ])
      await close()
      const made = await readdir(emptyDir, { recursive: true })
      expect(made.filter((name) => /(^|\/)[xyz]$/.test(name))).toEqual([])
    },
  )

  test('is used by a role that may do nothing beyond its own database', async () => {
    const { url, close } = await open()
    const [role] = await askPostgres(
      url,
      `select current_user as name, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
       from pg_roles where rolname = current_user`,
    )
    expect(role).toEqual({
      name: 'oppslag_tjeneste',
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
    })
    for (const forbidden of [
      `copy (select 1) to program 'true'`,
      `select pg_read_file('postgresql.conf')`,
      `alter role oppslag password 'mitt'`,
      'create database annen',
    ])
      await expect(askPostgres(url, forbidden), forbidden).rejects.toMatchObject({ code: '42501' })
    await close()
  })

  test('keeps what it was given from one start to the next', async () => {
    const first = await open()
    await askPostgres(first.url, 'create table ting as select 7 as n')
    await first.close()
    expect(await answers(first.url)).toBe(false)
    const second = await open()
    expect(await askPostgres(second.url, 'select n from ting')).toEqual([{ n: 7 }])
    await second.close()
    await second.close()
  })
})

describe('several processes on one folder', () => {
  test('two that open an empty folder at once share one cluster; the last one out stops it', async () => {
    const [first, second] = await Promise.all([
      holdEmbeddedDatabase(emptyDir),
      holdEmbeddedDatabase(emptyDir),
    ])
    expect(first.url).toBe(second.url)
    expect(await first.release()).toEqual(['still there', 'closed'])
    expect(await answers(second.url)).toBe(true)
    expect(await second.release()).toEqual(['still there', 'closed'])
    expect(await answers(second.url)).toBe(false)
    expect(await exists(join(emptyDir, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
  })

  test('eight that close at once leave nothing running', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()))
    await Promise.all(all.map(({ close }) => close()))
    expect(await answers(all[0]?.url ?? '')).toBe(false)
  })

  test('a Ctrl-C in the terminal does not reach PostgreSQL: its user still has it while it closes', async () => {
    const holder = await holdEmbeddedDatabase(dataDir)
    process.kill(-(holder.process.pid ?? 0), 'SIGINT')
    expect(await holder.ended()).toEqual(['still there', 'closed'])
    expect(await answers(holder.url)).toBe(false)
  })

  test('one that was killed leaves it running, for the next to use and to stop', async () => {
    const holder = await holdEmbeddedDatabase(dataDir)
    holder.process.kill('SIGKILL')
    await holder.ended()
    const next = await open()
    expect(next.url).toBe(holder.url)
    await next.close()
    expect(await answers(next.url)).toBe(false)
  })

  test('somebody who is connected without having opened it is not cut off', async () => {
    const { url, close } = await open()
    const stranger = new pg.Client({ connectionString: url })
    await stranger.connect()
    await close()
    expect((await stranger.query('select 1 as en')).rows).toEqual([{ en: 1 }])
    await stranger.end()
    await (await open()).close()
    expect(await answers(url)).toBe(false)
  })

  test('P51: attack: nor is one who has come in, by whoever started it and finds no place for one more', async () => {
    const { url, close } = await open()
    await asOwner(url, dataDir, `alter role ${ROLE} connection limit 0`)
    await close()
    const owner = new URL(url)
    owner.username = OWNER
    owner.password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8')
    const ended = new AbortController()
    const opening = openEmbeddedDatabase({ dataDir, durable: false, ended: ended.signal })
    const left = expect(opening).rejects.toThrow('told to end')
    let user = new pg.Client()
    await eventually('somebody has come in', () => {
      user = new pg.Client({ connectionString: owner.href })
      user.on('error', () => {})
      return user.connect().then(
        () => true,
        () => false,
      )
    })
    ended.abort(new Error('told to end'))
    await left
    expect((await user.query('select 1 as en')).rows).toEqual([{ en: 1 }])
    await user.query(`alter role ${ROLE} connection limit -1`)
    await user.end()
    await (await open()).close()
    expect(await answers(url)).toBe(false)
  })
})

test('P51: one that dies again and again is started more and more seldom, and one that lived at once', () => {
  const waits: number[] = []
  for (let death = 0; death < 8; death++)
    waits.push(waitAfterDeath({ livedMs: 1000, lastMs: waits.at(-1) ?? 0 }))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
  expect(waitAfterDeath({ livedMs: 3_600_000, lastMs: 15_000 })).toBe(0)
})

describe('P23: one that dies', () => {
  test('is started again by whoever has it open, and found where it was', async () => {
    const faults: string[] = []
    const { url, close } = await openEmbeddedDatabase({
      dataDir,
      onFault: (message) => faults.push(message),
    })
    const shared = await holdEmbeddedDatabase(dataDir)
    await askPostgres(url, 'set synchronous_commit = on; create table igjen as select 9 as n')
    for (let death = 0; death < 3; death++) {
      const killed = await postmaster()
      process.kill(killed, 'SIGKILL')
      await eventually('it is back', async () => (await postmaster()) !== killed && (await answers(url)))
    }
    expect(await askPostgres(url, 'select n from igjen')).toEqual([{ n: 9 }])
    // One that comes while it is being started again is not told apart from the one before.
    expect(faults.length).toBeGreaterThan(0)
    // Who is still on the way back in may find it stopped by the other, and starts it once more.
    expect(await shared.release()).toEqual(['still there', 'closed'])
    await eventually('it is there for the other', () => answers(url))
    await close()
    expect(await answers(url)).toBe(false)
  })

  test('while it is being closed stays down', async () => {
    const { url, close } = await open()
    process.kill(await postmaster(), 'SIGKILL')
    await close()
    await eventually('nobody has started it', async () => !(await answers(url)))
    await (await open()).close()
    expect(await answers(url)).toBe(false)
  })
})

describe('what an accident leaves behind', () => {
  test('a note of a killed server whose process number now belongs to another program does not keep it from starting', async () => {
    const holder = await holdEmbeddedDatabase(dataDir)
    await askPostgres(holder.url, 'set synchronous_commit = on; create table gods as select 8 as n')
    const note = join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const text = await readFile(note, 'utf8')
    // First whoever would start it again.
    holder.process.kill('SIGKILL')
    await holder.ended()
    process.kill(Number(text.split('\n')[0]), 'SIGKILL')
    await eventually('the server is gone', async () => !(await answers(holder.url)))

    const { uid, gid } = await stat(note)
    const other = spawn('sleep', ['600'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) })
    const socketNote = join(dataDir, 'postgres', 'socket', '.s.PGSQL.5432.lock')
    for (const each of [note, socketNote])
      await writeFile(each, (await readFile(each, 'utf8')).replace(/^\d+/, String(other.pid)))
    const again = await open()
    expect(await askPostgres(again.url, 'select n from gods')).toEqual([{ n: 8 }])
    await again.close()
    other.kill()
  })

  test('half a cluster of a process that was killed over it is gone with a later start, and one that may be at work stays', async () => {
    await (await open()).close()
    const left = join(dataDir, 'postgres-new-forlatt')
    const made = join(dataDir, 'postgres-new-lages')
    for (const folder of [left, made]) await mkdir(join(folder, 'data'), { recursive: true })
    await utimes(left, 1, 1)
    await (await open()).close()
    const there = (await readdir(dataDir)).filter((name) => name.startsWith('postgres-new-'))
    expect(there).toEqual(['postgres-new-lages'])
    await rm(made, { recursive: true })
  })

  test('a copied folder is not taken for the original, though its note says where that one listens', async () => {
    await (await open()).close()
    await cp(join(dataDir, 'postgres'), join(emptyDir, 'postgres'), { recursive: true })
    if (isRoot) await ownAs(join(dataDir, 'postgres'), join(emptyDir, 'postgres'))
    const original = await open()
    const note = join('postgres', 'data', 'postmaster.pid')
    await writeFile(join(emptyDir, note), await readFile(join(dataDir, note)))
    const copied = await openEmbeddedDatabase({ dataDir: emptyDir, durable: false })
    expect(copied.url).not.toBe(original.url)
    await askPostgres(copied.url, 'create table bare_i_kopien ()')
    await expect(askPostgres(original.url, 'select from bare_i_kopien')).rejects.toMatchObject({
      code: '42P01',
    })
    await copied.close()
    expect(await answers(original.url)).toBe(true)
    await original.close()
  })
})

test.runIf(isRoot)(
  'as root it also runs in a folder that only root may enter, and again when it is there',
  async () => {
    await chmod(emptyDir, 0o700)
    for (const time of ['first', 'second']) {
      const closed = await openEmbeddedDatabase({ dataDir: emptyDir, durable: false })
      expect(await answers(closed.url), time).toBe(true)
      await closed.close()
    }
  },
)

describe('a folder that can not carry it is refused, with one line on what to do', () => {
  test('one that holds another version of PostgreSQL', async () => {
    await mkdir(join(emptyDir, 'postgres', 'data'), { recursive: true })
    await writeFile(join(emptyDir, 'postgres', 'data', 'PG_VERSION'), '17\n')
    await refused(/holds PostgreSQL 17, and this release runs 18\. .*oppgrader/)
  })

  test('one where something else stands in the way, which is left alone', async () => {
    await mkdir(join(emptyDir, 'postgres'))
    await writeFile(join(emptyDir, 'postgres', 'brev.txt'), 'kjære deg')
    await refused(/holds no PostgreSQL cluster of ours/)
    expect(await readFile(join(emptyDir, 'postgres', 'brev.txt'), 'utf8')).toBe('kjære deg')
  })

  test('one that can not be made', async () => {
    await writeFile(join(emptyDir, 'fil'), '')
    await refused(/^DATA_DIR: .*can not be made/, join(emptyDir, 'fil', 'data'))
  })

  test.skipIf(isRoot)('one that can not be written', async () => {
    await chmod(emptyDir, 0o555)
    await refused(/^DATA_DIR: .*can not be made, entered or written/)
  })

  const mayBeAlone = isRoot && spawnSync('unshare', ['--ipc', 'true']).status === 0
  test.runIf(mayBeAlone)(
    'P51: attack: another user who takes all shared memory there is is no full disk, of a cluster that is there or is made',
    async () => {
      await (await open()).close()
      for (const folder of [dataDir, emptyDir]) {
        const refusal = await openWhereNoneIsLeft(folder)
        expect(refusal).toMatch(/ConfigurationError: PostgreSQL gets no shared memory .* ipcs -m/)
        expect(refusal).not.toContain('on the disk')
      }
      expect(await readdir(emptyDir)).toEqual([])
      await (await open()).close()
    },
  )

  test('P51: attack: one that runs and lets nobody in, since its disk is full, is told to be that, and not waited for', async () => {
    const { url, close } = await open()
    await asOwner(
      url,
      dataDir,
      `create function says_no() returns event_trigger language plpgsql as $$ begin
         if session_user = '${ROLE}' then
           raise exception 'could not write init file: No space left on device' using errcode = '53100';
         end if; end $$`,
      'create event trigger full_disk on login execute function says_no()',
    )
    await refused(/no space is left on the disk of .*data/, dataDir)
    const { code, out } = await startCommand({ DATA_DIR: dataDir }, ['status', '--sjekk'])
    expect({ code, out }).toEqual({ code: 2, out: 'KRITISK - PostgreSQL har ikke plass på disken\n' })
    await asOwner(url, dataDir, 'drop event trigger full_disk', 'drop function says_no()')
    await (await open()).close()
    await close()
  })

  /** In a place of its own for shared memory, so that nobody else on the machine goes without. */
  function openWhereNoneIsLeft(folder: string): Promise<string> {
    const script = fileURLToPath(new URL('../support/hold-embedded-database.ts', import.meta.url))
    const none = 'echo 0 >/proc/sys/kernel/shmmni && exec "$@"'
    const opening = promisify(execFile)('unshare', [
      '--ipc',
      'sh',
      '-c',
      none,
      'sh',
      process.execPath,
      script,
      folder,
    ])
    return opening.then(
      () => 'opened',
      ({ stderr }: { stderr: string }) => stderr,
    )
  }

  async function refused(message: RegExp, folder = emptyDir): Promise<void> {
    const refusal = await openEmbeddedDatabase({ dataDir: folder }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConfigurationError)
    expect((refusal as Error).message).toMatch(message)
    expect((refusal as Error).message).not.toContain('\n')
  }
})

/** The process that listens, by PostgreSQL's own note; 0 while there is none. */
async function postmaster(): Promise<number> {
  const note = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  return Number((await readFile(note, 'utf8').catch(() => '')).split('\n')[0])
}

async function newFolder(): Promise<string> {
  const folder = await makeDataFolder('oppslag-embedded-')
  return folder
}

function open({ durable = false } = {}) {
  return openEmbeddedDatabase({ dataDir, durable })
}

function answers(url: string): Promise<boolean> {
  return askPostgres(url, 'select 1').then(
    () => true,
    () => false,
  )
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Copies by root belong to root; PostgreSQL wants its folder to be its own. */
async function ownAs(model: string, copy: string): Promise<void> {
  const { uid, gid } = await stat(model)
  const chown = spawn('chown', ['-R', `${uid}:${gid}`, copy], { stdio: 'ignore' })
  await new Promise((resolve) => chown.once('exit', resolve))
}
