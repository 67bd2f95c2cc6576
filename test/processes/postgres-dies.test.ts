import { afterAll, beforeAll, describe, it } from 'vitest'
import { startBusyProcess } from '../support/deaths/busy.ts'
import { deaths } from '../support/deaths/deaths.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

/** A hundred of them, under the real processes: `test/heavy/postgres-dies.test.ts`. */
describe('P51: no process ends of PostgreSQL, whatever it was doing there', () => {
  let postgres: TestPostgres
  let busy: ReturnType<typeof startBusyProcess>

  beforeAll(async () => {
    postgres = await startPostgres({ isDurable: false })
    busy = startBusyProcess(postgres.url)
    await busy.worksInEveryWay()
  })
  afterAll(async () => {
    await busy.close()
    await postgres.close()
  })

  it.each(Object.entries(deaths))('when it %s', async (_, die) => {
    await die(postgres)
    await busy.worksInEveryWay()
  })
})
