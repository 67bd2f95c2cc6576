import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * Starts the real process as `npm start` does, with no register in reach, makes a key beside it, asks what a first user
 * would ask, and stops it. Type stripping in tests is more forgiving than Node's own: this is where that would show.
 */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bedriftsoppslag-smoke-'))
const env = {
  ...process.env,
  PORT: '0',
  OPS_PORT: '0',
  DATA_DIR: join(folder, 'data'),
  LOG_FILE: join(folder, 'log'),
  REGISTER_URL: 'http://127.0.0.1:9',
  KUNNGJORING_URL: 'http://127.0.0.1:9',
  KLASS_URL: 'http://127.0.0.1:9',
}
const service = spawn(process.execPath, ['config/tools/start.ts'], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(service, 'exit')
try {
  const address = await Promise.race([listening(), ended.then(() => null), late(120_000)])
  if (address === null) throw new Error('the process did not come to listen')
  const issued = await run(
    process.execPath,
    ['config/tools/oppslag.ts', 'keys', 'issue', '--email', 'a@example.com', '--show', '--json'],
    { cwd: root, env },
  )
  const { nokkel } = JSON.parse(issued.stdout) as { nokkel: string }
  const authorization = `Bearer ${nokkel}`
  await expectStatus(`${address}/openapi.json`, {}, 200)
  await expectStatus(`${address}/dokumentasjon`, {}, 200)
  await expectStatus(`${address}/api/bedrift/status`, {}, 401)
  await expectStatus(`${address}/api/bedrift/status`, { authorization }, 200)
  await expectStatus(`${address}/api/bedrift/123`, { authorization }, 400)
  await expectStatus(`${address}/api/bedrift/923609016`, { authorization }, 503)
  service.kill('SIGTERM')
  const [code] = (await Promise.race([ended, late(15_000)])) ?? ['not stopped']
  if (code !== 0) throw new Error(`SIGTERM: expected exit code 0, found ${code}`)
  console.log('smoke: started, answered, stopped')
} finally {
  if (service.exitCode === null) service.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function listening(): Promise<string | null> {
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /listens on (\S+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  return null
}

async function expectStatus(url: string, headers: Record<string, string>, status: number): Promise<void> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
  await answer.arrayBuffer()
  if (answer.status !== status)
    throw new Error(`${new URL(url).pathname}: expected ${status}, found ${answer.status}`)
}

function late(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}
