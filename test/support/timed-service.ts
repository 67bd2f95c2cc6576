import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'
import { startTestService, type TestService } from './service.ts'

/** The whole service with its own registers and a clock that stands still: nobody has asked it for anything yet. */
export type TimedService = {
  readonly register: RegisterStandIn
  readonly clock: TestClock
  readonly service: TestService
  close(): Promise<void>
}

/**
 * @param variables for it, besides those of every test
 * @param options `workers: false`: nothing happens behind the readers, and 19 connections fewer are made
 */
export async function startTimedService(
  variables: Record<string, string>,
  { workers = true } = {},
): Promise<TimedService> {
  const register = await startRegisterStandIn({ answers: sampleAnswers() })
  const clock = createTestClock()
  const service = await startTestService(register, { clock, isLoaded: true, workers, variables })
  return {
    register,
    clock,
    service,
    async close() {
      // Nobody is waited for who waits for a register that hangs.
      register.clearFaults()
      await service.close()
      await register.close()
    },
  }
}
