import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { askPostgres } from '#test/support/ask-postgres.ts'
import { makeDataFolder } from '#test/support/data-folder.ts'
import { asked, startCuriousServer } from '#test/support/embedded/curious-server.ts'
import { serverOf } from '#test/support/server-of.ts'

const HOLD = fileURLToPath(new URL('../support/hold-embedded-database.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** One and the same from test to test; nothing runs there between them. */
let dataDir: string
beforeAll(async () => {
  dataDir = await makeDataFolder('oppslag-naa-')
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const open = (folder = dataDir) => openEmbeddedDatabase({ dataDir: folder, durable: false })

async function openAndClose(folder: string): Promise<{ url: string }> {
  const { url, close } = await open(folder)
  await close()
  return { url }
}

describe('attack: somebody listens on the port that a killed server left, and asks', () => {
  test('on a machine with sockets: nobody is shown a password', async () => {
    await (await open()).close()
    for (const what of asked) {
      const stranger = await startCuriousServer(what)
      // As releases before this one left it.
      const data = join(dataDir, 'postgres', 'data')
      const note = ['2147483646', data, '1', String(stranger.port), '', '127.0.0.1']
      await writeFile(join(data, 'postmaster.pid'), `${note.join('\n')}\n`)
      const { url, close } = await open()
      expect(await askPostgres(url, 'select 1 as en')).toEqual([{ en: 1 }])
      await close()
      await stranger.close()
      await expectNoPassword(stranger.heard(), what)
    }
  })

  // In processes of their own: from then on they make no connection without proof.
  test('where there are none: nobody is shown a password, nor a question', async () => {
    for (const what of asked) {
      const holder = hold('inherit')
      const [line] = await once(holder.stdout, 'data')
      const { port } = new URL(String(line).trim())
      const note = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
      holder.kill('SIGKILL')
      process.kill(Number(note.split('\n')[0]), 'SIGKILL')
      const stranger = await listenSoon(what, Number(port))
      const [code] = await once(hold('ignore'), 'exit')
      expect(code).toBe(1)
      await stranger.close()
      expect(stranger.heard()).toContain('oppslag')
      await expectNoPassword(stranger.heard(), what)
    }
  })

  function hold(stderr: 'inherit' | 'ignore') {
    return spawn(process.execPath, [HOLD, dataDir, 'loopback'], { stdio: ['pipe', 'pipe', stderr] })
  }

  async function expectNoPassword(heard: string, what: string): Promise<void> {
    for (const secret of ['password', 'service-password']) {
      expect(heard, what).not.toContain(await readFile(join(dataDir, 'postgres', secret), 'utf8'))
    }
    // PasswordMessage, a hash of it or an answer to SCRAM, or a query.
    expect(heard, what).not.toMatch(/md5[0-9a-f]{32}|SCRAM|select/)
  }

  /** The killed server's port is free when its last session has ended. */
  async function listenSoon(what: (typeof asked)[number], port: number) {
    for (let tries = 0; ; tries++) {
      try {
        return await startCuriousServer(what, port)
      } catch (error) {
        if (tries > 200) throw error
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    }
  }
})

test.runIf(isRoot)(
  'attack: another user of the machine can not take up its places, nor ask for its password',
  async () => {
    const { url, close } = await open()
    const server = serverOf(url)
    const program = `require('node:net').connect(${JSON.stringify(server)}).on('error', ({ code }) => console.log(code)).on('connect', () => { console.log('connected'); process.exit() })`
    const stranger = spawn(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', program],
      {
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [said] = await once(stranger.stdout, 'data')
    expect(String(said).trim()).toBe('EACCES')
    await close()
  },
)

test('attack: a link where a password is written on its way leads nowhere', async () => {
  const folder = join(dataDir, 'lenker')
  await (await open(folder)).close()
  const [password, theirs] = [join(folder, 'postgres', 'service-password'), join(folder, 'annet')]
  const { url: before } = await openAndClose(folder)
  await rm(password)
  await writeFile(theirs, 'urørt')
  await symlink(theirs, `${password}-${process.pid}`)
  const { url } = await openAndClose(folder)
  expect(await readFile(theirs, 'utf8')).toBe('urørt')
  expect(url).not.toBe(before)
})

test.skipIf(process.platform === 'win32')(
  'P172: attack: a link that whom PostgreSQL runs as has put where a password stands, or the log, leads to no file of ours',
  async () => {
    const folder = join(dataDir, 'hos-postgres')
    await (await open(folder)).close()
    const [password, log] = ['password', 'server.log'].map((name) => join(folder, 'postgres', name)) as [
      string,
      string,
    ]
    const ours = join(folder, 'vår')
    await writeFile(ours, 'x'.repeat(2 * 1024 * 1024))
    // PostgreSQL's own user writes its log there.
    await chmod(ours, 0o666)
    await rm(log)
    await symlink(ours, log)
    await (await open(folder)).close()
    expect((await stat(ours)).size).toBeGreaterThanOrEqual(2 * 1024 * 1024)
    await rename(password, ours)
    await symlink(ours, password)
    await expect(open(folder)).rejects.toThrow(/password can not be read/)
  },
)

test.runIf(isRoot)(
  'P172: attack: a cluster that another user has put where ours would be made, in a folder as /tmp, is refused in one line (needs root)',
  async () => {
    const shared = join(dataDir, 'delt')
    await mkdir(join(shared, 'postgres', 'data'), { recursive: true })
    await chmod(shared, 0o1777)
    const [strangers, linked] = [join(shared, 'postgres'), join(dataDir, 'lenket')]
    await chown(strangers, NOBODY, NOBODY)
    await mkdir(linked)
    await symlink(strangers, join(linked, 'postgres'))
    for (const folder of [shared, linked]) {
      const refusal = await open(folder).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(ConfigurationError)
      expect((refusal as Error).message).toMatch(/^\/.*postgres was made by another user.*$/)
    }
    expect(await readdir(strangers)).toEqual(['data'])
    // Root's own, for a PostgreSQL whose user has another number now.
    await writeFile(join(strangers, 'password'), '')
    await expect(open(shared)).rejects.toThrow(/holds no PostgreSQL cluster/)
  },
)

describe('the socket lies where it can be found, and nobody else can stand', () => {
  test.each([
    ['whose name a shell or a list would read otherwise', `a'b, æøå; (d)`],
    ['too long for a socket', 'x'.repeat(120)],
  ])('for a folder %s', async (_, name) => {
    const folder = join(dataDir, name)
    for (const time of ['first', 'second']) {
      const { url, close } = await open(folder)
      expect(await askPostgres(url, 'select 1 as en'), time).toEqual([{ en: 1 }])
      const { path = '' } = serverOf(url) as { path?: string }
      expect(Buffer.byteLength(path)).toBeLessThan(104)
      expect((await stat(dirname(path))).mode & 0o077).toBe(0)
      await close()
      if (!path.startsWith(dataDir)) await rm(dirname(path), { recursive: true })
    }
  })

  test('attack: a folder that others may enter, in its place, is refused in one line', async () => {
    await (await open()).close()
    await rm(join(dataDir, 'postgres', 'socket'), { recursive: true })
    await mkdir(join(dataDir, 'postgres', 'socket'))
    // Whose it is says nothing of who may enter.
    const { uid, gid } = await stat(join(dataDir, 'postgres', 'data'))
    await chown(join(dataDir, 'postgres', 'socket'), uid, gid)
    await chmod(join(dataDir, 'postgres', 'socket'), 0o755)
    const refusal = await open().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ConfigurationError)
    expect((refusal as Error).message).toMatch(/^\/.*socket has to be a folder of this user.*$/)
  })
})
