import { Type } from 'typebox'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { tellRemoval } from '#src/core/removal-told.ts'
import { createBelief, optional } from './believe.ts'
import type { RegisterResponse } from './register-client.ts'
import { assertSameCompany, parseJson } from './response.ts'
import { type Answer, SourceError } from './source.ts'

/**
 * A 410 is the order to forget what the source gave of the company: the status alone, whatever body comes with it, or none. One that
 * names another company is the order to forget that one, and no answer to what was asked: what is forgotten does not come back.
 *
 * @throws SourceError `feil_foretak`
 */
export function removed(
  source: string,
  orgnr: Organisasjonsnummer,
  response: RegisterResponse,
): Answer<never> {
  const { organisasjonsnummer, slettedato } = read(source, response)
  assertSameCompany(source, orgnr, organisasjonsnummer, '/organisasjonsnummer')
  tellRemoval(source)
  // The day is repeated only where the body says it of this very company.
  const day = organisasjonsnummer === orgnr ? (slettedato ?? null) : null
  return { outcome: 'removed', slettedato: day, fetchedAt: response.fetchedAt }
}

function read(source: string, response: RegisterResponse) {
  try {
    return believe(source, parseJson(source, response)).value
  } catch (error) {
    if (error instanceof SourceError) return {}
    throw error
  }
}

/** No name, by intent. */
const believe = createBelief(
  Type.Object({
    organisasjonsnummer: optional(Type.String({ pattern: '^[0-9]{9}$' })),
    slettedato: optional(Type.String({ format: 'date' })),
  }),
)
