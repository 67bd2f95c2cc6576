import { afterAll, beforeAll, describe, it } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { orders, startOverStores } from '../support/outages.ts'

const all = orders.flatMap((going) => orders.map((coming) => ({ going, coming })))
const numbers = inventNumbers(all.length)
const cases = all.map((each, index) => ({ ...each, cold: numbers[index] ?? '' }))

describe('P37: PostgreSQL and both Redis go and come back in every order, under one and the same processes', () => {
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    service = await startOverStores(numbers)
  }, 60_000)
  afterAll(() => service.close(), 60_000)

  it.each(cases)(
    '$going go, $coming come',
    ({ going, coming, cold }) => service.comeAndGo(going, coming, cold),
    180_000,
  )
})
