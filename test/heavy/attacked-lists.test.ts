import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { WORKBOOK_TYPE } from '#src/http/sheets/workbook.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type AttackedFront, startAttackedFront } from '../support/attacked-front.ts'

const MEGABYTE = 1024 * 1024
const ROUNDS = 20

/** What anybody can send, with the key that everybody has: each the largest there is room for. */
const sent: Record<string, { path: string; type?: string; accept?: string; body?: string; times: number }> = {
  'calls of an agent': {
    path: '/mcp',
    type: 'application/json',
    accept: 'application/json, text/event-stream',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'roller', arguments: { organisasjonsnummer: SAMPLE.healthy } },
    }),
    times: 50,
  },
  'the same wrong number': {
    path: '/api/bedrift/oppslag',
    type: 'text/plain',
    body: '1,'.repeat(65_000),
    times: 1,
  },
  'nothing but separators': {
    path: '/api/bedrift/oppslag',
    type: 'text/csv',
    body: ','.repeat(130_000),
    times: 1,
  },
  'a workbook of what is none': {
    path: '/api/bedrift/oppslag',
    type: 'text/plain',
    accept: WORKBOOK_TYPE,
    body: Array.from({ length: 500 }, (_, index) => 100_000_000 + index).join('\n'),
    times: 1,
  },
  'a workbook of a sample': { path: `/foretak/${SAMPLE.healthy}/xlsx`, times: 1 },
}

describe.each(['api', 'start'] as const)(
  'P98, P99, P100: a front that is sent lists and calls that cost the most (%s)',
  (door) => {
    let attacked: AttackedFront

    beforeAll(async () => {
      attacked = await startAttackedFront({ goesFirst: true, door })
    })
    afterAll(() => attacked.close())

    it.each(Object.keys(sent))('%s: another reader does not notice', async (name) => {
      const { path, type, accept = '*/*', body, times } = sent[name] ?? { path: '/', times: 1 }
      const send = async () => {
        const answer = await fetch(attacked.front.address + path, {
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            authorization: `Bearer ${PUBLIC_TEST_KEY}`,
            accept,
            ...(type !== undefined && { 'content-type': type }),
          },
          ...(body !== undefined && { body }),
        })
        await answer.arrayBuffer()
        expect(answer.status).toBeLessThan(500)
      }
      // The first of each meets what nobody has compiled yet.
      for (let index = 0; index < 5 * times; index += 1) await send()
      const cost = await attacked.under(async () => {
        for (let round = 0; round < ROUNDS * times; round += 1) await send()
      })
      const { p99Ms, quietP99Ms, stretch, cpuMs } = cost
      const grownMegabytes = cost.grownBytes / MEGABYTE
      const figures = { p99Ms, quietP99Ms, stretch, cpuMs, grownMegabytes }
      const told = Object.entries(figures).map(([what, figure]) => `${what} ${figure.toFixed(1)}`)
      process.stdout.write(`${name}: ${told.join(', ')}\n`)
      expect(p99Ms).toBeLessThan(50)
      expect(grownMegabytes).toBeLessThan(150)
    })
  },
)
