import { afterAll, beforeAll, describe, it } from 'vitest'
import { inventNumbers } from '../support/invented-companies.ts'
import { startOverStores } from '../support/outages.ts'

const numbers = inventNumbers(2)
const [one = '', other = ''] = numbers

/** Every order there is: `test/heavy/stores-come-and-go.test.ts`. */
describe('P37: PostgreSQL and both Redis go and come back', () => {
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    service = await startOverStores(numbers)
  })
  afterAll(() => service.close())

  it('the database first, and last', () =>
    service.comeAndGo(['postgresql', 'cache', 'queue'], ['queue', 'cache', 'postgresql'], one))

  it('the queue first, and last', () =>
    service.comeAndGo(['queue', 'cache', 'postgresql'], ['postgresql', 'cache', 'queue'], other))
})
