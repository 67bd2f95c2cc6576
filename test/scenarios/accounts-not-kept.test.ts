import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const numbers = inventNumbers(24)
let register: RegisterStandIn
let service: TestService
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  service = await startTestService(register, { isLoaded: true, workers: false })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

it('P61: attack: keys that are new here are let in while the accounts of all another reads wait to be kept', async () => {
  const { storage, call, get } = service
  await get(`/api/bedrift/${SAMPLE.healthy}`)
  const newcomer = await issueToken(storage)
  const held = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  // As while an index is put in its place, or a burial waits for that.
  const holding = storage.database.transaction(async (connection) => {
    await connection.query('lock table fjernet in share mode')
    held.resolve()
    await mayEnd.promise
  })
  await held.promise
  await Promise.all(numbers.map((orgnr) => get(`/api/bedrift/${orgnr}`)))
  await eventually('they wait to be kept', async () => {
    const [row] = await storage.database.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_locks where not granted and relation = 'fjernet'::regclass`,
    )
    return row !== undefined && row.waiting > 1
  })
  const { status } = await call('GET', `/api/bedrift/${SAMPLE.healthy}`, { token: newcomer })
  mayEnd.resolve()
  await holding
  expect(status).toBe(200)
})
