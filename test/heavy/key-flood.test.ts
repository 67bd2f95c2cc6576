import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { createTestDatabase } from '../support/database.ts'
import { issueToken } from '../support/service.ts'

const PATH = '/api/bedrift/status'
const BAD_PER_SECOND = 2000
const VALID_PER_SECOND = 100
const QUIET_MS = 20_000
const FLOOD_MS = 60_000
const NETWORKS = 20
const VICTIMS = 10

/** Whoever sends the flood wants a core of its own, and so do the front and the database. */
const CORES_NEEDED = 4
/** A look-up that waits for a core behind one argon2 run was not held up by the flood. */
const ONE_RUN_MS = 15

type Waits = { answersMs: number[]; lookupsMs: number[] }
let whenQuiet: Waits
let whenFlooded: Waits

/** The front, the flood and whoever has valid keys are three processes: two cores at least, with nothing else on them. */
test('P24: 2,000 bad keys a second for a minute: few argon2 runs, and every valid key is answered', async () => {
  const storage = await createTestDatabase()
  const children: ChildProcess[] = []
  try {
    const issue = () => issueToken(storage)
    const valid = await Promise.all(Array.from({ length: 20 }, issue))
    const notYet = await issue()
    const unused = await Promise.all(Array.from({ length: VICTIMS / 2 - 1 }, issue))
    const front = start(children, 'front', [storage.url])
    const [{ origin }] = (await once(front, 'message')) as [{ origin: string }]
    const pool = new Pool(origin, { connections: 20 })
    const ask = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.1' }
      const begun = performance.now()
      const answer = await pool.request({ method: 'GET', path: PATH, headers })
      await answer.body.dump()
      return { status: answer.statusCode, ms: performance.now() - begun }
    }
    for (const key of valid) expect((await ask(key)).status).toBe(200)
    await load(ask, valid, 5000)

    const begun = (await told(front)) as FrontWord
    const quiet = await load(ask, valid, QUIET_MS)
    const before = (await told(front)) as FrontWord
    const victims = [...valid.slice(0, VICTIMS / 2), notYet, ...unused]
    const flood = start(children, 'flood', [origin, PATH, String(BAD_PER_SECOND), JSON.stringify(victims)])
    await once(flood, 'message')
    const loud = load(ask, valid, FLOOD_MS)
    await pause(FLOOD_MS / 2)
    const firstUse = await ask(notYet)
    const flooded = await loud
    const [after, sent] = (await Promise.all([told(front), told(flood)])) as [FrontWord, object]
    await pool.close()

    const runs = after.cost.argon2 - before.cost.argon2
    const runsMax = 1 + (VICTIMS / 2) * NETWORKS * policy.keys.missesMax * 2
    const found = {
      'valid keys, quiet': row(quiet.map(({ ms }) => ms)),
      'valid keys, flood': row(flooded.map(({ ms }) => ms)),
      'DNS look-ups, quiet': row(before.lookupsMs),
      'DNS look-ups, flood': row(after.lookupsMs),
      'argon2 runs': { runs, runsMax, atOnce: after.cost.argon2AtOnce },
      'share of a processor': {
        quiet: (before.cpuMs - begun.cpuMs) / QUIET_MS,
        flood: (after.cpuMs - before.cpuMs) / FLOOD_MS,
      },
      flood: sent,
      'a first use in it': firstUse,
    }
    process.stdout.write(`${JSON.stringify(found, null, 1)}\n`)
    expect(new Set([...quiet, ...flooded].map(({ status }) => status))).toEqual(new Set([200]))
    expect(firstUse.status).toBe(200)
    expect(runs).toBeLessThanOrEqual(runsMax)
    expect(after.cost.argon2AtOnce).toBeLessThanOrEqual(policy.keys.argon2AtOnce)
    whenQuiet = { answersMs: quiet.map(({ ms }) => ms), lookupsMs: before.lookupsMs }
    whenFlooded = { answersMs: flooded.map(({ ms }) => ms), lookupsMs: after.lookupsMs }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await storage.close()
  }
}, 180_000)

test.skipIf(availableParallelism() < CORES_NEEDED)(
  `P24: and valid keys and DNS look-ups are as fast as before, on a machine of ${CORES_NEEDED} cores or more`,
  () => {
    expect(p99(whenFlooded.answersMs)).toBeLessThan(2 * p99(whenQuiet.answersMs))
    expect(p99(whenFlooded.lookupsMs)).toBeLessThan(2 * Math.max(p99(whenQuiet.lookupsMs), ONE_RUN_MS))
  },
)

type FrontWord = { cost: { argon2: number; argon2AtOnce: number }; cpuMs: number; lookupsMs: number[] }

/** Asked at a rate of its own, whether or not what was asked before is answered: who waits is counted with the whole wait. */
async function load<T>(ask: (key: string) => Promise<T>, keys: string[], forMs: number): Promise<T[]> {
  const asked: Promise<T>[] = []
  for (const begun = performance.now(); performance.now() - begun < forMs; await pause(1)) {
    const due = ((performance.now() - begun) / 1000) * VALID_PER_SECOND
    while (asked.length < due) asked.push(ask(keys[asked.length % keys.length] ?? ''))
  }
  return Promise.all(asked)
}

function start(children: ChildProcess[], name: 'front' | 'flood', given: string[]): ChildProcess {
  const script = fileURLToPath(new URL(`../support/key-flood/${name}-process.ts`, import.meta.url))
  const child = fork(script, given, { execArgv: [], stdio: 'inherit' })
  children.push(child)
  return child
}

async function told(child: ChildProcess): Promise<unknown> {
  child.send('tell')
  const [word] = await once(child, 'message')
  return word
}

function row(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2))
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

function p99(times: number[]): number {
  return row(times).p99
}
