import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { RegisterResponse } from '../register-client.ts'
import { removed } from '../removed.ts'
import { isEmpty, refusedStatus } from '../response.ts'
import type { Answer, SourceName } from '../source.ts'

/**
 * What Enhetsregisteret says by status alone. Null means 200: the body is the answer.
 *
 * A 404 says "unknown" only when it is empty; with a body it is a wrong path or a proxy's page, and no word about the
 * company. A 410 is a request to forget, whatever comes with it; deleted companies answer 200 instead.
 *
 * @throws SourceError for everything else
 */
export function answerByStatus(
  source: SourceName,
  orgnr: Organisasjonsnummer,
  response: RegisterResponse,
): Answer<never> | null {
  const { status, fetchedAt } = response
  if (status === 200) return null
  if (status === 404 && isEmpty(response)) return { outcome: 'absent', fetchedAt }
  if (status === 410) return removed(source, orgnr, response)
  throw refusedStatus(source, response)
}
