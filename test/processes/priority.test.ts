import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const children: ChildProcess[] = []
let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await storage.close()
})

/** A process of the service, at work. */
async function start(script: string, atWork: string): Promise<number> {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: storage.url,
      REGISTER_URL: 'http://127.0.0.1:1',
      KUNNGJORING_URL: 'http://127.0.0.1:1',
      KLASS_URL: 'http://127.0.0.1:1',
      SOKEINDEKS: 'av',
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
  await eventually(`it says: ${atWork}`, () => output.includes(atWork))
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
      start('src/commands/worker.ts', 'workers running'),
      start('src/commands/server.ts', 'listening'),
    ])
    const ours = getPriority()
    expect(new Set(niceness(front))).toEqual(new Set([ours]))
    const below = Math.max(ours, 5)
    expect(new Set(niceness(worker))).toEqual(new Set([below]))
  })
})
