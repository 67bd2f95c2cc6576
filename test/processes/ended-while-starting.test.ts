import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { makeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('P36: who is told to end while it starts ends with 0, and leaves neither PostgreSQL nor half a cluster', () => {
  let dataDir: string
  let child: ChildProcess

  beforeAll(async () => {
    dataDir = await makeDataFolder('oppslag-start-')
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  /** At the head of a process group, as under a shell. */
  function start(script: string, more: Record<string, string>): { output: () => string } {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    let output = ''
    child = spawn(process.execPath, [script], {
      cwd: root,
      env: { PATH, NODE_COMPILE_CACHE, PORT: '0', OPS_PORT: '0', ...more },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    return { output: () => output }
  }

  const inFolder = async (...names: string[]) => readdir(join(dataDir, ...names)).catch((): string[] => [])
  const isMaking = async () => (await inFolder()).some((name) => name.startsWith('postgres-new-'))
  const isStarting = async () => (await inFolder('postgres', 'data')).includes('postmaster.pid')
  const isOpening = async () =>
    (await readFile(join(dataDir, 'bedriftsoppslag.log'), 'utf8').catch(() => '')).includes(
      'The embedded PostgreSQL runs on',
    )

  it.each([
    ['the cluster is made, by Ctrl-C', isMaking, 'SIGINT', 'everybody'],
    ['the cluster is made', isMaking, 'SIGTERM', 'the process'],
    ['PostgreSQL starts, by Ctrl-C', isStarting, 'SIGINT', 'everybody'],
    ['PostgreSQL starts', isStarting, 'SIGTERM', 'the process'],
    ['the rest is opened', isOpening, 'SIGTERM', 'the process'],
  ] as const)('while %s', async (_when, isThen, signal, whom) => {
    const before = isThen === isMaking ? ['postgres', 'bedriftsoppslag.log'] : ['bedriftsoppslag.log']
    for (const name of before) await rm(join(dataDir, name), { recursive: true, force: true })
    const { output } = start('src/commands/start.ts', { DATA_DIR: dataDir, LOG_LEVEL: 'debug' })
    const ended = once(child, 'exit')
    await eventually('it has come to that', isThen)
    const pid = child.pid ?? 0
    process.kill(whom === 'everybody' ? -pid : pid, signal)
    expect(await ended, output()).toEqual([0, null])
    expect(output()).toBe('')
    expect(await isMaking()).toBe(false)
    expect(await isStarting()).toBe(false)
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
    expect(stdout.split('\n').filter((line) => line.includes(dataDir))).toEqual([])
  })

  it('P36: attack: a log that is put away meanwhile, as SIGHUP says to who has no terminal, ends nothing', async () => {
    await rm(join(dataDir, 'bedriftsoppslag.log'), { force: true })
    const { output } = start('src/commands/start.ts', { DATA_DIR: dataDir, LOG_LEVEL: 'debug' })
    const ended = once(child, 'exit')
    await eventually('PostgreSQL starts', isStarting)
    child.kill('SIGHUP')
    await eventually('the rest is opened', isOpening)
    child.kill('SIGHUP')
    await eventually('it listens', () => output().includes('listens on'))
    child.kill('SIGTERM')
    expect(await ended, output()).toEqual([0, null])
    expect(await isStarting()).toBe(false)
  })

  it('and what is there can be used', async () => {
    const { close } = await openEmbeddedDatabase({ dataDir })
    await close()
  })

  it('while PostgreSQL hangs', async () => {
    const { close } = await openEmbeddedDatabase({ dataDir })
    const note = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    const postmaster = Number(note.split('\n')[0])
    process.kill(postmaster, 'SIGSTOP')
    try {
      const [port = 0] = await freePorts(1)
      const { output } = start('src/commands/start.ts', { DATA_DIR: dataDir, PORT: String(port) })
      const ended = once(child, 'exit')
      const isWaiting = () =>
        fetch(`http://127.0.0.1:${port}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        )
      await eventually('it says that it waits', isWaiting)
      child.kill('SIGTERM')
      await eventually('it has ended', () => child.exitCode !== null)
      expect(await ended, output()).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
      process.kill(postmaster, 'SIGCONT')
      await close()
    }
  })

  it('P36: attack: while PostgreSQL runs, and lets nobody in, since its catalogues are damaged', async () => {
    const damaged = await makeDataFolder('oppslag-start-damaged-')
    try {
      const { close } = await openEmbeddedDatabase({ dataDir: damaged })
      await close()
      const databases = join(damaged, 'postgres', 'data', 'base')
      for (const each of await readdir(databases)) await rm(join(databases, each, 'pg_filenode.map'))
      const { output } = start('src/commands/start.ts', { DATA_DIR: damaged })
      const ended = once(child, 'exit')
      await eventually('it has turned somebody away', async () =>
        (await readFile(join(damaged, 'postgres', 'server.log'), 'utf8')).includes('pg_filenode.map'),
      )
      child.kill('SIGTERM')
      expect(await ended, output()).toEqual([0, null])
      const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
      expect(stdout.split('\n').filter((line) => line.includes(damaged))).toEqual([])
    } finally {
      child.kill('SIGKILL')
      await rm(damaged, { recursive: true, force: true })
    }
  })

  it('P36: attack: several fronts in one command, before any of them can hear it', async () => {
    const { output } = start('src/commands/fronts.ts', {
      DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
      WORKERS: '2',
    })
    const ended = once(child, 'exit')
    const isOurs = (ppid: string) => Number(ppid) === child.pid
    await eventually('they are there', async () => {
      const { stdout } = await promisify(execFile)('ps', ['-eo', 'ppid='])
      return stdout.split('\n').filter(isOurs).length === 2
    })
    child.kill('SIGTERM')
    expect(await ended, output()).toEqual([0, null])
  })

  it('while a database that is away is waited for', async () => {
    const { output } = start('src/commands/server.ts', { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' })
    const ended = once(child, 'exit')
    await eventually('it waits', () => output().includes('waiting for it'))
    child.kill('SIGTERM')
    expect(await ended, output()).toEqual([0, null])
  })
})
