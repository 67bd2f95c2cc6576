import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  createRegisterClient,
  type RegisterClient,
  type RegisterResponse,
} from '#src/sources/register-client.ts'

/** Two numbers with right check digits that stand for invented companies. */
export const ORGNR = parseOrganisasjonsnummer('111111111')
export const OTHER = parseOrganisasjonsnummer('222222222')

export const HOST = 'https://register.example'

export function clientFor(
  baseUrl: string,
  options: Partial<Parameters<typeof createRegisterClient>[0]> = {},
): RegisterClient {
  return createRegisterClient({
    baseUrl: new URL(baseUrl),
    userAgent: 'bedriftsoppslag-test/1 (kontakt@example.no)',
    connectionsMax: 4,
    connectionsForOneMax: 4,
    waitingMax: 100,
    headersTimeoutMs: 5000,
    connectTimeoutMs: 1000,
    bodyBytesMax: 1024 * 1024,
    ...options,
  })
}

/** A call with time enough; the tests that are about time make their own. */
export const patient = () => ({ signal: AbortSignal.timeout(10_000) })

/** A client that has the answer in its hand: for what is read out of an answer, not how it came. */
export function answering(given: {
  status?: number
  contentType?: string | null
  body: string | Buffer | object
}): RegisterClient {
  const { status = 200, contentType = 'application/json', body } = given
  const response: RegisterResponse = {
    status,
    contentType,
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    retryAfterSeconds: null,
    fetchedAt: new Date('2026-10-20T12:00:00Z'),
  }
  return { get: async () => response, leave: () => {}, close: async () => {} }
}
