import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import { createBelief, pointer } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { assertSameCompany, found, isEmpty, numberInLink, parseJson, refuseUnread } from '../response.ts'
import { enhetsregisteret } from './register.ts'
import { type RegisterRolle, RegisterRoller, Rollesvar } from './schema.ts'

const lifetime: NamedLifetime = {
  name: 'roller',
  about: 'Roller',
  freshMs: DAY_MS,
  staleMs: 7 * DAY_MS,
  keepMs: DAY_MS,
}

/**
 * The roles of one main unit, those of former holders among them. `absent` when the register has no roles for the number. A
 * row whose holder is of no known kind stays in the list without a holder and is named in `avvik`; a row or a group that can
 * not be read is null in its place.
 */
export const roller: Source<'roller', RegisterRoller> = {
  name: 'roller',
  title: { nb: 'Roller', en: 'Roles' },
  register: enhetsregisteret,
  provenance: provenance('brreg-roller', enhetsregisteret),
  request: (orgnr) => ({ path: `/enhetsregisteret/api/enheter/${orgnr}/roller` }),
  askedWhen: null,
  next: null,
  // The published specification lists plain JSON only, so the pinned type is asked for first, not alone.
  accept: 'application/vnd.brreg.enhetsregisteret.rolle.v1+json;charset=UTF-8, application/json;q=0.9',
  schemaOf: () => Rollesvar,
  shape: shapeOf(RegisterRoller),
  isAbsence: isEmpty,
  unsupported: null,
  believe(response, orgnr) {
    const { value, avvik } = believe('roller', parseJson('roller', response))
    // The company's own number stands nowhere else in this answer.
    assertSameCompany('roller', orgnr, numberInLink(value._links?.enhet?.href), '/_links/enhet/href')
    assertSameCompany('roller', orgnr, numberInLink(value._links?.self?.href), '/_links/self/href')
    const { rollegrupper } = value
    refuseUnread('roller', response, { list: rollegrupper, avvik })
    return found({ rollegrupper }, [...avvik, ...withoutHolder(rollegrupper)], response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: false, underenheter: false, roller: true },
  withoutErased: ({ rollegrupper }, isErased) => ({
    rollegrupper: rollegrupper.map(
      (group) =>
        group && { ...group, roller: group.roller?.map((role) => withoutName(role, isErased)) ?? null },
    ),
  }),
  ownBudget: null,
  sparing: null,
}

const believe = createBelief(Rollesvar)

/** Names the rows that could be read and have no holder of a known kind. */
function withoutHolder(rollegrupper: RegisterRoller['rollegrupper']): string[] {
  return rollegrupper.flatMap((group, at) =>
    (group?.roller ?? []).flatMap((role, index) => {
      // null is a holder that could not be read, and is named already.
      const isKnown = role === null || HOLDERS.some((holder) => role[holder] !== undefined)
      return isKnown ? [] : [pointer(pointer(pointer('/rollegrupper', at), 'roller'), index)]
    }),
  )
}

/** That somebody holds it stays. */
function withoutName(role: RegisterRolle | null, isErased: (orgnr: string) => boolean): RegisterRolle | null {
  const { organisasjonsnummer, navn: _, ...rest } = role?.enhet ?? {}
  if (role === null || typeof organisasjonsnummer !== 'string' || !isErased(organisasjonsnummer)) return role
  return { ...role, enhet: rest }
}

const HOLDERS = ['person', 'enhet', 'bostyrer'] as const
