import { type Static, type TSchema, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { isJsonObject } from '#src/core/json-object.ts'
import { DAY_MS } from '#src/core/units.ts'
import { always, createBelief, listOf, optional } from '../believe.ts'
import { provenance, type Source, type SourceQuestion, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import type { RegisterResponse } from '../register-client.ts'
import {
  assertSameCompany,
  found,
  invalid,
  isEmpty,
  isJson,
  numberInLink,
  parseJson,
  refuseUnread,
} from '../response.ts'
import { SourceError } from '../source.ts'
import { enhetsregisteret } from './register.ts'

/** The feed of roles names the company a role is in, and not who holds it. */
const lifetime: NamedLifetime = {
  name: 'rollerIAndreForetak',
  about: 'Roller i andre foretak',
  freshMs: DAY_MS,
  staleMs: 7 * DAY_MS,
  keepMs: DAY_MS,
}

const Tekst = Type.String()
const Kode = Type.Object({ kode: Type.String({ minLength: 1 }), beskrivelse: optional(Tekst) })
const Nummer = Type.String({ pattern: '^[0-9]{9}$' })
const rolle = {
  type: always(Kode),
  ansvarsandel: optional(Tekst),
  avregistrert: optional(Type.Boolean()),
  fratraadt: optional(Type.Boolean()),
}
const foretak = {
  organisasjonsnummer: Nummer,
  // A text here, a list of lines where a role's holder is told of.
  navn: optional(Type.Union([Tekst, Type.Array(Tekst, { minItems: 1 })])),
  organisasjonsform: optional(Kode),
  erSlettet: optional(Type.Boolean()),
}
const Lenke = optional(Type.Object({ href: optional(Tekst) }))
const links = { _links: optional(Type.Object({ self: Lenke, next: Lenke })) }

/** Company by company, in pages. No specification has it; it is what public programs read. */
const EtterForetak = Type.Object({
  organisasjonsnummer: optional(Nummer),
  enheter: listOf(Type.Object({ ...foretak, roller: always(listOf(Type.Object(rolle))) })),
  ...links,
})
/** Group by group, as the roles of one company are, each with the company it is in. */
const EtterGruppe = Type.Object({
  rollegrupper: listOf(
    Type.Object({
      type: always(Kode),
      roller: always(listOf(Type.Object({ ...rolle, enhet: always(Type.Object(foretak)) }))),
    }),
  ),
  ...links,
})

/** `roller` null: they could not be read. */
const RegisterRolleforetak = Type.Object({
  ...foretak,
  navn: Type.Union([Tekst, Type.Null()]),
  roller: Type.Union([listOf(Type.Object(rolle)), Type.Null()]),
})
export type RegisterRolleforetak = Static<typeof RegisterRolleforetak>

/** `erAlle` false: there are more than are read, or one of them could not be. */
const RollerHosAndre = Type.Object({
  foretak: Type.Array(RegisterRolleforetak),
  erAlle: Type.Boolean(),
  avkortet: Type.Boolean(),
})
export type RollerHosAndre = Static<typeof RollerHosAndre>

/** The companies this one holds roles in: as auditor, accountant, participant and so on. No field of the unit tells of any. */
export const rollerIAndreForetak: Source<'rollerIAndreForetak', RollerHosAndre> = {
  name: 'rollerIAndreForetak',
  title: { nb: 'Roller i andre foretak', en: 'Roles in other companies' },
  register: enhetsregisteret,
  provenance: provenance('brreg-roller', enhetsregisteret),
  request: (orgnr) => ({ path: pathOf(orgnr) }),
  askedWhen: null,
  next: (parts, orgnr) => (parts.length === PAGES_MAX ? null : nextOf(parts.at(-1), orgnr)),
  accept: 'application/json',
  schemaOf: schemaFor,
  shape: shapeOf(RollerHosAndre),
  isAbsence: isEmpty,
  unsupported: null,
  believe(response, orgnr, more) {
    const parts = [response, ...more].map((part) => believePart(part, orgnr))
    const avvik = parts.flatMap((part) => part.avvik)
    const rows = parts.flatMap((part) => part.rows)
    refuseUnread('rollerIAndreForetak', response, { list: rows, avvik })
    const list = rows.filter((row) => row !== null)
    // Whoever holds a role in itself is whom the answer is about, and not the company the role is in.
    if (list.some(({ organisasjonsnummer }) => organisasjonsnummer === orgnr)) {
      const message = 'the answer tells of the roles in the company, not of those it holds'
      throw new SourceError('rollerIAndreForetak', 'feil_foretak', message, { field: '/organisasjonsnummer' })
    }
    const avkortet = (parts.at(-1)?.hasNext ?? false) || list.length > FORETAK_MAX
    const value = {
      foretak: together(list).slice(0, FORETAK_MAX),
      erAlle: !avkortet && list.length === rows.length,
      avkortet,
    }
    return found(value, avvik, response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: false, underenheter: false, roller: false },
  withoutErased: (value, isErased) => ({
    ...value,
    foretak: value.foretak.filter(({ organisasjonsnummer }) => !isErased(organisasjonsnummer)),
  }),
  ownBudget: null,
  sparing: null,
}

/** The largest auditors have tens of thousands: a record needs to know that, and not each of them. */
const PAGES_MAX = 20
const FORETAK_MAX = 5000
/** As many as in 4 MB of them: the registers write 22 bytes and more for each. */
const VALUES_MAX = 200_000

const believeByCompany = createBelief(EtterForetak)
const believeByGroup = createBelief(EtterGruppe)

function pathOf(orgnr: string): string {
  return `/enhetsregisteret/api/roller/enheter/${orgnr}/juridiskeroller`
}

function schemaFor(body: unknown): TSchema {
  return isJsonObject(body) && 'rollegrupper' in body ? EtterGruppe : EtterForetak
}

type Part = { rows: (RegisterRolleforetak | null)[]; avvik: string[]; hasNext: boolean }

function believePart(part: RegisterResponse, orgnr: Parameters<typeof assertSameCompany>[1]): Part {
  const name = 'rollerIAndreForetak'
  const body = parseJson(name, part, VALUES_MAX)
  const isByGroup = isJsonObject(body) && 'rollegrupper' in body
  if (isByGroup && 'enheter' in body) throw invalid(name, part, 'the answer lists roles in two ways at once')
  const { value, avvik } = isByGroup ? believeByGroup(name, body) : believeByCompany(name, body)
  assertSameCompany(name, orgnr, numberInLink(value._links?.self?.href), '/_links/self/href')
  const hasNext = (value._links?.next ?? null) !== null
  if ('rollegrupper' in value) return { ...byGroup(value.rollegrupper), avvik, hasNext }
  assertSameCompany(name, orgnr, value.organisasjonsnummer, '/organisasjonsnummer')
  const rows = value.enheter.map(
    (row) => row && { ...row, navn: wholeName(row.navn), roller: row.roller ?? null },
  )
  return { rows, avvik, hasNext }
}

function byGroup(groups: Static<typeof EtterGruppe>['rollegrupper']): Pick<Part, 'rows'> {
  const rows = groups.flatMap((group) => {
    // What could not be read may be anybody's.
    if (group === null || group.roller === null || group.roller === undefined) return [null]
    return group.roller.map((role) => {
      const { enhet = null, ...own } = role ?? {}
      return enhet && { ...enhet, navn: wholeName(enhet.navn), roller: role === null ? null : [own] }
    })
  })
  return { rows }
}

/** Each company once, with all it was listed with. */
function together(list: readonly RegisterRolleforetak[]): RegisterRolleforetak[] {
  const byNumber = new Map<string, RegisterRolleforetak>()
  for (const { organisasjonsnummer, roller, ...own } of list) {
    const known = byNumber.get(organisasjonsnummer)
    const both = known === undefined ? roller : known.roller && roller && [...known.roller, ...roller]
    byNumber.set(organisasjonsnummer, { organisasjonsnummer, ...own, roller: both })
  }
  return [...byNumber.values()]
}

function wholeName(navn: string | string[] | null | undefined): string | null {
  const lines = typeof navn === 'string' ? [navn] : (navn ?? [])
  return lines.filter((line) => line !== '').join(' ') || null
}

/** The register's own link to the next part, as far as it leads to more of the same. */
function nextOf(part: RegisterResponse | undefined, orgnr: string): SourceQuestion | null {
  try {
    const body =
      part !== undefined && isJson(part) ? parseJson('rollerIAndreForetak', part, VALUES_MAX) : null
    const links = isJsonObject(body) && isJsonObject(body._links) ? body._links : {}
    const href = isJsonObject(links.next) ? links.next.href : undefined
    const address = typeof href === 'string' ? URL.parse(href, 'https://data.brreg.no') : null
    if (address === null || address.pathname !== pathOf(orgnr)) return null
    return { path: address.pathname, query: Object.fromEntries(address.searchParams) }
  } catch {
    // Whoever believes the part says what is wrong with it.
    return null
  }
}
