import { afterAll, beforeAll, describe, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { orders, startOverStores } from '../support/outages.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

const all = orders.flatMap((going) => orders.map((coming) => ({ going, coming })))
const numbers = inventNumbers(all.length)
const cases = all.map((each, index) => ({ ...each, cold: numbers[index] ?? '' }))

describe('P37: PostgreSQL and both Redis go and come back in every order, under one and the same processes', () => {
  let register: RegisterStandIn
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    const { companies, klass } = sampleAnswers()
    const sample = companies.get(SAMPLE.healthy) ?? {}
    const copies = numbers.map((orgnr) => [orgnr, copyOf(sample, SAMPLE.healthy, orgnr)] as const)
    register = await startRegisterStandIn({
      answers: { companies: new Map([...companies, ...copies]), klass },
    })
    service = await startOverStores(register)
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await register.close()
  }, 60_000)

  it.each(cases)(
    '$going go, $coming come',
    ({ going, coming, cold }) => service.comeAndGo(going, coming, cold),
    180_000,
  )
})
