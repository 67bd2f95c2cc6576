import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { startProcess } from '../support/processes.ts'
import { startRedis } from '../support/redis.ts'
import { issueToken } from '../support/service.ts'
import { startSurroundings } from '../support/surroundings.ts'

const PATH = '/api/bedrift/status'
/** Half of them have the form of a key, with an id that nobody has. */
const BAD_PER_SECOND = 4000
const WAVE = 300

type Told = { status: number; ms: number }

async function ask(pool: Pool, key: string, ip?: string): Promise<Told> {
  const headers = { authorization: `Bearer ${key}`, ...(ip && { 'x-forwarded-for': ip }) }
  const begun = performance.now()
  const answer = await pool.request({ method: 'GET', path: PATH, headers })
  await answer.body.dump()
  return { status: answer.statusCode, ms: performance.now() - begun }
}

test('P24: under 2,000 invented ids a second from twenty networks, fifteen of fifteen first uses get in within 2 s', async () => {
  const storage = await createTestDatabase()
  const children: ChildProcess[] = []
  const start = (name: 'front' | 'flood', given: string[]) => {
    const script = fileURLToPath(new URL(`../support/key-flood/${name}-process.ts`, import.meta.url))
    const child = fork(script, given, { execArgv: [], stdio: 'inherit' })
    children.push(child)
    return child
  }
  try {
    const rounds = 3
    const keys = await Promise.all(Array.from({ length: rounds * 15 }, () => issueToken(storage)))
    const front = start('front', [storage.url])
    const [{ origin }] = (await once(front, 'message')) as [{ origin: string }]
    const pool = new Pool(origin, { connections: 20 })
    const flood = start('flood', [origin, PATH, String(BAD_PER_SECOND), '[]'])
    await once(flood, 'message')
    const found: Told[][] = []
    for (let round = 0; round < rounds; round++) {
      await pause(5000)
      const some = keys.slice(round * 15, round * 15 + 15)
      found.push(await Promise.all(some.map((key) => ask(pool, key, '203.0.113.5'))))
    }
    flood.send('tell')
    const [sent] = await once(flood, 'message')
    await pool.close()
    process.stdout.write(`${JSON.stringify({ rounds: found.map((round) => row(round)), flood: sent })}\n`)
    for (const round of found) {
      expect(round.map(({ status }) => status)).toEqual(Array(15).fill(200))
      expect(Math.max(...round.map(({ ms }) => ms))).toBeLessThan(2000)
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await storage.close()
  }
}, 120_000)

test('P60: of three hundred keys in use that come to a new front within a second, none is turned away', async () => {
  const around = await startSurroundings()
  const redis = await startRedis()
  try {
    const keys: string[] = []
    for (let count = 0; count < WAVE; count++) keys.push(await around.issue())
    const waves: Record<string, Told[]> = {}
    for (const [name, cacheRedisUrl] of [
      ['shared', redis.url],
      ['alone', ''],
    ] as const) {
      const variables = around.variables({ cacheRedisUrl })
      const old = await startProcess('api', variables)
      const known = new Pool(old.address, { connections: 1 })
      for (const key of keys) expect((await ask(known, key)).status).toBe(200)
      await known.close()
      const fresh = await startProcess('api', variables)
      const pool = new Pool(fresh.address, { connections: 50 })
      waves[name] = await Promise.all(
        keys.map(async (key, place) => {
          await pause((place * 1000) / WAVE)
          return ask(pool, key)
        }),
      )
      await pool.close()
      await Promise.all([old.end(), fresh.end()])
    }
    process.stdout.write(
      `${JSON.stringify(Object.fromEntries(Object.entries(waves).map(([name, wave]) => [name, row(wave)])))}\n`,
    )
    for (const wave of Object.values(waves))
      expect(wave.map(({ status }) => status)).toEqual(Array(WAVE).fill(200))
  } finally {
    await redis.close()
    await around.close()
  }
}, 180_000)

function row(told: Told[]) {
  const times = told.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => Number((times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1))
  const statuses: Record<string, number> = {}
  for (const { status } of told) statuses[status] = (statuses[status] ?? 0) + 1
  return { statuses, p50: at(0.5), p99: at(0.99), most: at(1) }
}
