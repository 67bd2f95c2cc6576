import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { FeedName } from '#src/ops/feed-report.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { killChild } from '#test/support/kill-child.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'
import { companies, emptyRegister } from '../workers/following.ts'

const PROGRAM = fileURLToPath(new URL('../workers/follow-feed-process.ts', import.meta.url))

let storage: TestDatabase
let register: RegisterStandIn
let children: ChildProcess[]

beforeEach(async () => {
  children = []
  storage = await createTestDatabase()
  register = await emptyRegister()
})
afterEach(async () => {
  await Promise.all(children.map(killChild))
  await register.close()
  await storage.close()
})

/** A process that follows; `told` gets each company it says it is doing. */
function startProcess(feed: FeedName, told: (company: string) => void): ChildProcess {
  const child = fork(PROGRAM, [storage.url, register.registerUrl, feed], { execArgv: [] })
  child.on('message', (word) => void (word === 'ready' || told(String(word))))
  children.push(child)
  return child
}

async function lastDone(feed: FeedName): Promise<string | null> {
  const rows = await storage.database.query<{ siste_id: string | null }>(
    'select siste_id from feed_posisjon where feed = $1',
    [feed],
  )
  return rows[0]?.siste_id ?? null
}

describe('P16: a follower that is killed', () => {
  test.each(['enheter', 'roller'] as const)(
    'in the middle of a page of %s, time and again: no event is skipped',
    async (feed) => {
      const numbers = companies(200)
      const last = numbers
        .map((organisasjonsnummer) =>
          register.publish(feed, { organisasjonsnummer, endringstype: 'Endring' }),
        )
        .at(-1)
      const done = new Map<string, number>()
      // Each gets a little further than the one before, and never to the end of a page that it began.
      for (const lives of [7, 13, 29, 31, 44]) {
        let seen = 0
        const child = startProcess(feed, (company) => {
          done.set(company, (done.get(company) ?? 0) + 1)
          seen += 1
          if (seen === lives) child.kill('SIGKILL')
        })
        await once(child, 'exit')
      }
      expect(await lastDone(feed)).not.toBe(String(last))
      startProcess(feed, (company) => void done.set(company, (done.get(company) ?? 0) + 1))
      await eventually('the last is done', async () => (await lastDone(feed)) === String(last))
      expect([...done.keys()].sort()).toEqual([...numbers].sort())
      expect(Math.max(...done.values())).toBeGreaterThan(1)
    },
  )

  test('is followed by another process when its lease runs out, in 30 s at most', async () => {
    expect(policy.feeds.leaseMs + policy.feeds.tryLeaseMs).toBeLessThanOrEqual(30_000)
    const [a, b] = companies(2)
    const byFirst: string[] = []
    const bySecond: string[] = []
    const first = startProcess('enheter', (company) => void byFirst.push(company))
    await eventually('the first follows', () => register.calls.count('oppdateringer/enheter') > 0)
    startProcess('enheter', (company) => void bySecond.push(company))
    register.publish('enheter', { organisasjonsnummer: a ?? '' })
    await eventually('the first does it', () => byFirst.length === 1)
    await killChild(first)
    register.publish('enheter', { organisasjonsnummer: b ?? '' })
    await eventually('the second does the next', () => bySecond.includes(b ?? ''))
    expect(byFirst).toEqual([a])
  })
})
