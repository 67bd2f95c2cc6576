import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { faultsAt } from '../support/raw-fuzz.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const REQUESTS = 300

describe('P43: whatever bytes are sent', () => {
  let register: RegisterStandIn
  let service: TestService

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register, { workers: false })
  })
  afterAll(async () => {
    await service.close()
    await register.close()
  })

  it('the public port answers without a fault of its own', async () => {
    expect(await faultsAt(service.address, REQUESTS)).toEqual([])
  })

  it('the operators’ port answers without a fault of its own', async () => {
    expect(await faultsAt(service.opsAddress, REQUESTS)).toEqual([])
  })
})
