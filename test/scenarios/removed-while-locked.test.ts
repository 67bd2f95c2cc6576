import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

let register: RegisterStandIn
let service: TestService
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

it('P11: attack: a company is removed while PostgreSQL takes no removal: it is named no more, and is buried when it does', async () => {
  const path = `/api/bedrift/${SAMPLE.healthy}`
  expect((await service.get(path)).status).toBe(200)
  const holder = new pg.Client({ connectionString: service.storage.url })
  await holder.connect()
  await holder.query('begin; lock table fjernet in access exclusive mode')
  // By its feed alone: what it says of the company itself may be minutes old.
  register.publish('enheter', { organisasjonsnummer: SAMPLE.healthy, endringstype: 'Fjernet' })
  await eventually('it is named no more', async () => (await service.get(path)).status === 410)
  await holder.query('rollback')
  await holder.end()
  await eventually('it is buried', async () => {
    const buried = await service.storage.database.query('select from fjernet')
    return buried.length === 1
  })
  expect((await service.get(path)).status).toBe(410)
})
