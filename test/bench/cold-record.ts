import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { manyCompanies } from './companies.ts'

/**
 * What a cold record costs beyond its slowest source: the service in a process of its own, every source 100 ms late.
 * Beside each record the slowest source alone is asked the same way, in the same moment's load, as the yardstick.
 */
const SOURCE_DELAY_MS = 100
const RECORDS = 200

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bedriftsoppslag-bench-'))
const { numbers, answers } = manyCompanies(RECORDS + 20)
const register = await startRegisterStandIn({ answers })
const env = {
  ...process.env,
  PORT: '0',
  DATA_DIR: join(folder, 'data'),
  LOG_FILE: join(folder, 'log'),
  REGISTER_URL: register.registerUrl,
  KUNNGJORING_URL: register.kunngjoringUrl,
  KLASS_URL: register.klassUrl,
  KUNNGJORING_CALLS_PER_SECOND: '1000',
}
const service = spawn(process.execPath, ['config/tools/start.ts'], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const address = await listening()
  const token = await key()
  const records = new Pool(address, { connections: 1 })
  const authorization = `Bearer ${token}`
  // The industry codes come a moment after the start; the first company is spent on waiting for them.
  const first = numbers.shift() ?? ''
  while (!(await isWhole(records, `/api/bedrift/${first}`, { authorization }))) await pause(100)
  register.setFault('alle', { kind: 'delay', ms: SOURCE_DELAY_MS })
  const direct = new Pool(register.url, { connections: 1 })
  const ours: number[] = []
  const yardstick: number[] = []
  for (const [index, orgnr] of numbers.entries()) {
    const source = await timed(() => ask(direct, `/regnskapsregisteret/regnskap/${orgnr}`, {}))
    const record = await timed(() => ask(records, `/api/bedrift/${orgnr}`, { authorization }))
    if (index < numbers.length - RECORDS) continue
    yardstick.push(source)
    ours.push(record)
  }
  await records.close()
  await direct.close()
  report(ours, yardstick)
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  await register.close()
  rmSync(folder, { recursive: true, force: true })
}

async function ask(pool: Pool, path: string, headers: Record<string, string>): Promise<void> {
  if (!(await isWhole(pool, path, headers))) throw new Error(`${path}: not a whole answer`)
}

async function isWhole(pool: Pool, path: string, headers: Record<string, string>): Promise<boolean> {
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
  const answer = (await body.json()) as { komplett?: boolean }
  return statusCode === 200 && answer.komplett !== false
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function report(ours: number[], yardstick: number[]): void {
  const rows = { 'slowest source alone': yardstick, 'cold record': ours }
  const table = Object.entries(rows).map(([what, values]) => ({
    what,
    median_ms: at(values, 0.5),
    p99_ms: at(values, 0.99),
  }))
  const overMs = Math.round((at(ours, 0.5) - at(yardstick, 0.5)) * 10) / 10
  console.table(table)
  console.log(
    `a cold record costs its slowest source and ${overMs} ms (median of ${RECORDS}; aim: at most 10 ms)`,
  )
  const results = fileURLToPath(new URL('results/', import.meta.url))
  mkdirSync(results, { recursive: true })
  const facts = {
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    sourceDelayMs: SOURCE_DELAY_MS,
  }
  writeFileSync(
    join(results, 'cold-record.json'),
    `${JSON.stringify({ ...facts, table, overMs }, null, 2)}\n`,
  )
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN) * 10) / 10
}

async function listening(): Promise<string> {
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /listens on (\S+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('the service ended before it listened')
}

async function key(): Promise<string> {
  const command = [
    'config/tools/oppslag.ts',
    'keys',
    'issue',
    '--email',
    'bench@example.com',
    '--show',
    '--json',
  ]
  const tool = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  for await (const chunk of tool.stdout) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()).nokkel
}
