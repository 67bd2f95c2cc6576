import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { serverOf } from '../support/server-of.ts'
import { issueToken } from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { variablesOf } from '../support/variables-of.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const machineScript = fileURLToPath(new URL('../support/systemd-machine.sh', import.meta.url))
const canRun =
  process.getuid?.() === 0 &&
  existsSync('/lib/systemd/systemd') &&
  existsSync('/usr/bin/node') &&
  spawnSync('unshare', ['--pid', '--mount', '--fork', 'true']).status === 0
const COMPANY = SAMPLE.healthy
const WITHIN_MS = 120_000

describe.skipIf(!canRun)(
  'the units of one machine, run by systemd itself (needs root; apt-get install systemd)',
  () => {
    let folder: string
    let storage: TestDatabase
    let way: TcpProxy
    let register: RegisterStandIn
    let address: string
    let ops: string
    let workerOps: number
    let authorization: string
    let systemd: { pid: string; end(): Promise<void> }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'oppslag-systemd-'))
      await chmod(folder, 0o755)
      ;[storage, register] = await Promise.all([
        createTestDatabase({ isMigrated: false }),
        startRegisterStandIn({ answers: sampleAnswers() }),
      ])
      // The database's socket is out of another user's reach, as it should be.
      way = await startTcpProxy({ upstream: serverOf(storage.url) })
      const database = new URL(storage.url)
      database.host = `${way.host}:${way.port}`
      const [port, opsPort, workersOps = 0] = await freePorts(3)
      workerOps = workersOps
      address = `http://127.0.0.1:${port}`
      ops = `http://127.0.0.1:${opsPort}`
      await write('environment', {
        ...variablesOf({ register, databaseUrl: database.href }),
        PORT: String(port),
      })
      // What one changes by `systemctl edit`. One front: the operators' port of a second would be the next number.
      await dropIn('oppslag-front', `OPS_PORT=${opsPort} WORKERS=1`)
      await dropIn('oppslag-worker', `OPS_PORT=${workersOps}`)
      systemd = await startSystemd()
    }, WITHIN_MS)
    afterAll(async () => {
      await systemd?.end()
      await way?.close()
      await Promise.all([storage?.close(), register?.close()])
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    })

    it('P72: starts: the schema first, then fronts that answer and a worker, each with nothing but what it needs', async () => {
      await eventually('the front is ready', isReady, WITHIN_MS)
      authorization = `Bearer ${await issueToken(storage)}`
      expect(await read()).toEqual([200, COMPANY])
      expect(await shown('oppslag-migrate', 'Result')).toBe('success')
      for (const unit of ['oppslag-front', 'oppslag-worker']) {
        expect(await shown(unit, 'ActiveState')).toBe('active')
        for (const pid of await processesOf(unit)) {
          const status = await readFile(`/proc/${systemd.pid}/root/proc/${pid}/status`, 'utf8')
          expect(status).toMatch(/^NoNewPrivs:\t1$/m)
          expect(status).toMatch(/^CapEff:\t0+$/m)
          expect(status).toMatch(/^CapBnd:\t0+$/m)
          expect(status).toMatch(/^Seccomp:\t2$/m)
          expect(status).not.toMatch(/^Uid:.*\t0(\t|$)/m)
        }
      }
    })

    it('P196: has a way in for its web server and operators that other users of the machine have not', async () => {
      await inside('usermod', '-aG', 'oppslag', 'www-data')
      const ask = (user: string, socket: string, path: string) =>
        inside(
          ...['runuser', '-u', user, '--', '/usr/bin/node', '-e'],
          `require('http').get({socketPath:'/run/${socket}',path:'${path}',agent:false},(answer)=>console.log(answer.resume().statusCode)).on('error',(error)=>console.log(error.code))`,
        )
      for (const [socket, path] of [
        ['oppslag-front/tjeneste.sock', '/status.json'],
        [`oppslag-front/drift-${new URL(ops).port}.sock`, '/metrics'],
        [`oppslag-worker/drift-${workerOps}.sock`, '/health/ready'],
      ] as const) {
        expect(await ask('www-data', socket, path)).toBe('200')
        expect(await ask('nobody', socket, path)).toBe('EACCES')
      }
    })

    it('a log that was moved away is begun anew by `systemctl reload`', async () => {
      const log = '/var/log/oppslag/front.log'
      await inside('mv', log, `${log}.1`)
      await systemctl('reload', 'oppslag-front')
      await eventually('there is a new one, with the next line', async () => {
        await read()
        return existsSync(`/proc/${systemd.pid}/root${log}`)
      })
      expect(await inside('stat', '-c', '%a %U', log)).toBe('640 oppslag')
    })

    it('a front that is killed is there again by itself', async () => {
      const before = await shown('oppslag-front', 'MainPID')
      await systemctl('kill', '--signal=KILL', 'oppslag-front')
      await eventually(
        'another answers',
        async () => (await shown('oppslag-front', 'MainPID')) !== before && (await isReady()),
        WITHIN_MS,
      )
      expect(await read()).toEqual([200, COMPANY])
      expect(await shown('oppslag-front', 'NRestarts')).toBe('1')
    })

    it('a release is a restart of the target: the schema again, then all of them anew', async () => {
      const migrated = await shown('oppslag-migrate', 'ExecMainStartTimestampMonotonic')
      await systemctl('restart', 'oppslag.target')
      await eventually('it is ready', isReady, WITHIN_MS)
      expect(Number(await shown('oppslag-migrate', 'ExecMainStartTimestampMonotonic'))).toBeGreaterThan(
        Number(migrated),
      )
      expect(await read()).toEqual([200, COMPANY])
    })

    it('the backup of each night is written where the units may write, and readable to nobody else', async () => {
      await systemctl('start', 'oppslag-backup.service')
      expect(await shown('oppslag-backup', 'Result')).toBe('success')
      const backups = `/proc/${systemd.pid}/root/var/lib/oppslag/sikkerhetskopier`
      expect((await readdir(backups)).length).toBe(1)
      expect(await inside('stat', '-L', '-c', '%a %U', '/var/lib/oppslag')).toBe('700 oppslag')
    })

    it('stops in good order: nothing is left running, and nothing had to be killed', async () => {
      await systemctl('stop', 'oppslag.target')
      for (const unit of ['oppslag-front', 'oppslag-worker']) {
        await eventually('it is over', async () => (await shown(unit, 'ActiveState')) === 'inactive')
        expect(await shown(unit, 'Result')).toBe('success')
      }
      await expect(fetch(`${address}/health/live`)).rejects.toThrow()
    })

    async function write(name: string, variables: Record<string, string>): Promise<void> {
      const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}\n`)
      await writeFile(join(folder, name), lines.join(''))
    }

    async function dropIn(unit: string, environment: string): Promise<void> {
      const place = join(folder, 'drop-ins', `${unit}.service.d`)
      await mkdir(place, { recursive: true })
      await writeFile(join(place, 'override.conf'), `[Service]\nEnvironment=${environment}\n`)
    }

    async function startSystemd() {
      const stage = join(folder, 'stage')
      await mkdir(stage)
      const apart = ['--pid', '--mount', '--uts', '--ipc', '--fork', '--kill-child=SIGKILL']
      const child = spawn(
        'unshare',
        [...apart, machineScript, stage, project, join(folder, 'environment'), join(folder, 'drop-ins')],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      )
      const ended = once(child, 'exit')
      const children = `/proc/${child.pid}/task/${child.pid}/children`
      let pid = ''
      await eventually('systemd is the first process there', async () => {
        pid = (await readFile(children, 'utf8').catch(() => '')).trim()
        const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
        return name.trim() === 'systemd'
      })
      return {
        pid,
        async end() {
          // The first process of a namespace: everybody in it ends with it.
          process.kill(Number(pid), 'SIGKILL')
          await ended
        },
      }
    }

    async function inside(...command: string[]): Promise<string> {
      const { stdout } = await run('nsenter', ['-t', systemd.pid, '-p', '-m', '--', ...command])
      return stdout.trim()
    }
    const systemctl = (...words: string[]) => inside('systemctl', ...words)
    const shown = (unit: string, property: string) =>
      systemctl('show', '--value', '--property', property, unit)

    async function processesOf(unit: string): Promise<string[]> {
      const group = await shown(unit, 'ControlGroup')
      const pids = await inside('cat', `/sys/fs/cgroup/systemd${group}/cgroup.procs`)
      return pids.split('\n').filter((pid) => pid !== '')
    }

    async function isReady(): Promise<boolean> {
      const [ready, live] = await Promise.all(
        [`${address}/health/ready`, `${ops}/health/live`].map((url) => fetch(url).catch(() => null)),
      )
      return ready?.status === 200 && live?.status === 200
    }

    async function read(): Promise<[number, string]> {
      const answer = await fetch(`${address}/api/bedrift/${COMPANY}`, { headers: { authorization } })
      const body = (await answer.json()) as { organisasjonsnummer: string }
      return [answer.status, body.organisasjonsnummer]
    }
  },
)
