import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import { PaymentUnavailableError } from '#src/sales/errors.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { anOrder, offer, startPageFront, TOKEN } from './page-front.ts'

describe('the log of the pages', () => {
  it('P40: has no address, no token and nothing that was typed, whatever went wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sider-'))
    const file = join(folder, 'log')
    const log = createLog({ level: 'debug', file })
    let fails: Error = new PaymentUnavailableError(new Error('x'))
    const front = await startPageFront(
      closedPages({
        offer: () => offer,
        placeOrder: async () => {
          throw fails
        },
        readOrder: async () => anOrder(),
      }),
      { log },
    )
    const order = { epost: 'hemmelig@example.no', skjema: 's'.repeat(32), vilkaar: 'ja' }
    await front.post('/kjop', order)
    await front.post('/kjop/betal', order)
    fails = new Error('a fault of ours')
    await front.post('/kjop/betal', order)
    for (const refused of await refusedByPostgres(order.epost)) {
      fails = refused
      await front.post('/kjop/betal', order)
    }
    await front.post('/bytt-nokkel', { epost: order.epost, grunn: 'tapt' })
    await front.get(`/ordre/${TOKEN}`)
    await front.get(`/ordre/${TOKEN}?lang=en`)
    await front.post(`/nokkel/erstatt/${TOKEN}`, {})
    await front.post('/kjop', order, { 'sec-fetch-site': 'cross-site' })
    await front.close()
    await log.flushed()
    const lines = await readFile(file, 'utf8')
    await rm(folder, { recursive: true })
    expect(lines).toContain('/ordre/:token')
    expect(lines).toContain('a fault of ours')
    expect(lines).toContain('"code":"23505"')
    expect(lines).toContain('"constraint":"kunde_epost_key"')
    expect(lines).toContain('PostgreSQL refused a value')
    expect(lines).toContain('"code":"P0001"')
    for (const secret of ['hemmelig', '@example.no', TOKEN, order.skjema]) expect(lines).not.toContain(secret)
  })
})

/** Each has the address in another place: the row, the message, the statement of a function, the cause of an error of ours. */
async function refusedByPostgres(epost: string): Promise<Error[]> {
  const { database, close } = await createTestDatabase()
  const refusal = (sql: string) =>
    database.query(sql).then(
      () => expect.unreachable(sql),
      (error: Error) => error,
    )
  try {
    await database.query('create table kunde (epost text unique)')
    await database.query('insert into kunde values ($1)', [epost])
    const twice = await refusal(`insert into kunde values ('${epost}')`)
    return [
      twice,
      await refusal(`select '${epost}'::integer`),
      await refusal(`do $$ begin execute 'insert into kunde values (''${epost}'')'; end $$`),
      await refusal(`do $$ begin raise 'no' using detail = '${epost}', hint = '${epost}'; end $$`),
      new Error('a step failed', { cause: twice }),
      new AggregateError([twice], 'several failed'),
    ]
  } finally {
    await close()
  }
}
