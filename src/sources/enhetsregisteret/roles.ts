import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createBelief, pointer } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient } from '../register-client.ts'
import { assertSameCompany, found, numberInLink, parseJson, refuseUnread } from '../response.ts'
import type { Answer, Call } from '../source.ts'
import { type Roller, Rollesvar } from './schema.ts'
import { answerByStatus } from './status.ts'

/** The roles of one main unit, those of former holders among them. */
export function createRolesSource(client: RegisterClient) {
  return {
    /**
     * `absent` when the register has no roles for the number. A row whose holder is of no known kind stays in the list
     * without a holder and is named in `avvik`; a row or a group that can not be read is null in its place.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchRoller(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Roller>> {
      const response = await client.get('roller', questions.roller(orgnr).path, {
        // The published specification lists plain JSON only, so the pinned type is asked for first, not alone.
        accept: 'application/vnd.brreg.enhetsregisteret.rolle.v1+json;charset=UTF-8, application/json;q=0.9',
        ...call,
      })
      const byStatus = answerByStatus('roller', orgnr, response)
      if (byStatus !== null) return byStatus
      const { value, avvik } = believe('roller', parseJson('roller', response))
      // The company's own number stands nowhere else in this answer.
      assertSameCompany('roller', orgnr, numberInLink(value._links?.enhet?.href))
      assertSameCompany('roller', orgnr, numberInLink(value._links?.self?.href))
      const { rollegrupper } = value
      refuseUnread('roller', response, { list: rollegrupper, avvik })
      return found({ rollegrupper }, [...avvik, ...withoutHolder(rollegrupper)], response.fetchedAt)
    },
  }
}

const believe = createBelief(Rollesvar)

/** Names the rows that could be read and have no holder of a known kind. */
function withoutHolder(rollegrupper: Roller['rollegrupper']): string[] {
  return rollegrupper.flatMap((group, at) =>
    (group?.roller ?? []).flatMap((role, index) => {
      // null is a holder that could not be read, and is named already.
      const isKnown = role === null || HOLDERS.some((holder) => role[holder] !== undefined)
      return isKnown ? [] : [pointer(pointer(pointer('/rollegrupper', at), 'roller'), index)]
    }),
  )
}

const HOLDERS = ['person', 'enhet', 'bostyrer'] as const
