import { policy } from '#config/policy.ts'
import type { Words } from '#src/core/language.ts'
import { DAY_MS } from '#src/core/units.ts'
import { createBelief } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { assertSameCompany, found, isEmpty, isJson, numberInLink, parseJson } from '../response.ts'
import { fullmakt } from './register.ts'
import { Fullmaktsvar, RegisterFullmakt } from './schema.ts'

/** No feed of its own; a role event is taken for one. */
const lifetime: NamedLifetime = {
  name: 'fullmakt',
  about: 'Signatur og prokura',
  freshMs: DAY_MS,
  staleMs: 7 * DAY_MS,
  keepMs: DAY_MS,
}

/** Who may sign for a company: the open look-up of the Fullmakt service. */
export const signatur = authoritySource('signatur', { nb: 'Signatur', en: 'Signature' })

/** Who may act for it in daily business. */
export const prokura = authoritySource('prokura', { nb: 'Prokura', en: 'Prokura' })

/** "None registered" is a `found` answer with signeringsGrunnlag SI; `absent` is a unit the service does not hold. */
function authoritySource<Name extends 'signatur' | 'prokura'>(
  name: Name,
  title: Words,
): Source<Name, RegisterFullmakt> {
  return {
    name,
    title,
    register: fullmakt,
    provenance: provenance(`brreg-${name}`, fullmakt),
    request: (orgnr) => ({ path: `/fullmakt/enheter/${orgnr}/${name}` }),
    askedWhen: null,
    next: null,
    accept:
      'application/vnd.brreg.enhetsregisteret.fullmakt.oppslag.v1+json;charset=UTF-8, application/json;q=0.9',
    schemaOf: () => Fullmaktsvar,
    shape: shapeOf(RegisterFullmakt),
    // What the body of a 404 is here is not documented: empty or plain JSON is the service's own, a page is a proxy's.
    isAbsence: (response) => isEmpty(response) || isJson(response),
    unsupported: null,
    believe(response, orgnr) {
      const { value, avvik } = believe(name, parseJson(name, response))
      const { _links, ...told } = value
      assertSameCompany(name, orgnr, told.enhet?.organisasjonsnummer, '/enhet/organisasjonsnummer')
      assertSameCompany(name, orgnr, numberInLink(_links?.self?.href), '/_links/self/href')
      return found(told, avvik, response.fetchedAt)
    },
    lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
    guard: policy.guard,
    removes: 'answer',
    touchedBy: { enheter: false, underenheter: false, roller: true },
    withoutErased: null,
    ownBudget: null,
    sparing: null,
  }
}

const believe = createBelief(Fullmaktsvar)
