import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { inventNumbers } from '../../support/invented-companies.ts'
import { pairwise, startOverStores } from '../../support/outages.ts'

const [cold] = inventNumbers(1) as [Organisasjonsnummer]

describe('P37, P39: PostgreSQL and both Redis go and come back, in one order', () => {
  let service: Awaited<ReturnType<typeof startOverStores>>

  beforeAll(async () => {
    service = await startOverStores([cold])
  })
  afterAll(() => service.close())

  it.each(pairwise.slice(0, 1))('$going go, $coming come', ({ going, coming }) =>
    service.comeAndGo(going, coming, cold),
  )
})
