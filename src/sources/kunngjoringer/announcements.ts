import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#src/core/units.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import type { RegisterResponse } from '../register-client.ts'
import { found, invalid, mediaTypeOf } from '../response.ts'
import { outlineOf, Sideomriss } from './outline.ts'
import { Kunngjoring, readPage } from './page.ts'
import { kunngjoringsregisteret } from './register.ts'

export { Kunngjoring }

/** No feed, and bankruptcies are first seen here. */
const lifetime: NamedLifetime = {
  name: 'kunngjoringer',
  about: 'Kunngjøringer',
  freshMs: 30 * MINUTE_MS,
  staleMs: DAY_MS,
  keepMs: HOUR_MS,
}

/**
 * The public announcements about one company, newest first, those without a date last. There is no open interface for them,
 * so the register's page for people is read. `absent` only when the page says in words that there are none.
 */
export const kunngjoringer: Source<'kunngjoringer', Kunngjoring[]> = {
  name: 'kunngjoringer',
  title: { nb: 'Kunngjøringer', en: 'Announcements' },
  register: kunngjoringsregisteret,
  provenance: provenance('brreg-kunngjoringer', kunngjoringsregisteret),
  request: (orgnr) => ({
    path: '/kunngjoring/hent_nr.jsp',
    query: { orgnr, deleted: 'true', spraak: 'nb' },
  }),
  askedWhen: null,
  next: null,
  accept: 'text/html',
  formOf: (response) => outlineOf(htmlOf(response)),
  schemaOf: () => Sideomriss,
  shape: shapeOf(Type.Array(Kunngjoring)),
  isAbsence: () => false,
  unsupported: null,
  believe(response, orgnr) {
    const page = readPage(htmlOf(response), orgnr)
    if (page === null) return { outcome: 'absent', fetchedAt: response.fetchedAt }
    return found(page.value, page.avvik, response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: false, underenheter: false, roller: false },
  withoutErased: null,
  ownBudget: null,
  sparing: {
    about: 'kunngjøringene',
    callsPerSecond: (settings) => settings.kunngjoringCallsPerSecond,
    savedMax: null,
    ...policy.announcements,
    isForPeople: true,
  },
}

/** The page is ISO-8859-1, by its header or by habit. */
function htmlOf(response: RegisterResponse): string {
  if (mediaTypeOf(response) !== 'text/html')
    throw invalid('kunngjoringer', response, 'the answer is not HTML')
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(response.contentType ?? '')?.[1] ?? USUAL
  try {
    const decoder = charset.toLowerCase() === USUAL ? usual : new TextDecoder(charset, { fatal: true })
    return decoder.decode(response.body)
  } catch (cause) {
    throw invalid('kunngjoringer', response, 'the page is not in the character set it names', cause)
  }
}

const USUAL = 'iso-8859-1'
/** Node makes the table of its characters anew for each decoder. */
const usual = new TextDecoder(USUAL, { fatal: true })
