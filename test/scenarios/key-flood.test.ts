import { lookup } from 'node:dns/promises'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { forgeKey } from '../support/forged-key.ts'
import { type BadKeyKind, badKeys } from '../support/key-flood/bad-keys.ts'
import { type KeyFront, openKeyFront } from '../support/key-flood/key-front.ts'
import { issueToken } from '../support/service.ts'

const PATH = '/api/bedrift/status'
const ATTACKERS = ['198.51.100.1', '198.51.100.2', '2001:db8:1::1', '2001:db8:1:2::3']
/** Two of the four are in one network. */
const NETWORKS = 3

describe('P24: a flood of bad keys', () => {
  let storage: TestDatabase
  let front: KeyFront
  let pool: Pool

  beforeAll(async () => {
    storage = await createTestDatabase()
    front = await openKeyFront({ databaseUrl: storage.url, argon2WaitMs: 10_000, wrongAnswerMs: 20 })
    pool = new Pool(front.origin, { connections: 64 })
  })
  afterAll(async () => {
    await pool.close()
    await front.close()
    await storage.close()
  })

  const issue = () => issueToken(storage)

  async function ask(key: string, ip: string) {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip }
    const answer = await pool.request({ method: 'GET', path: PATH, headers })
    await answer.body.dump()
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] ?? null }
  }

  it('costs a handful of argon2 runs, one at a time; whoever has a valid key notices nothing, also at its first use', async () => {
    const inUse = await issue()
    const notYet = await issue()
    expect((await ask(inUse, '203.0.113.5')).status).toBe(200)
    const before = { ...front.cost }
    const seen: Record<BadKeyKind, Set<number>> = {
      malformed: new Set(),
      'bad checksum': new Set(),
      'unknown id': new Set(),
      'wrong secret': new Set(),
    }
    const valid: number[] = []
    let isFirstUseDone = false
    const bad = badKeys([inUse, notYet])
    for (let round = 0; round < 40; round += 1) {
      const flood = Array.from({ length: 100 }, async (_, place) => {
        const { kind, key } = bad.next().value
        const { status, retryAfter } = await ask(key, ATTACKERS[(round + place) % ATTACKERS.length] ?? '')
        seen[kind].add(status)
        expect(status === 401 || Number(retryAfter) > 0).toBe(true)
      })
      const good = [ask(inUse, '203.0.113.5')]
      if (round === 20) good.push(ask(notYet, '203.0.113.6'))
      for (const { status } of await Promise.all(good)) valid.push(status)
      if (round === 20) isFirstUseDone = true
      await Promise.all(flood)
    }
    expect(isFirstUseDone).toBe(true)
    expect(new Set(valid)).toEqual(new Set([200]))
    expect([...seen.malformed, ...seen['bad checksum']]).toEqual([401, 401])
    // Never looked at: too many from that network, or at once.
    for (const status of [...seen['unknown id'], ...seen['wrong secret']])
      expect([401, 429, 503]).toContain(status)
    expect(seen['wrong secret']).toContain(429)
    expect(front.cost.argon2 - before.argon2).toBeLessThanOrEqual(NETWORKS * policy.keys.missesMax + 1)
    expect(front.cost.argon2AtOnce).toBeLessThanOrEqual(policy.keys.argon2AtOnce)
  })

  it('holds up no DNS look-up for longer than a few argon2 runs, however many wait', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, issue))
    const flood = keys.map((key, place) => ask(forgeKey(key), `192.0.2.${place}`))
    const passed: number[] = []
    for (let isOver = false; !isOver; ) {
      const before = front.cost.argon2Done
      await lookup('localhost')
      passed.push(front.cost.argon2Done - before)
      isOver = await Promise.race([
        Promise.all(flood).then(() => true),
        new Promise<false>((r) => setImmediate(r, false)),
      ])
    }
    expect(Math.max(...passed)).toBeLessThanOrEqual(5)
    expect(passed.length).toBeGreaterThan(keys.length)
  })
})
