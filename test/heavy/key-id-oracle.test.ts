import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { mintKey } from '#src/core/api-key.ts'
import { createTestDatabase } from '../support/database.ts'
import { forgeKey } from '../support/forged-key.ts'
import { openKeyFront } from '../support/key-flood/key-front.ts'
import { issueToken } from '../support/service.ts'
import { type Guess, told } from '../support/told-apart.ts'

const SAMPLES = 200

/** One after the other, so that what is measured is the answer and not the neighbour; each from a network of its own. */
test('P24: whether a key id exists is told neither by the answer nor by its time, of 2 × 200 that were asked in turn', async () => {
  const storage = await createTestDatabase()
  const front = await openKeyFront({ databaseUrl: storage.url, argon2WaitMs: 10_000 })
  const pool = new Pool(front.origin, { connections: 4 })
  try {
    const known = await Promise.all(Array.from({ length: 10 }, () => issueToken(storage)))
    const inUse = await issueToken(storage)
    let network = 0
    async function ask(key: string): Promise<{ status: number; ms: number }> {
      network += 1
      const ip = `198.51.${network >> 8}.${network & 255}`
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': ip }
      const begun = performance.now()
      const answer = await pool.request({ method: 'GET', path: '/api/bedrift/status', headers })
      await answer.body.dump()
      return { status: answer.statusCode, ms: performance.now() - begun }
    }
    await ask(inUse)
    const statuses = new Set<number>()
    const samples: Record<string, number[]> = { unknown: [], known: [], inUse: [] }
    for (let turn = -10; turn < SAMPLES; turn += 1) {
      const keys = {
        unknown: mintKey('test').token,
        known: forgeKey(known[(turn + 10) % known.length] ?? ''),
        inUse: forgeKey(inUse),
      }
      for (const [kind, key] of Object.entries(keys)) {
        const { status, ms } = await ask(key)
        statuses.add(status)
        // The first few warm the process up.
        if (turn >= 0) samples[kind]?.push(ms)
      }
    }
    const { unknown = [], known: wrong = [], inUse: wrongInUse = [] } = samples
    const found: Record<string, Guess> = {
      'known, not in use here': told(unknown, wrong),
      'in use here': told(unknown, wrongInUse),
    }
    process.stdout.write(`${JSON.stringify(found, null, 1)}\n`)
    expect(statuses).toEqual(new Set([401]))
    for (const { rightShare } of Object.values(found)) expect(rightShare).toBeLessThan(0.65)
  } finally {
    await pool.close()
    await front.close()
    await storage.close()
  }
}, 240_000)
