import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createBelief, pointer } from '../believe.ts'
import { questions } from '../questions.ts'
import type { RegisterClient } from '../register-client.ts'
import { assertSameCompany, found, numberInLink, parseJson } from '../response.ts'
import type { Answer, Call } from '../source.ts'
import { type Rolle, type Roller, Rollesvar } from './schema.ts'
import { answerByStatus } from './status.ts'

/** The roles of one main unit, those of former holders among them. */
export function createRolesSource(client: RegisterClient) {
  return {
    /**
     * `absent` when the register has no roles for the number. A row whose holder is of no known kind stays in the list
     * without a holder and is named in `avvik`.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchRoller(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Roller>> {
      const response = await client.get('roller', questions.roller(orgnr).path, {
        // The published specification lists plain JSON only, so the pinned type is asked for first, not alone.
        accept: 'application/vnd.brreg.enhetsregisteret.rolle.v1+json;charset=UTF-8, application/json;q=0.9',
        signal: call.signal,
      })
      const byStatus = answerByStatus('roller', orgnr, response)
      if (byStatus !== null) return byStatus
      const { value, avvik } = believe('roller', parseJson('roller', response))
      // The company's own number stands nowhere else in this answer.
      assertSameCompany('roller', orgnr, numberInLink(value._links?.enhet?.href))
      assertSameCompany('roller', orgnr, numberInLink(value._links?.self?.href))
      const { rollegrupper } = value
      return found({ rollegrupper }, [...avvik, ...unclear(rollegrupper, avvik)], response.fetchedAt)
    },
  }
}

const believe = createBelief(Rollesvar)

/** Names the rows without a holder, and makes the state of a role unknown where one of its flags could not be read. */
function unclear(rollegrupper: Roller['rollegrupper'], avvik: string[]): string[] {
  const leftOut = new Set(avvik)
  const paths: string[] = []
  for (const [group, { roller }] of rollegrupper.entries()) {
    for (const [index, role] of roller.entries()) {
      const path = pointer(pointer(pointer('/rollegrupper', group), 'roller'), index)
      forgetHalfReadState(role, path, leftOut)
      if (!HOLDERS.some((holder) => role[holder] !== undefined || leftOut.has(pointer(path, holder))))
        paths.push(path)
    }
  }
  return paths
}

/** With one flag unreadable the other alone would make a former holder current, or the reverse (P6). */
function forgetHalfReadState(role: Rolle, path: string, leftOut: ReadonlySet<string>): void {
  if (!STATES.some((state) => leftOut.has(pointer(path, state)))) return
  for (const state of STATES) delete role[state]
}

const STATES = ['avregistrert', 'fratraadt'] as const
const HOLDERS = ['person', 'enhet', 'bostyrer'] as const
