import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createEndpoints } from '#src/push/endpoints.ts'
import type { Database, Queryable } from '#src/storage/database.ts'

const ID = 'ep_01234567890123456789'
const ROW = {
  id: ID,
  adresse: 'https://mottaker.example.com/inn',
  typer: null,
  opprettet_at: new Date(),
  av_at: null,
  av_grunn: null,
  hviler_fra: null,
  feilet_fra: null,
  levert_at: null,
  forrige_til: null,
  venter: 0,
}
const SPAN = { from: new Date('2001-01-01'), to: new Date('2002-01-01') }

describe('P191: spans of the log that are sent again', () => {
  it('attack: of one owner one is gone through at a time, with however many keys, and another’s is among the first', async () => {
    let [going, most] = [0, 0]
    const done: string[] = []
    const connection: Queryable = { query: async () => [] }
    const db = {
      query: async () => [ROW],
      async transaction<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
        going += 1
        most = Math.max(most, going)
        await turn()
        going -= 1
        return work(connection)
      },
    } as unknown as Database
    const { sendAgain } = createEndpoints({
      db,
      isErased: () => false,
      installationSecret: async () => new Uint8Array(32),
      named: [],
      ring: () => {},
      policy: policy.push,
    })
    const ask = async (eier: string) => {
      await sendAgain({ eier, prove: false, slutter: null, nokkel: null }, ID, SPAN)
      done.push(eier)
    }
    const crowd = Array.from({ length: 30 }, () => ask('crowd'))
    await turn()
    expect(most).toBe(1)
    await Promise.all([...crowd, ask('another')])
    expect(most).toBe(2)
    expect(done.indexOf('another')).toBeLessThan(5)
  })
})
