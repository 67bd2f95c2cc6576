import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createBelief } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient } from '../register-client.ts'
import { removed } from '../removed.ts'
import {
  assertSameCompany,
  found,
  isEmpty,
  isJson,
  numberInLink,
  parseJson,
  refusedStatus,
} from '../response.ts'
import type { Answer, Call } from '../source.ts'
import { type Fullmakt, Fullmaktsvar } from './schema.ts'

/**
 * Who may sign for a company (signatur) and act for it in daily business (prokura): the open look-up of the Fullmakt
 * service. "None registered" is a `found` answer with signeringsGrunnlag SI; `absent` is a unit the service does not hold.
 */
export function createAuthoritySource(client: RegisterClient) {
  return {
    /** @throws SourceError when the service could not be heard or believed */
    fetchSignatur: (orgnr: Organisasjonsnummer, call: Call) => fetchFullmakt(client, 'signatur', orgnr, call),
    /** @throws SourceError when the service could not be heard or believed */
    fetchProkura: (orgnr: Organisasjonsnummer, call: Call) => fetchFullmakt(client, 'prokura', orgnr, call),
  }
}

async function fetchFullmakt(
  client: RegisterClient,
  source: 'signatur' | 'prokura',
  orgnr: Organisasjonsnummer,
  call: Call,
): Promise<Answer<Fullmakt>> {
  const response = await client.get(source, questions[source](orgnr).path, {
    accept:
      'application/vnd.brreg.enhetsregisteret.fullmakt.oppslag.v1+json;charset=UTF-8, application/json;q=0.9',
    ...call,
  })
  const { status, fetchedAt } = response
  // What the body of a 404 is here is not documented: empty or plain JSON is the service's own, a page is a proxy's.
  if (status === 404 && (isEmpty(response) || isJson(response))) return { outcome: 'absent', fetchedAt }
  if (status === 410) return removed(source, orgnr, response)
  if (status !== 200) throw refusedStatus(source, response)
  const { value, avvik } = believe(source, parseJson(source, response))
  const { _links, ...fullmakt } = value
  assertSameCompany(source, orgnr, fullmakt.enhet?.organisasjonsnummer)
  assertSameCompany(source, orgnr, numberInLink(_links?.self?.href))
  return found(fullmakt, avvik, fetchedAt)
}

const believe = createBelief(Fullmaktsvar)
