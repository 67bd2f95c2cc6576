import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('P41: the first command works with Node 18, 20, 22 and 24, under dash, bash and busybox', {
  timeout: 3_600_000,
}, async () => {
  // Plain JavaScript, and a runner of its own: its other half runs before anything is installed.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const run = promisify(execFile)(process.execPath, ['--test', 'test/first-try/every-node.test.mjs'], {
    cwd: root,
    env,
  })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  expect(stdout).toMatch(/^. fail 0$/m)
  expect(stdout).toMatch(/^. pass 1[26]$/m)
})
