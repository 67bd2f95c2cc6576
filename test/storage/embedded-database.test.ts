import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { openEmbeddedDatabase } from '#src/storage/embedded-database.ts'
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
  test('is made in an empty folder, listens on loopback alone, is safe at a power cut, and asks for a password', async () => {
    const { url, close } = await open({ durable: true })
    const [settings] = await ask(
      url,
      `select current_setting('listen_addresses') as listens, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('server_version_num')::int / 10000 as version`,
    )
    expect(settings).toEqual({ listens: '127.0.0.1', sockets: '', fsync: 'on', version: 18 })
    const wrong = new URL(url)
    wrong.password = 'feil'
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    const { mode } = await stat(join(dataDir, 'postgres', 'password'))
    expect(mode & 0o777).toBe(0o600)
    await close()
  })

  test('keeps what it was given from one start to the next', async () => {
    const first = await open()
    await ask(first.url, 'create table ting as select 7 as n')
    await first.close()
    expect(await answers(first.url)).toBe(false)
    const second = await open()
    expect(await ask(second.url, 'select n from ting')).toEqual([{ n: 7 }])
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
})

describe('what an accident leaves behind', () => {
  test('a note of a killed server whose process number now belongs to another program does not keep it from starting', async () => {
    const { url, close } = await open({ durable: true })
    await ask(url, 'create table gods as select 8 as n')
    const note = join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const text = await readFile(note, 'utf8')
    process.kill(Number(text.split('\n')[0]), 'SIGKILL')
    await eventually('the server is gone', async () => !(await answers(url)))
    await close()

    const { uid, gid } = await stat(note)
    const other = spawn('sleep', ['600'], { stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) })
    await writeFile(note, text.replace(/^\d+/, String(other.pid)))
    const again = await open()
    expect(await ask(again.url, 'select n from gods')).toEqual([{ n: 8 }])
    await again.close()
    other.kill()
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
    await refused(/holds PostgreSQL 17, expected PostgreSQL 18/)
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

  async function refused(message: RegExp, folder = emptyDir): Promise<void> {
    const refusal = await openEmbeddedDatabase({ dataDir: folder }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConfigurationError)
    expect((refusal as Error).message).toMatch(message)
    expect((refusal as Error).message).not.toContain('\n')
  }
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-embedded-'))
  // PostgreSQL may run as another user, who has to get through.
  await chmod(folder, 0o755)
  return folder
}

function open({ durable = false } = {}) {
  return openEmbeddedDatabase({ dataDir, durable })
}

async function ask(url: string, question: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(question)).rows
  } finally {
    await client.end()
  }
}

function answers(url: string): Promise<boolean> {
  return ask(url, 'select 1').then(
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
