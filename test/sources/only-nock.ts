import nock from 'nock'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { RegisterClient } from '#src/sources/register-client.ts'

/** In this file nobody but nock answers, and every test asks for all that was prepared for it. Closes the client at the end. */
export function onlyNockAnswers(client: RegisterClient): void {
  beforeAll(() => nock.disableNetConnect())
  afterEach(() => {
    expect(nock.pendingMocks()).toEqual([])
    nock.cleanAll()
  })
  afterAll(async () => {
    await client.close()
    nock.enableNetConnect()
  })
}
