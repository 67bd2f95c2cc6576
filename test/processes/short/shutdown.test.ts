import { Client } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE } from '../../fixtures/samples/index.ts'
import { eventually } from '../../support/eventually.ts'
import { inventNumbers } from '../../support/invented-companies.ts'
import { startProcess } from '../../support/processes.ts'
import { type Surroundings, startSurroundings } from '../../support/surroundings.ts'

const cold = inventNumbers(20)
const path = (orgnr: string) => `/api/bedrift/${orgnr}`

describe('P36: SIGTERM', () => {
  let around: Surroundings

  beforeAll(async () => {
    around = await startSurroundings({ copies: cold })
  })
  beforeEach(() => () => around.register.clearFaults())
  afterAll(() => around.close())

  it('no request in flight fails, with clients that keep their connections, and the end is orderly', async () => {
    // Until all of them are in flight: on a busy machine the first would have been given up by then.
    const api = await startProcess('api', { ...around.variables(), ANSWER_DEADLINE_MS: '60000' })
    const clients: Client[] = []
    /** A client with one connection, that it keeps until it is told that it ends. */
    function open() {
      const client = new Client(api.address)
      clients.push(client)
      return async (path: string) => {
        const { statusCode, headers, body } = await client.request({
          method: 'GET',
          path,
          headers: { authorization: `Bearer ${around.token}` },
        })
        return { status: statusCode, isLast: headers.connection === 'close', text: await body.text() }
      }
    }
    try {
      const { text } = await open()(path(SAMPLE.healthy))
      let answered = 0
      async function ask(get: ReturnType<typeof open>): Promise<void> {
        for (let isLast = false; !isLast; answered++) {
          const answer = await get(path(SAMPLE.healthy))
          expect(answer).toMatchObject({ status: 200, text })
          isLast = answer.isLast
        }
      }
      const load = Promise.all(Array.from({ length: 8 }, () => ask(open())))
      await eventually('the load is on', () => answered > 200)
      // Last: a register that says nothing for ten seconds is given up.
      const held = Promise.withResolvers<void>()
      around.register.setFault('roller', { kind: 'hold', until: held.promise })
      const slow = Promise.all(cold.map((orgnr) => open()(path(orgnr))))
      await eventually('all are in flight', () => around.register.calls.inFlight('roller') === cold.length)
      const ending = api.end('SIGTERM')
      await load
      const ready = await open()('/health/ready')
      expect([ready.status, ready.isLast]).toEqual([503, true])
      held.resolve()
      const answers = await slow
      expect(answers.map(({ status }) => status)).toEqual(cold.map(() => 200))
      expect(answers.map(({ text }) => JSON.parse(text).roller.tilstand)).toEqual(cold.map(() => 'fersk'))
      expect(await ending).toBe(0)
    } finally {
      await Promise.all(clients.map((client) => client.destroy()))
      await api.end('SIGKILL')
    }
  })
})
