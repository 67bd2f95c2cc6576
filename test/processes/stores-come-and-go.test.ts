import { afterAll, beforeAll, describe, it } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { pairwise, startOverStores } from '../support/outages.ts'

/** The first is in short/. */
const others = pairwise.slice(1)
const numbers = inventNumbers(others.length)
const cases = others.map((each, index) => ({ ...each, cold: numbers[index] ?? '' }))

/** All 36 orders there are: `test/heavy/stores-come-and-go.test.ts`. */
describe('P37, P39: PostgreSQL and both Redis go and come back, any two of them in either order', () => {
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    service = await startOverStores(numbers)
  })
  afterAll(() => service.close())

  it.each(cases)('$going go, $coming come', ({ going, coming, cold }) =>
    service.comeAndGo(going, coming, cold),
  )
})
