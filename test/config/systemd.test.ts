import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment, variables } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { runCommand } from '../support/command.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const project = new URL('../../', import.meta.url)
const folder = fileURLToPath(new URL('config/systemd', project))
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(service|timer|target)$/.test(name),
)
const services = names.filter((name) => name.endsWith('.service'))
const common = read('oppslag-.service.d/closed.conf')
const units = Object.fromEntries(names.map((name) => [name, read(name)]))
const { scripts } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8'))

describe('the units of one machine', () => {
  it('are the fronts, the worker, the migration before them and a backup each night, begun and ended as one', () => {
    expect(names.sort()).toEqual([
      'oppslag-backup.service',
      'oppslag-backup.timer',
      'oppslag-front.service',
      'oppslag-migrate.service',
      'oppslag-worker.service',
      'oppslag.target',
    ])
    expect(valuesOf('oppslag.target', 'Wants')[0]?.split(' ')).toEqual([
      'oppslag-front.service',
      'oppslag-worker.service',
      'oppslag-backup.timer',
    ])
    expect(valuesOf('oppslag-migrate.service', 'Before')[0]?.split(' ')).toEqual([
      'oppslag-front.service',
      'oppslag-worker.service',
    ])
    for (const name of ['oppslag-front.service', 'oppslag-worker.service']) {
      expect(valuesOf(name, 'Wants')).toContain('oppslag-migrate.service')
      expect(valuesOf(name, 'Restart')).toEqual(['on-failure'])
    }
    expect(valuesOf('oppslag-migrate.service', 'Type')).toEqual(['oneshot'])
    expect(valuesOf('oppslag-backup.service', 'Type')).toEqual(['oneshot'])
    expect(valuesOf('oppslag-backup.timer', 'OnCalendar')).toHaveLength(1)
    // One fact in one place: what closes them is read for every one of them.
    expect(common.get('PartOf')).toEqual(['oppslag.target'])
  })

  it.each([
    ['oppslag-front.service', 'fronts'],
    ['oppslag-worker.service', 'worker'],
    ['oppslag-migrate.service', 'migrate'],
    ['oppslag-backup.service', 'oppslag'],
  ])('%s runs what `npm run %s` does', (name, script) => {
    const [node, ...words] = wordsOf(name)
    expect(node).toBe('/usr/bin/node')
    expect(words.join(' ')).toMatch(
      new RegExp(`^${RegExp.escape(scripts[script].replace('exec node ', ''))}( |$)`),
    )
    for (const word of words.filter((each) => /\.m?[jt]s$/.test(each)))
      expect(existsSync(new URL(word, project)), word).toBe(true)
  })

  it.each(services)('%s names only variables there are, and what they say is understood', (name) => {
    const given = environmentOf(name)
    for (const variable of Object.keys(given)) {
      const isThere = [variable, variable.replace(/_FILE$/, '')].some((each) => each in variables)
      expect(isThere, variable).toBe(true)
    }
    expect(() => readEnvironment(given)).not.toThrow()
  })

  it('P72: each has its own port for operators, its own log, and room in memory and of descriptors for what it may hold', () => {
    const front = readEnvironment(environmentOf('oppslag-front.service'))
    const worker = readEnvironment(environmentOf('oppslag-worker.service'))
    const ports = Array.from({ length: 64 }, (_, place) => front.opsPort + place)
    expect(ports).not.toContain(worker.opsPort)
    expect(front.logFile).not.toBe(worker.logFile)
    expect(valuesOf('oppslag-front.service', 'MemoryMax')).toEqual([`${front.fronts}G`])
    for (const name of services) expect(valuesOf(name, 'MemoryMax')[0]).toMatch(/^[0-9]+[MG]$/)
    expect(Number(common.get('LimitNOFILE'))).toBeGreaterThan(2 * policy.http.connectionsMax)
  })

  it('P44: attack: a log that is put away in the moment a process begins, as logrotate does at boot, ends none for good', () => {
    const told = services.filter((name) => valuesOf(name, 'ExecReload').join().includes('-HUP'))
    expect(told.sort()).toEqual(['oppslag-front.service', 'oppslag-worker.service'])
    for (const name of told) expect(valuesOf(name, 'RestartForceExitStatus'), name).toEqual(['SIGHUP'])
  })

  it('P72: each is given what it must have, and no more', () => {
    expect(Object.fromEntries(common)).toMatchObject({
      User: ['oppslag'],
      StateDirectory: ['oppslag'],
      StateDirectoryMode: ['0700'],
      NoNewPrivileges: ['yes'],
      ProtectSystem: ['strict'],
      ProtectHome: ['yes'],
      PrivateTmp: ['yes'],
      CapabilityBoundingSet: [''],
    })
    const dataDir = readEnvironment(environmentOf('oppslag-front.service')).dataDir
    expect(dataDir).toBe(`/var/lib/${common.get('StateDirectory')}`)
  })

  describe.skipIf(!hasSystemd())(
    'as systemd reads them (needs systemd-analyze: apt-get install systemd)',
    () => {
      let copy: string

      beforeAll(async () => {
        copy = await mkdtemp(join(tmpdir(), 'oppslag-units-'))
        await cp(folder, copy, { recursive: true })
        // It looks for the program, which stands elsewhere on the machine of who tests.
        for (const name of services) {
          const path = join(copy, name)
          await writeFile(path, (await readFile(path, 'utf8')).replaceAll('/usr/bin/node', process.execPath))
        }
      })

      afterAll(() => rm(copy, { recursive: true, force: true }))

      it('nothing is misspelt, unknown or missing', () => {
        const paths = names.map((name) => join(copy, name))
        const { stderr } = analyze(['verify', ...paths])
        // It reads the machine's own units as well, where there are any, and finds fault with those.
        const ours = stderr.split('\n').filter((line) => line.includes(copy) || line.includes('oppslag'))
        const missing = /Unit sysinit\.target not found/
        expect(ours.filter((line) => !missing.test(line))).toEqual([])
      })

      it.each(services)('P72: %s is little exposed by its measure (2.0 of 10 at most)', (name) => {
        const { status, stdout } = analyze(['security', '--offline=true', '--threshold=20', join(copy, name)])
        expect(stdout).toContain('Overall exposure level')
        expect(status).toBe(0)
      })

      it('nor is anything of the unit that loads the firewall', async () => {
        const path = join(copy, 'nftables-oppslag.service')
        const unit = await readFile(new URL('config/nftables/nftables-oppslag.service', project), 'utf8')
        await writeFile(path, unit.replaceAll('/usr/sbin/nft', process.execPath))
        const { stderr } = analyze(['verify', path])
        expect(stderr.split('\n').filter((line) => line.includes('nftables-oppslag'))).toEqual([])
      })

      function analyze(words: string[]) {
        const env = { ...process.env, SYSTEMD_UNIT_PATH: `${copy}:` }
        return spawnSync('systemd-analyze', words, { encoding: 'utf8', env })
      }
    },
  )

  describe('the backup of each night', () => {
    let storage: TestDatabase
    let dataDir: string

    beforeAll(async () => {
      storage = await createTestDatabase()
      dataDir = await mkdtemp(join(tmpdir(), 'oppslag-nightly-'))
    })

    afterAll(async () => {
      await rm(dataDir, { recursive: true, force: true })
      await storage.close()
    })

    it('is one by the words of the unit', async () => {
      const words = wordsOf('oppslag-backup.service')
      const command = words.slice(words.indexOf('src/commands/oppslag.ts') + 1)
      const { code, err } = await runCommand({ DATABASE_URL: storage.url, DATA_DIR: dataDir }, command)
      expect({ code, err }).toEqual({ code: 0, err: expect.any(String) })
      expect(await readdir(join(dataDir, 'sikkerhetskopier'))).toEqual([expect.stringMatching(/\.sql\.gz$/)])
    })
  })
})

/** Each name with all its values, in order. A section's name is not kept: no name here is in two. */
function read(name: string): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>()
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
    const [, key, value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    if (key !== undefined) values.set(key, [...(values.get(key) ?? []), value])
  }
  return values
}

function valuesOf(unit: string, key: string): readonly string[] {
  return units[unit]?.get(key) ?? []
}

function wordsOf(unit: string): string[] {
  const commands = valuesOf(unit, 'ExecStart')
  expect(commands, unit).toHaveLength(1)
  return commands.join().split(' ')
}

function environmentOf(unit: string): Record<string, string> {
  const given = [...(common.get('Environment') ?? []), ...valuesOf(unit, 'Environment')]
  return Object.fromEntries(given.map((each) => each.split(/=(.*)/s).slice(0, 2)))
}

function hasSystemd(): boolean {
  const { stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
  // Offline measures came with 250.
  return Number(/^systemd ([0-9]+)/.exec(stdout ?? '')?.[1]) >= 250
}
