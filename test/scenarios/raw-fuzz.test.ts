import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsAt } from '../support/raw-fuzz.ts'
import { startSampleService } from '../support/sample-service.ts'
import type { TestService } from '../support/service.ts'

const REQUESTS = 300

describe('P43: whatever bytes are sent', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startSampleService()
  })
  afterAll(() => service.close())

  it('the public port answers without a fault of its own', async () => {
    expect(await faultsAt(service.address, REQUESTS)).toEqual([])
  })

  it('the operators’ port answers without a fault of its own', async () => {
    expect(await faultsAt(service.opsAddress, REQUESTS)).toEqual([])
  })
})
