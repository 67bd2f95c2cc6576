import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { faultsAt } from '../support/raw-fuzz.ts'

const REQUESTS = 20_000

describe('P43: twenty thousand requests of whatever bytes', () => {
  let service: SampleService

  beforeAll(async () => {
    service = await startSampleService({ workers: false })
  })
  afterAll(() => service.close())

  it('the public port answers without a fault of its own', async () => {
    expect(await faultsAt(service.address, REQUESTS)).toEqual([])
  }, 600_000)

  it('the operators’ port answers without a fault of its own', async () => {
    expect(await faultsAt(service.opsAddress, REQUESTS)).toEqual([])
  }, 600_000)
})
