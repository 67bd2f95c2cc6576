import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = `
process.on('SIGHUP', () => console.log('anew'))
console.log(process.pid)
setInterval(() => {}, 60_000)
`
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-'))
  await writeFile(join(folder, 'program.mjs'), program)
})
afterAll(() => rm(folder, { recursive: true }))

it('P44: attack: a process whose log was put away, and that is killed later, has been killed, and has not ended in order', async () => {
  const runner = spawn(process.execPath, ['config/tools/run.mjs', join(folder, 'program.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  runner.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = once(runner, 'exit')
  await eventually('it runs', async () => said.includes('\n'))
  runner.kill('SIGHUP')
  await eventually('it was told so', async () => said.includes('anew'))
  process.kill(Number.parseInt(said, 10), 'SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
})
