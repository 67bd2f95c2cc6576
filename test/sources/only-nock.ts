import nock from 'nock'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { eventually } from '#test/support/eventually.ts'

/**
 * In this file nobody but nock answers, and every test asks for all that was prepared for it. Closes the client at the end, and
 * gives the network back: nock stands in every connection of the process from its first import on.
 */
export function onlyNockAnswers(client: RegisterClient): void {
  // Of a file whose tests are all skipped nothing below runs, and the next one would find it there.
  nock.restore()
  beforeAll(() => {
    nock.activate()
    nock.disableNetConnect()
  })
  afterEach(async () => {
    // Of what is asked together the rest may have its turn after the first was not believed.
    await eventually('all that was prepared is asked for', () => nock.pendingMocks().length === 0)
    nock.cleanAll()
  })
  afterAll(async () => {
    await client.close()
    nock.enableNetConnect()
    nock.restore()
  })
}
