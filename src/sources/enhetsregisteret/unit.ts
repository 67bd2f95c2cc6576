import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Believed } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient } from '../register-client.ts'
import { assertSameCompany, found, parseJson } from '../response.ts'
import type { Answer, Call, SourceName } from '../source.ts'
import { believeEnhet, believeUnderenhet } from './believe-unit.ts'
import type { Enhet, SlettetEnhet, Underenhet } from './schema.ts'
import { answerByStatus } from './status.ts'

/**
 * One main unit or sub-unit of Enhetsregisteret. A number belongs to one of the two, and the other path answers `absent`.
 * The version is pinned: a later one is refused by the register rather than misread by us.
 */
export function createUnitSource(client: RegisterClient) {
  return {
    /** @throws SourceError when the register could not be heard or believed */
    fetchEnhet: (orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Enhet | SlettetEnhet>> =>
      fetchUnit(client, { source: 'enhet', believe: believeEnhet }, orgnr, call),

    /** @throws SourceError when the register could not be heard or believed */
    fetchUnderenhet: (orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Underenhet | SlettetEnhet>> =>
      fetchUnit(client, { source: 'underenhet', believe: believeUnderenhet }, orgnr, call),
  }
}

type Kind<U> = {
  source: 'enhet' | 'underenhet'
  believe: (source: SourceName, body: unknown) => Believed<U>
}

async function fetchUnit<U extends { organisasjonsnummer: string }>(
  client: RegisterClient,
  { source, believe }: Kind<U>,
  orgnr: Organisasjonsnummer,
  call: Call,
): Promise<Answer<U>> {
  const response = await client.get(source, questions[source](orgnr).path, {
    accept: `application/vnd.brreg.enhetsregisteret.${source}.v2+json;charset=UTF-8`,
    ...call,
  })
  const byStatus = answerByStatus(source, orgnr, response)
  if (byStatus !== null) return byStatus
  const { value, avvik } = believe(source, parseJson(source, response))
  assertSameCompany(source, orgnr, value.organisasjonsnummer)
  return found(value, avvik, response.fetchedAt)
}
