import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const preload = (program: string) => `--import data:text/javascript,${encodeURIComponent(program)}`
const ERROR = `const error = new TypeError('a fault of ours', { cause: new Error('what led to it') })`
/** What no code of ours does: told by a signal, it throws where nobody catches, or rejects where nobody handles. */
const THROWS = preload(`process.on('SIGWINCH', () => { ${ERROR}; throw error })`)
const REJECTS = preload(`process.on('SIGWINCH', () => { ${ERROR}; Promise.reject(error) })`)

describe('P42: a process that ends by an error leaves it in its log, with its stack and what caused it', {
  timeout: 300_000,
}, () => {
  let around: Surroundings
  let folder: string

  beforeAll(async () => {
    ;[around, folder] = await Promise.all([startSurroundings(), mkdtemp(join(tmpdir(), 'oppslag-slutt-'))])
  })
  afterAll(() => Promise.all([around.close(), rm(folder, { recursive: true })]))

  it.concurrent('a front that threw', () => endsByError('api', THROWS))
  it.concurrent('a worker that rejected', () => endsByError('worker', REJECTS))
  it.concurrent('those who keep several fronts, which end with them in order', () =>
    endsByError('fronts', THROWS))
  it.concurrent('all in one, whose log is a file', () =>
    endsByError('start', REJECTS, { LOG_FILE: join(folder, 'tjeneste.log') }))

  it.concurrent('a front that is not opened yet', async () => {
    const broken = preload(
      `import net from 'node:net'; net.Server.prototype.listen = () => { ${ERROR}; throw error }`,
    )
    const starting = startProcess('api', { ...around.variables(), NODE_OPTIONS: broken })
    const { message } = await starting.then(
      () => Promise.reject(new Error('it started')),
      (error: Error) => error,
    )
    expect(fatalLines(message)).toEqual([fatal('the process could not be opened')])
  })

  async function endsByError(
    door: Parameters<typeof startProcess>[0],
    fault: string,
    more: Record<string, string> = {},
  ): Promise<void> {
    const started = await startProcess(door, {
      ...around.variables(),
      FRONTS: '2',
      NODE_OPTIONS: fault,
      ...more,
    })
    process.kill(started.pid, 'SIGWINCH')
    expect(await started.ended, started.output()).toBe(1)
    const log = more.LOG_FILE === undefined ? started.output() : await readFile(more.LOG_FILE, 'utf8')
    expect(fatalLines(log)).toEqual([fatal('the process ends by an error nobody caught')])
    const told = await around.storage.database.query('select feil from prosessfeil where slag = $1', [
      KINDS[door],
    ])
    expect(told).toEqual(KINDS[door] === null ? [] : [{ feil: 'TypeError' }])
  }
})

/** As what operators are told of each; those who keep fronts are no process of the service themselves. */
const KINDS = { api: 'front', worker: 'arbeider', start: 'alt', fronts: null } as const

function fatal(msg: string) {
  const stack = expect.stringMatching(/a fault of ours.* at .*what led to it/s)
  return expect.objectContaining({ msg, err: expect.objectContaining({ type: 'TypeError', stack }) })
}

function fatalLines(log: string): unknown[] {
  return log
    .split('\n')
    .filter((line) => line.includes('"level":60'))
    .map((line) => JSON.parse(line))
}
