import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/support/eventually.ts'
import { killChild } from '#test/support/kill-child.ts'

const PROGRAM = fileURLToPath(new URL('../support/ends-when-told.ts', import.meta.url))

let child: ChildProcess
let said: string

afterEach(() => killChild(child))

async function start(phase: 'start' | 'work' | 'endless end' | 'endless end at once'): Promise<void> {
  child = spawn(process.execPath, [PROGRAM, phase], { stdio: ['ignore', 'pipe', 'inherit'] })
  said = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  await eventually('it is ready', () => said.includes('ready'))
}

describe('P42: a process that is told to end', () => {
  it.each([
    ['SIGTERM', 'work'],
    ['SIGINT', 'work'],
    ['SIGTERM', 'start'],
  ] as const)(
    'by %s from several at the same moment, in its %s, closes what it has, and ends with 0',
    async (signal, phase) => {
      await start(phase)
      // It has ended, and all it said has been heard.
      const ended = once(child, 'close')
      // Each is a system call: they come while the first is heard, and after.
      for (let times = 0; times < 2000; times++) child.kill(signal)
      expect(await ended).toEqual([0, null])
      expect(said).toContain('closed')
    },
  )

  it.each(['endless end', 'endless end at once'] as const)(
    'and told again later, by somebody in haste, ends at once with 1, and says so: %s',
    async (phase) => {
      await start(phase)
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await eventually('it ends', () => !child.kill('SIGTERM') || child.exitCode !== null)
      expect(await ended).toEqual([1, null])
      expect(said).toContain('second SIGTERM')
    },
  )
})
