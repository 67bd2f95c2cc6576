import { afterAll, beforeAll, describe, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { startOverStores } from '../support/outages.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

const [one = '', other = ''] = inventNumbers(2)

/** Every order there is: `test/heavy/stores-come-and-go.test.ts`. */
describe('P37: PostgreSQL and both Redis go and come back', () => {
  let register: RegisterStandIn
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    const { companies, klass } = sampleAnswers()
    const sample = companies.get(SAMPLE.healthy) ?? {}
    const copies = [one, other].map((orgnr) => [orgnr, copyOf(sample, SAMPLE.healthy, orgnr)] as const)
    register = await startRegisterStandIn({
      answers: { companies: new Map([...companies, ...copies]), klass },
    })
    service = await startOverStores(register)
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await register.close()
  }, 60_000)

  it(
    'the database first, and last',
    () => service.comeAndGo(['postgresql', 'cache', 'queue'], ['queue', 'cache', 'postgresql'], one),
    120_000,
  )

  it(
    'the queue first, and last',
    () => service.comeAndGo(['queue', 'cache', 'postgresql'], ['postgresql', 'cache', 'queue'], other),
    120_000,
  )
})
