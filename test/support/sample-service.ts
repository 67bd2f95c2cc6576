import { sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'
import { startTestService, type TestService } from './service.ts'

/** The whole service over registers that have the samples, and what those were asked. */
export async function startSampleService(): Promise<TestService & { register: RegisterStandIn }> {
  const register = await startRegisterStandIn({ answers: sampleAnswers() })
  const service = await startTestService(register, { workers: false })
  return {
    ...service,
    register,
    async close() {
      await service.close()
      await register.close()
    },
  }
}
