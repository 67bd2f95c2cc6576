import { execFile, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, createReadStream, existsSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { createLog } from '#src/core/log.ts'
import { eventually } from '../support/eventually.ts'

const run = promisify(execFile)
const LINES = 60_000

/** Logs more than any pipe and our own bound take, and says by another way that it could go on, and what it has lost. */
const TALKER = `
import { createLog } from '#src/core/log.ts'
const log = createLog({ level: 'info', file: process.env.LOG_FILE || null })
let at = 0
function talk() {
  for (const end = at + 1000; at < end; at++) log.info({ at }, 'x'.repeat(50))
  if (at < ${LINES}) setTimeout(talk, 1)
  else process.send('talked')
}
process.on('message', async () => {
  await log.flushed()
  process.send({ lost: log.lost() }, () => process.exit(0))
})
talk()`

function startTalker(stdout: 'pipe' | number, LOG_FILE = '') {
  const stdio: StdioOptions = ['ignore', stdout, 'pipe', 'ipc']
  const child = spawn(process.execPath, ['--input-type=module', '--eval', TALKER], {
    env: { ...process.env, LOG_FILE },
    stdio,
  })
  return {
    child,
    complaints: child.stderr === null ? Promise.resolve('') : text(child.stderr),
    /** @returns how many lines it has lost */
    async end(): Promise<number> {
      const ended = once(child, 'exit')
      child.send('end')
      const [{ lost }] = await once(child, 'message')
      expect(await ended).toEqual([0, null])
      return lost
    },
  }
}

function linesIn(written: string) {
  return written
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { at?: number; tapt?: number; msg: string })
}

describe('P44: the log neither holds up its process nor ends it', { timeout: 120_000 }, () => {
  it('a file that can not be is one line that names the variable, before anything is started', () => {
    const file = `${import.meta.filename}/log`
    expect(() => createLog({ level: 'info', file })).toThrow(ConfigurationError)
    expect(() => createLog({ level: 'info', file })).toThrow(/^LOG_FILE: .+\(E[A-Z]+\)\. .+$/)
  })

  it.runIf(existsSync('/dev/full'))(
    'a full disk costs its lines and one line on stderr, and the process ends as ever',
    async () => {
      const talker = startTalker('pipe', '/dev/full')
      await once(talker.child, 'message')
      expect(await talker.end()).toBeGreaterThan(0)
      expect(await talker.complaints).toBe('The log can not be written (ENOSPC): lines of it are lost.\n')
    },
  )

  it('a reader of stdout that reads nothing', async () => {
    const talker = startTalker('pipe')
    talker.child.stdout?.pause()
    await once(talker.child, 'message')
    expect(await talker.end()).toBeGreaterThan(LINES / 2)
    expect(await talker.complaints).toBe('')
  })

  it('a reader of stdout that is gone', async () => {
    const talker = startTalker('pipe')
    talker.child.stdout?.destroy()
    await once(talker.child, 'message')
    expect(await talker.end()).toBeGreaterThan(LINES / 2)
    expect(await talker.complaints).toBe('The log can not be written (EPIPE): lines of it are lost.\n')
  })

  it('stdout on a full disk', async () => {
    if (!existsSync('/dev/full')) return
    const full = await open('/dev/full', 'w')
    const talker = startTalker(full.fd)
    await once(talker.child, 'message')
    expect(await talker.end()).toBeGreaterThan(0)
    expect(await talker.complaints).toMatch(/ENOSPC/)
    await full.close()
  })

  it.skipIf(process.platform === 'win32')(
    'a named pipe whose reader stops: what was kept comes in order when it reads again, and then how many were lost',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'oppslag-ror-'))
      const fifo = join(folder, 'logg')
      try {
        await run('mkfifo', [fifo])
        // Without a reader there can be no such file, and nobody waits for one.
        expect(() => createLog({ level: 'info', file: fifo })).toThrow(/^LOG_FILE: .+\(ENXIO\)/)
        const reader = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
        const talker = startTalker('pipe', fifo)
        await once(talker.child, 'message')
        let written = ''
        const pipe = createReadStream('', { fd: await open(fifo, 'r'), encoding: 'utf8' })
        pipe.on('data', (chunk) => {
          written += chunk
        })
        await eventually('it is said how many are lost', () => /"tapt":.*\n$/.test(written), 60_000)
        const lost = await talker.end()
        const lines = linesIn(written)
        expect(lines.at(-1)).toMatchObject({ tapt: lost, msg: 'lines of the log were lost' })
        expect(lines.slice(0, -1).map(({ at }) => at)).toEqual(
          Array.from({ length: LINES - lost }, (_, index) => index),
        )
        pipe.destroy()
        await reader.close()
      } finally {
        await rm(folder, { recursive: true })
      }
    },
  )
})
