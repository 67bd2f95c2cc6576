import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn } from '../support/operators.ts'
import { faultsAt } from '../support/raw-fuzz.ts'
import { type Route, withRoutes } from '../support/routes.ts'
import { startSampleService } from '../support/sample-service.ts'
import type { TestService } from '../support/service.ts'

const COUNT = 300

describe('P43: whatever bytes are sent', () => {
  let service: TestService
  let routes: { public: Route[]; operators: Route[] }

  beforeAll(async () => {
    ;({ service, routes } = await withRoutes(() => startSampleService()))
  })
  afterAll(() => service.close())

  it('the public port answers without a fault of its own', async () => {
    const paths = routes.public.map(({ path }) => path)
    const { faults, understood } = await faultsAt(service.address, {
      count: COUNT,
      paths,
      token: service.token,
    })
    expect(faults).toEqual([])
    expect(understood).toBeGreaterThan(COUNT / 2)
  })

  it('the operators’ port answers without a fault of its own', async () => {
    const { token } = await logIn(service.storage, service.opsAddress, { navn: 'Kari', rolle: 'skrive' })
    const paths = routes.operators.map(({ path }) => path)
    const { faults, understood } = await faultsAt(service.opsAddress, { count: COUNT, paths, token })
    expect(faults).toEqual([])
    expect(understood).toBeGreaterThan(COUNT / 2)
  })
})
