import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createBelief } from '../believe.ts'
import type { RegisterResponse } from '../register-client.ts'
import { assertSameCompany, isEmpty, parseJson, refusedStatus } from '../response.ts'
import type { Answer, SourceName } from '../source.ts'
import { FjernetEnhet } from './schema.ts'

/**
 * What Enhetsregisteret says by status alone. Null means 200: the body is the answer.
 *
 * A 404 says "unknown" only when it is empty; with a body it is a wrong path or a proxy's page, and no word about the
 * company. A 410 has a body of its own and is a request to forget the company; deleted companies answer 200 instead.
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
  if (status === 410) {
    const { organisasjonsnummer, slettedato } = believeRemoved(source, parseJson(source, response)).value
    assertSameCompany(source, orgnr, organisasjonsnummer)
    return { outcome: 'removed', slettedato: slettedato ?? null, fetchedAt }
  }
  throw refusedStatus(source, response)
}

const believeRemoved = createBelief(FjernetEnhet)
