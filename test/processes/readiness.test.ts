import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

const WHOLE = { klar: true, hindringer: [], mangler: [] }

describe('P39: the registers are down', () => {
  let register: RegisterStandIn

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
  })
  afterAll(() => register.close())

  it('every process starts, is ready, and says that the registers are away', async () => {
    register.setFault('alle', { kind: 'refuse' })
    const service = await startDeployment(register)
    try {
      for (const api of service.apis) {
        expect((await service.get(api, '/health/ready')).body).toEqual(WHOLE)
        const { status, headers, body } = await service.get(api, `/api/bedrift/${SAMPLE.healthy}`)
        expect([status, body.kode]).toEqual([503, 'register_utilgjengelig'])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
      register.clearFaults()
      const [api] = service.apis
      await eventually('it answers', async () => {
        return (await service.get(api, `/api/bedrift/${SAMPLE.healthy}`)).body.komplett === true
      })
      expect((await service.get(api, '/health/live')).status).toBe(200)
    } finally {
      register.clearFaults()
      await service.close()
    }
  })
})
