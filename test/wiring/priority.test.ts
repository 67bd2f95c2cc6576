import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually } from '#test/support/eventually.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** A process of the service that waits for its PostgreSQL: it has begun, and does nothing yet. */
async function start(script: string): Promise<number> {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      PORT: '0',
      OPS_PORT: '0',
      KANARI: 'av',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await eventually('it waits for PostgreSQL', () => output.includes('waiting for it'))
  return child.pid ?? 0
}

/** How nice each of its threads is: the 19th of the fields, of which the second may have spaces in it. */
function niceness(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}

describe.skipIf(process.platform !== 'linux')('P140: readers come before the work behind them', () => {
  it('every thread of a worker gives way to the fronts beside it', async () => {
    const [worker, front] = await Promise.all([
      start('src/commands/worker.ts'),
      start('src/commands/server.ts'),
    ])
    const ours = getPriority()
    expect(new Set(niceness(front))).toEqual(new Set([ours]))
    const below = Math.max(ours, constants.priority.PRIORITY_BELOW_NORMAL)
    expect(new Set(niceness(worker))).toEqual(new Set([below]))
  })
})
