import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const MIGRATIONS = 'src/storage/migrations'
const commit = await commitBefore()
const INSTALL = [
  'install',
  '--no-save',
  '--omit=dev',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/** The program as it was before the newest migration, on the database as that has left it. */
describe.skipIf(commit === null)(
  'P46: the release before the newest migration (needs the history of git)',
  () => {
    let around: Surroundings
    let folder: string
    const started: ChildProcess[] = []

    beforeAll(async () => {
      ;[around, folder] = await Promise.all([startSurroundings(), mkdtemp(join(tmpdir(), 'oppslag-before-'))])
      const archive = execFileSync('git', ['archive', String(commit)], {
        cwd: root,
        maxBuffer: 512 * 1024 * 1024,
      })
      execFileSync('tar', ['-x', '-C', folder], { input: archive })
      if (await hasItsPackages()) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
      else execFileSync('npm', INSTALL, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    }, 600_000)
    afterAll(async () => {
      for (const child of started) child.kill('SIGKILL')
      await around.close()
      await rm(folder, { recursive: true, force: true })
    })

    it('knows less than the database has', async () => {
      const newest = (await readdir(join(root, MIGRATIONS)))
        .filter((name) => name.endsWith('.sql'))
        .sort()
        .at(-1)
      expect(await readdir(join(folder, MIGRATIONS))).not.toContain(newest)
    })

    it('starts, answers with keys of before and after, and ends as it should', async () => {
      const front = await start('server')
      const listens = await whereItListens(front)
      expect(listens, 'it listens').toMatch(/^http/)
      for (const key of [around.token, await around.issue()]) {
        const answer = await fetch(`${listens}/api/bedrift/${SAMPLE.healthy}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        expect(answer.status).toBe(200)
        expect(await answer.json()).toMatchObject({ organisasjonsnummer: SAMPLE.healthy })
      }
      expect((await fetch(`${listens}/health/ready`)).status).toBe(200)
      const ended = once(front, 'exit')
      front.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    })

    it('and so does its worker, and its migration has nothing to do', async () => {
      const worker = await start('worker')
      let output = ''
      worker.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('"msg":"workers running"')) worker.kill('SIGTERM')
      })
      expect(await once(worker, 'exit')).toEqual([0, null])
      expect(await once(await start('migrate'), 'exit')).toEqual([0, null])
    })

    /** It says that it lives as well, again and again. Undefined: it ended before it listened. */
    function whereItListens(front: ChildProcess): Promise<string | undefined> {
      return new Promise((resolve) => {
        front.once('exit', () => resolve(undefined))
        front.on('message', ({ listens }: { listens?: string }) => listens && resolve(listens))
      })
    }

    /** Those of today will do as long as none it needs has gone since. */
    async function hasItsPackages(): Promise<boolean> {
      const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      return Object.keys(dependencies).every((name) => existsSync(join(root, 'node_modules', name)))
    }

    /** By its own words for it: where the program lies may be another place than today. */
    async function start(script: 'server' | 'worker' | 'migrate'): Promise<ChildProcess> {
      const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      const words = String(scripts[script]).split('config/tools/run.mjs ')[1]?.split(' ') ?? []
      const child = spawn(process.execPath, words, {
        cwd: folder,
        env: { PATH: process.env.PATH, PORT: '0', OPS_PORT: '0', ...around.variables() },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      })
      started.push(child)
      return child
    }
  },
)

/** Null: there is no history, or none that goes back so far. */
async function commitBefore(): Promise<string | null> {
  const newest = (await readdir(join(root, MIGRATIONS)))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
    const added = git('log', '--diff-filter=A', '--format=%H', '--', `${MIGRATIONS}/${newest}`)
      .split('\n')
      .at(-1)
    return added ? git('rev-parse', '--verify', `${added}^`) : null
  } catch {
    return null
  }
}
