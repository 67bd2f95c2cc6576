import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { expect, test } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { startProcess } from '../support/processes.ts'
import { startSurroundings } from '../support/surroundings.ts'

/** Companies one key asks for, in lists of 500, and another's single look-ups meanwhile. */
const COLD = Number(process.env.COLD ?? 5000)
const SINGLES = 30
const REGISTER_MS = 200
const EVERY_MS = 400

test(`P93: beside one key that asks for ${COLD} companies nobody holds, another’s are as whole, and hardly later`, async () => {
  const numbers = inventNumbers(COLD + 2 * SINGLES)
  const around = await startSurroundings({ copies: numbers })
  const agent = new Agent({ connections: 100 })
  const front = await startProcess('api', {
    ...around.variables(),
    KUNNGJORING_CALLS_PER_SECOND: '5',
    ANSWER_DEADLINE_MS: '2500',
  })
  const other = await around.issue()
  const leaving = new AbortController()
  try {
    around.register.setFault('alle', { kind: 'delay', ms: REGISTER_MS })
    const headers = (key: string) => ({ authorization: `Bearer ${key}` })
    async function single(orgnr: string) {
      const begun = performance.now()
      const { statusCode, body } = await agent.request({
        origin: front.address,
        path: `/api/bedrift/${orgnr}`,
        method: 'GET',
        headers: headers(other),
      })
      const { komplett } = (await body.json()) as { komplett?: boolean }
      return { isWhole: statusCode === 200 && komplett === true, ms: performance.now() - begun }
    }
    async function singles(orgnrs: readonly string[]) {
      const told: Awaited<ReturnType<typeof single>>[] = []
      for (const orgnr of orgnrs) {
        const next = pause(EVERY_MS)
        told.push(await single(orgnr))
        await next
      }
      return row(told)
    }
    const crowd = { lines: 0, whole: 0 }
    async function many(orgnrs: readonly string[]) {
      const { body } = await agent.request({
        origin: front.address,
        path: '/api/bedrift/oppslag',
        method: 'POST',
        headers: { ...headers(around.token), 'content-type': 'application/json' },
        body: JSON.stringify(orgnrs),
        signal: leaving.signal,
        bodyTimeout: 0,
      })
      let rest = ''
      for await (const chunk of body) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        crowd.lines += lines.length
        crowd.whole += lines.filter((line) => line.includes('"komplett":true')).length
      }
    }
    const alone = await singles(numbers.slice(0, SINGLES))
    const lists = Array.from({ length: Math.ceil(COLD / 500) }, (_, list) =>
      numbers.slice(2 * SINGLES + list * 500, 2 * SINGLES + Math.min(COLD, (list + 1) * 500)),
    )
    const bulk = Promise.allSettled(lists.map(many))
    await pause(2000)
    const beside = await singles(numbers.slice(SINGLES, 2 * SINGLES))
    leaving.abort()
    await bulk
    process.stdout.write(`${JSON.stringify({ alone, beside, crowd }, null, 1)}\n`)
    expect(beside.whole).toBeGreaterThanOrEqual(alone.whole)
    expect(beside.p95).toBeLessThanOrEqual(1.5 * alone.p95)
    expect(crowd.lines).toBeGreaterThan(0)
    // What has come is whole: announcements were waited for.
    expect(crowd.whole).toBe(crowd.lines)
  } finally {
    await front.end()
    await agent.close()
    await around.close()
  }
}, 180_000)

function row(told: readonly { isWhole: boolean; ms: number }[]) {
  const times = told.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  return {
    asked: told.length,
    whole: told.filter(({ isWhole }) => isWhole).length,
    p50: at(0.5),
    p95: at(0.95),
  }
}
