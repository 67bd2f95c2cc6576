import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { expect, test } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { startProcess } from '../support/processes.ts'
import { startSurroundings } from '../support/surroundings.ts'

const CROWD = 300
const SINGLES = 15
/** What a register takes on a day like others, and what one reader asks for. */
const REGISTER_MS = 200
const EVERY_MS = 400

type Told = { status: number; isWhole: boolean; missing: string[]; ms: number }

test('P61: beside one key that asks for 300 companies nobody holds, another’s single look-ups are as whole as alone', async () => {
  const numbers = inventNumbers(CROWD + 2 * SINGLES)
  const around = await startSurroundings({ copies: numbers })
  const agent = new Agent({ connections: CROWD + 10 })
  const front = await startProcess('api', {
    ...around.variables(),
    KUNNGJORING_CALLS_PER_SECOND: '5',
    ANSWER_DEADLINE_MS: '2500',
  })
  const other = await around.issue()
  try {
    around.register.setFault('alle', { kind: 'delay', ms: REGISTER_MS })
    async function ask(key: string, orgnr: string): Promise<Told> {
      const begun = performance.now()
      const { statusCode, body } = await agent.request({
        origin: front.address,
        path: `/api/bedrift/${orgnr}`,
        method: 'GET',
        headers: { authorization: `Bearer ${key}` },
        headersTimeout: 60_000,
      })
      const record = (await body.json()) as {
        komplett?: boolean
        kode?: string
        kilder?: Record<string, { arsak: { kode: string } | null }>
      }
      const missing = Object.entries(record.kilder ?? {}).flatMap(([kilde, { arsak }]) =>
        arsak === null ? [] : [`${kilde} ${arsak.kode}`],
      )
      if (record.kode !== undefined) missing.push(record.kode)
      return {
        status: statusCode,
        isWhole: record.komplett === true,
        missing,
        ms: performance.now() - begun,
      }
    }
    async function singles(orgnrs: readonly string[]): Promise<Told[]> {
      const told: Told[] = []
      for (const orgnr of orgnrs) {
        const next = pause(EVERY_MS)
        told.push(await ask(other, orgnr))
        await next
      }
      return told
    }
    const alone = await singles(numbers.slice(0, SINGLES))
    const crowd = Promise.all(numbers.slice(2 * SINGLES).map((orgnr) => ask(around.token, orgnr)))
    const beside = await singles(numbers.slice(SINGLES, 2 * SINGLES))
    const status = (await (await fetch(`${front.address}/status.json`)).json()) as {
      kilder: { kilde: string; drift: string }[]
    }
    const rows = { alone: row(alone), beside: row(beside), crowd: row(await crowd) }
    process.stdout.write(`${JSON.stringify(rows, null, 1)}\n`)
    expect(beside.map(({ status }) => status)).toEqual(Array(SINGLES).fill(200))
    expect(rows.beside.whole).toBeGreaterThanOrEqual(rows.alone.whole)
    expect((await crowd).map(({ status }) => status)).toEqual(Array(CROWD).fill(200))
    expect(status.kilder.filter(({ drift }) => drift === 'nede')).toEqual([])
  } finally {
    await front.end()
    await agent.close()
    await around.close()
  }
}, 180_000)

function row(told: Told[]) {
  const times = told.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  const reasons: Record<string, number> = {}
  for (const reason of told.flatMap(({ missing }) => missing)) reasons[reason] = (reasons[reason] ?? 0) + 1
  return {
    asked: told.length,
    whole: told.filter(({ isWhole }) => isWhole).length,
    reasons,
    p50: at(0.5),
    p95: at(0.95),
    most: at(1),
  }
}
