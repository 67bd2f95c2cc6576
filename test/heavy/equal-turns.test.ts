import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { expect, test } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { startProcess } from '../support/processes.ts'
import { startRedis } from '../support/redis.ts'
import { startSurroundings } from '../support/surroundings.ts'

const CROWD = 300
const SINGLES = 15
/** What a register takes on a day like others, and what one reader asks for. */
const REGISTER_MS = 200
const EVERY_MS = 400
/** At five announcements a second 300 take a minute, and what was waited for goes on meanwhile. */
const ROUNDS_MAX = 40

type Told = { status: number; isWhole: boolean; againSeconds: number | null; missing: string[]; ms: number }
/** Each with a line of its own: a crowd is in all of them. */
const doors = [
  ['one front', 'api', '1'],
  ['three fronts', 'fronts', '3'],
] as const

test.each(doors)(
  'P61: beside one key that asks %s for 300 companies nobody holds, another’s single look-ups are as whole as alone',
  async (_, door, WORKERS) => {
    const numbers = inventNumbers(CROWD + 2 * SINGLES)
    const [around, redis] = await Promise.all([startSurroundings({ copies: numbers }), startRedis()])
    const agent = new Agent({ connections: CROWD + 10 })
    const front = await startProcess(door, {
      ...around.variables({ cacheRedisUrl: redis.url }),
      OPS_PORT: '0',
      WORKERS,
      KUNNGJORING_CALLS_PER_SECOND: '5',
      ANSWER_DEADLINE_MS: '2500',
    })
    const other = await around.issue()
    try {
      around.register.setFault('alle', { kind: 'delay', ms: REGISTER_MS })
      async function ask(key: string, orgnr: string): Promise<Told> {
        const begun = performance.now()
        const { statusCode, headers, body } = await agent.request({
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
          againSeconds: headers['retry-after'] === undefined ? null : Number(headers['retry-after']),
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
      expect(status.kilder.filter(({ drift }) => drift === 'nede')).toEqual([])

      // Each answer in part says when to ask again, and whoever does as told has them all.
      let left = (await crowd).flatMap((told, index) =>
        told.isWhole ? [] : [{ orgnr: numbers[2 * SINGLES + index] ?? '', told }],
      )
      const rounds: number[] = []
      while (left.length > 0 && rounds.length < ROUNDS_MAX) {
        rounds.push(left.length)
        const waits = left.map(({ told }) => told.againSeconds ?? Number.NaN)
        expect(waits.every((seconds) => seconds > 0 && seconds <= 30)).toBe(true)
        await pause(1000 * Math.max(...waits))
        const again = await Promise.all(left.map(({ orgnr }) => ask(around.token, orgnr)))
        left = left.flatMap(({ orgnr }, index) => {
          const told = again[index]
          return told === undefined || told.isWhole ? [] : [{ orgnr, told }]
        })
      }
      process.stdout.write(
        `not whole, each time they were asked for again: ${rounds.join(', ')}, ${left.length}\n`,
      )
      expect(left).toEqual([])
      // A turn, never a refusal: neither for who asks for one, nor for the crowd itself.
      expect(rows.crowd.refused).toBe(0)
    } finally {
      await front.end()
      await agent.close()
      await around.close()
      await redis.close()
    }
  },
  500_000,
)

function row(told: Told[]) {
  const times = told.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  const reasons: Record<string, number> = {}
  for (const reason of told.flatMap(({ missing }) => missing)) reasons[reason] = (reasons[reason] ?? 0) + 1
  return {
    asked: told.length,
    whole: told.filter(({ isWhole }) => isWhole).length,
    refused: told.filter(({ status }) => status !== 200).length,
    reasons,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    most: at(1),
  }
}
