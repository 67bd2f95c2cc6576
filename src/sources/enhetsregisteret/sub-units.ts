import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { isJsonObject } from '#src/core/json-object.ts'
import { DAY_MS } from '#src/core/units.ts'
import { type Believed, createBelief, optional, pointer } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import type { RegisterResponse } from '../register-client.ts'
import { found, invalid, isJson, parseJson, refuseUnread } from '../response.ts'
import { SourceError } from '../source.ts'
import { believeUnderenhet } from './believe-unit.ts'
import { enhetsregisteret } from './register.ts'
import { type RegisterUnderenhet, SlettetEnhet, Sokeside } from './schema.ts'

/** The feed of sub-units names the sub-unit and not whose it is: a list is renewed by its time, and as its company changes. */
const lifetime: NamedLifetime = {
  name: 'underenheter',
  about: 'Underenhetene til et foretak',
  freshMs: DAY_MS,
  staleMs: 7 * DAY_MS,
  keepMs: DAY_MS,
}

const SHOWN = [
  'organisasjonsnummer',
  'navn',
  'organisasjonsform',
  'naeringskode1',
  'antallAnsatte',
  'harRegistrertAntallAnsatte',
  'beliggenhetsadresse',
  'oppstartsdato',
  'nedleggelsesdato',
  'slettedato',
] as const

const UnderenhetIListe = Type.Pick(SlettetEnhet, SHOWN)
export type UnderenhetIListe = Static<typeof UnderenhetIListe>

/** `antall` is the register's own count; null: it could not be read. */
const Underenhetsliste = Type.Object({
  antall: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  underenheter: Type.Array(UnderenhetIListe),
})
export type Underenhetsliste = Static<typeof Underenhetsliste>

const Side = Type.Object({
  ...Sokeside.properties,
  _embedded: Type.Optional(Type.Object({ underenheter: Type.Array(Type.Unknown()) })),
  _links: optional(Type.Object({ self: optional(Type.Object({ href: optional(Type.String()) })) })),
})

/** All sub-units of one main unit. None is an empty list, which the register says in words of its own: a page that counts none. */
export const underenheter: Source<'underenheter', Underenhetsliste> = {
  name: 'underenheter',
  title: { nb: 'Underenhetene til et foretak', en: 'The sub-units of a company' },
  register: enhetsregisteret,
  provenance: provenance('brreg-enhetsregisteret', enhetsregisteret),
  request: (orgnr) => questionOf(orgnr, 0),
  // No field of the unit says that it has none.
  askedWhen: null,
  next(parts, orgnr) {
    const pages = parts.map(glance)
    const listed = pages.reduce((sum, page) => sum + page.listed, 0)
    const last = pages.at(-1)
    const isLast = last === undefined || last.listed === 0 || listed >= last.total
    return isLast || parts.length === PAGES_MAX ? null : questionOf(orgnr, parts.length)
  },
  accept: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8, application/json;q=0.9',
  schemaOf: () => Side,
  shape: shapeOf(Underenhetsliste),
  isAbsence: () => false,
  unsupported: null,
  believe(response, orgnr, more) {
    const pages = [response, ...more].map((part) =>
      believePage('underenheter', parseJson('underenheter', part)),
    )
    for (const { value } of pages) {
      const asked = /[?&]overordnetEnhet=([^&]*)/.exec(value._links?.self?.href ?? '')?.[1]
      if (asked !== undefined && asked !== orgnr) throw ofAnother('/_links/self/href')
    }
    const rows = pages.flatMap(({ value }) => value._embedded?.underenheter ?? []).map(believeRow)
    const avvik = [...pages.flatMap((page) => page.avvik), ...rows.flatMap((row) => row.avvik)]
    const list = rows.map(({ value }) => value)
    const other = list.findIndex((unit) => (unit?.overordnetEnhet ?? orgnr) !== orgnr)
    if (other !== -1) throw ofAnother(`${pointer(ROWS, other)}/overordnetEnhet`)
    const antall = pages[0]?.value.page?.totalElements ?? null
    const unread = list.filter((unit) => unit === null).length
    // What moved from one page to the other while they were asked for may stand in both.
    const byNumber = new Map(
      list.flatMap((unit) => (unit === null ? [] : [[unit.organisasjonsnummer, unit]])),
    )
    if (antall !== null ? byNumber.size + unread < antall : list.length === 0)
      throw invalid('underenheter', response, 'the answer counts sub-units it does not list')
    refuseUnread('underenheter', response, { list, avvik })
    const underenheter = [...byNumber.values()].map(shown)
    return found({ antall, underenheter }, avvik, response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  // Who has employees has them in a sub-unit.
  touchedBy: {
    enheter: ['/antallAnsatte', '/harRegistrertAntallAnsatte'],
    underenheter: false,
    roller: false,
  },
  withoutErased({ antall, underenheter: all }, isErased) {
    const underenheter = all.filter(({ organisasjonsnummer }) => !isErased(organisasjonsnummer))
    return { antall: antall === null ? null : antall - (all.length - underenheter.length), underenheter }
  },
  ownBudget: null,
  sparing: null,
}

const believePage = createBelief(Side)
const ROWS = '/_embedded/underenheter'
const PAGE_SIZE = 100
/** Beyond it the register refuses to go. */
const PAGES_MAX = 100

function questionOf(orgnr: string, page: number) {
  return {
    path: '/enhetsregisteret/api/underenheter',
    query: { overordnetEnhet: orgnr, size: String(PAGE_SIZE), ...(page > 0 && { page: String(page) }) },
  }
}

/** How many a page lists, and how many it says there are: what can not be read is for whoever believes it. */
function glance(part: RegisterResponse): { listed: number; total: number } {
  try {
    const body = isJson(part) ? parseJson('underenheter', part) : null
    const { _embedded, page } = isJsonObject(body) ? body : {}
    const listed =
      isJsonObject(_embedded) && Array.isArray(_embedded.underenheter) ? _embedded.underenheter : []
    const total = isJsonObject(page) && typeof page.totalElements === 'number' ? page.totalElements : 0
    return { listed: listed.length, total }
  } catch {
    return { listed: 0, total: 0 }
  }
}

/** One that can not be read costs itself, and is named. */
function believeRow(row: unknown, index: number): Believed<RegisterUnderenhet | SlettetEnhet | null> {
  const path = pointer(ROWS, index)
  try {
    const { value, avvik } = believeUnderenhet('underenheter', row)
    return { value, avvik: avvik.map((part) => path + part) }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { value: null, avvik: [path + (error.field ?? '')] }
  }
}

function shown(unit: RegisterUnderenhet | SlettetEnhet): UnderenhetIListe {
  return Object.fromEntries(
    Object.entries(unit).filter(([name]) => (SHOWN as readonly string[]).includes(name)),
  ) as UnderenhetIListe
}

function ofAnother(field: string): SourceError {
  const message = 'the answer is about another company than the one asked for'
  return new SourceError('underenheter', 'feil_foretak', message, { field })
}
