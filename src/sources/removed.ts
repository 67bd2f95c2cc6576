import { Type } from 'typebox'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { tellRemoval } from '#src/core/removal-told.ts'
import { createBelief, optional } from './believe.ts'
import type { RegisterResponse } from './register-client.ts'
import { parseJson } from './response.ts'
import { type Answer, SourceError } from './source.ts'

/**
 * A 410 is the order to forget what the source gave of the company: the status alone, whatever body comes with it, or none.
 * The day is repeated only where the body says it of this very company.
 */
export function removed(
  source: string,
  orgnr: Organisasjonsnummer,
  response: RegisterResponse,
): Answer<never> {
  tellRemoval(source)
  return { outcome: 'removed', slettedato: dayIn(source, orgnr, response), fetchedAt: response.fetchedAt }
}

function dayIn(source: string, orgnr: Organisasjonsnummer, response: RegisterResponse): string | null {
  try {
    const { organisasjonsnummer, slettedato } = believe(source, parseJson(source, response)).value
    return organisasjonsnummer === orgnr ? (slettedato ?? null) : null
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

/** No name, by intent. */
const believe = createBelief(
  Type.Object({
    organisasjonsnummer: optional(Type.String()),
    slettedato: optional(Type.String({ format: 'date' })),
  }),
)
