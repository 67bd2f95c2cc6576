import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { Words } from '#src/core/language.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { Believed } from '../believe.ts'
import { type AnswerShape, provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { assertSameCompany, found, isEmpty, parseJson } from '../response.ts'
import { believeEnhet, believeUnderenhet } from './believe-unit.ts'
import { enhetsregisteret } from './register.ts'
import { Enhet, RegisterUnderenhet, SlettetEnhet } from './schema.ts'

/** The change feed tells of every change: the fresh time only bounds what a feed that failed would cost. */
const lifetime: NamedLifetime = {
  name: 'enhet',
  about: 'Enheter og underenheter',
  freshMs: DAY_MS,
  staleMs: 7 * DAY_MS,
  keepMs: DAY_MS,
}

/** One main unit, or what is left of a deleted one. A number belongs to one of the two kinds; of the other the register knows nothing. */
export const enhet = unitSource({
  name: 'enhet',
  title: { nb: 'Enheter', en: 'Units' },
  folder: 'enheter',
  schema: Enhet,
  shape: shapeOf(Type.Union([Enhet, SlettetEnhet])),
  believe: believeEnhet,
  touchedBy: { enheter: true, underenheter: false, roller: false },
})

/** One sub-unit, or what is left of a deleted one. */
export const underenhet = unitSource({
  name: 'underenhet',
  title: { nb: 'Underenheter', en: 'Sub-units' },
  folder: 'underenheter',
  schema: RegisterUnderenhet,
  shape: shapeOf(Type.Union([RegisterUnderenhet, SlettetEnhet])),
  believe: believeUnderenhet,
  touchedBy: { enheter: false, underenheter: true, roller: false },
})

function unitSource<Name extends 'enhet' | 'underenhet', Unit extends { organisasjonsnummer: string }>({
  name,
  title,
  folder,
  schema,
  shape,
  believe,
  touchedBy,
}: {
  name: Name
  title: Words
  folder: string
  schema: typeof Enhet | typeof RegisterUnderenhet
  shape: AnswerShape<Unit | SlettetEnhet>
  believe: (source: string, body: unknown) => Believed<Unit | SlettetEnhet>
  touchedBy: Source['touchedBy']
}): Source<Name, Unit | SlettetEnhet> {
  return {
    name,
    title,
    register: enhetsregisteret,
    shape,
    provenance: provenance('brreg-enhetsregisteret', enhetsregisteret),
    request: (orgnr) => ({ path: `/enhetsregisteret/api/${folder}/${orgnr}` }),
    askedWhen: null,
    next: null,
    // The version is pinned: a later one is refused by the register rather than misread by us.
    accept: `application/vnd.brreg.enhetsregisteret.${name}.v2+json;charset=UTF-8`,
    // A deleted unit has another shape, which says nothing of this one's.
    schemaOf: (body) => (typeof body === 'object' && body !== null && 'slettedato' in body ? null : schema),
    // With a body it is a wrong path or a proxy's page, and no word about the company.
    isAbsence: isEmpty,
    unsupported: null,
    believe(response, orgnr) {
      const { value, avvik } = believe(name, parseJson(name, response))
      assertSameCompany(name, orgnr, value.organisasjonsnummer, '/organisasjonsnummer')
      return found(value, avvik, response.fetchedAt)
    },
    lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
    guard: policy.guard,
    removes: 'company',
    touchedBy,
    withoutErased: null,
    ownBudget: null,
    sparing: null,
  }
}
