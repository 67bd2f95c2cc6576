import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('P44: the log of a process', { timeout: 300_000 }, () => {
  let around: Surroundings
  let folder: string

  beforeAll(async () => {
    ;[around, folder] = await Promise.all([startSurroundings(), mkdtemp(join(tmpdir(), 'oppslag-logg-'))])
  })
  afterAll(() => Promise.all([around.close(), rm(folder, { recursive: true })]))

  /** Two of them, whose log is read here. @param stderr whether their complaints are */
  const startFronts = (stderr: 'pipe' | 'ignore') =>
    spawn(process.execPath, ['src/commands/fronts.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: '0',
        OPS_PORT: '0',
        WORKERS: '2',
        ...around.variables(),
      },
      stdio: ['ignore', 'pipe', stderr, 'ipc'],
    })

  const ask = async (address: string) => {
    const answer = await fetch(`${address}/api/bedrift/${SAMPLE.healthy}`, {
      headers: { authorization: `Bearer ${around.token}` },
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const has = (path: string, word: string) => async () =>
    (await readFile(path, 'utf8').catch(() => '')).includes(word)

  it.concurrent.each(['api', 'fronts'] as const)('SIGHUP: %s goes on, in a new file', async (door) => {
    const path = join(folder, `${door}.log`)
    const started = await startProcess(door, { ...around.variables(), WORKERS: '2', LOG_FILE: path })
    try {
      expect(await ask(started.address)).toBe(200)
      await eventually('it is logged', has(path, '"msg":"request"'))
      expect((await stat(path)).mode & 0o777 & ~0o640).toBe(0)
      await rename(path, `${path}.1`)
      process.kill(started.pid, 'SIGHUP')
      // What is asked before the signal is heard is told in the old file.
      await eventually('it is logged anew', async () => {
        expect(await ask(started.address)).toBe(200)
        return has(path, '"msg":"request"')()
      })
      expect(started.output()).not.toContain('"msg"')
      expect(await started.end()).toBe(0)
    } finally {
      await started.end('SIGKILL')
    }
  })

  it.concurrent.each([
    ['SIGTERM', 0],
    ['SIGWINCH', 1],
  ] as const)(
    'P128: by %s at once after the last answer, no request is without its line',
    async (signal, code) => {
      const path = join(folder, `${signal}.log`)
      const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(
        `process.on('SIGWINCH', () => { throw new Error('a fault of ours') })`,
      )}`
      const started = await startProcess('api', { ...around.variables(), NODE_OPTIONS, LOG_FILE: path })
      const ids: string[] = []
      for (let asked = 0; asked < 200; asked++) {
        const answer = await fetch(`${started.address}/api/bedrift/${SAMPLE.healthy}`, {
          headers: { authorization: `Bearer ${around.token}` },
        })
        await answer.arrayBuffer()
        ids.push(answer.headers.get('x-request-id') ?? '')
      }
      process.kill(started.pid, signal)
      expect(await started.ended, started.output()).toBe(code)
      const lines = (await readFile(path, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const told = lines.filter(({ msg }) => msg === 'request').map(({ foresporselId }) => foresporselId)
      expect(told).toEqual(ids)
      // In the order it happened: the fault came after them.
      const fatal = lines.findIndex(({ level }) => level === 60)
      if (code === 1) expect(fatal).toBeGreaterThan(lines.findLastIndex(({ msg }) => msg === 'request'))
    },
  )

  it.concurrent('a reader of stdout that is gone: fronts in one command all go on, and end as ever', async () => {
    const child = startFronts('pipe')
    const exited = once(child, 'exit')
    let complaints = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    try {
      const [{ listens }] = await once(child, 'message')
      await eventually('both are named', () => pidsOf(output).length === 2)
      child.stdout?.destroy()
      await eventually('it is noticed', async () => {
        expect(await ask(listens)).toBe(200)
        return complaints.includes('The log can not be written (EPIPE)')
      })
      for (let asked = 0; asked < 200; asked++) expect(await ask(listens)).toBe(200)
      for (const pid of pidsOf(output)) process.kill(pid, 0)
      expect(child.exitCode).toBeNull()
      // As whoever tells a whole group is heard: from the group, and from those who hand it on.
      for (const _ of ['group', 'npm']) child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
    }
  })

  it.concurrent('what the process that keeps fronts loses of its own lines is counted, by one of them', async () => {
    const child = startFronts('ignore')
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const lost = async (address: string) => {
      const asked = fetch(`${address}/metrics`, { signal: AbortSignal.timeout(5000) })
      const text = await asked.then((answer) => answer.text()).catch(() => '')
      return Number(/^bedriftsoppslag_log_lines_lost_total ([0-9]+)$/m.exec(text)?.[1] ?? 0)
    }
    try {
      const [{ listens }] = await once(child, 'message')
      await eventually('both are named', () => pidsOf(output).length === 2)
      const ops = [...output.matchAll(/"address":"([^"]+)","msg":"the operators' side is open"/g)]
      // Nobody reads any more: so many lines as wait in the pipe and behind it, and fewer than would be too many for the fronts.
      expect(await ask(listens)).toBe(200)
      await eventually('a request is logged', () => output.includes('"msg":"request"'))
      child.stdout?.pause()
      const line = output.split('\n').find((each) => each.includes('"msg":"request"')) ?? ''
      const lines = (1.4 * 1024 * 1024) / line.length
      for (let asked = 0; asked < lines; asked += 20) {
        await Promise.all(Array.from({ length: 20 }, () => ask(listens)))
      }
      process.kill(pidsOf(output)[1] ?? 0, 'SIGKILL')
      await eventually('a front counts it', async () => {
        const counts = await Promise.all(ops.map(([, address = '']) => lost(address)))
        return counts.some((count) => count > 0)
      })
    } finally {
      child.kill('SIGKILL')
    }
  })
})

const pidsOf = (output: string) =>
  [...output.matchAll(/"pid":(\d+),"msg":"a front listens"/g)].map((match) => Number(match[1]))
