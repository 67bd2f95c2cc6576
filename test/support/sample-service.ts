import { sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'
import { startTestService, type TestService } from './service.ts'

export type SampleService = TestService & { register: RegisterStandIn }

/** The whole service over registers that have the samples, and what those were asked. */
export async function startSampleService(
  options: Parameters<typeof startTestService>[1] = { workers: false },
): Promise<SampleService> {
  const register = await startRegisterStandIn({ answers: sampleAnswers() })
  const service = await startTestService(register, options)
  return {
    ...service,
    register,
    async close() {
      await service.close()
      await register.close()
    },
  }
}
