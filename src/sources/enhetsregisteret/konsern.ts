import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { isJsonObject } from '#src/core/json-object.ts'
import { DAY_MS } from '#src/core/units.ts'
import { createBelief, optional, pointer } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { found, invalid, isEmpty, parseJson } from '../response.ts'
import { SourceError } from '../source.ts'
import { enhetsregisteret } from './register.ts'

/** Groups change when accounts are filed; the feed only tells whether a company is in one at all. */
const lifetime: NamedLifetime = {
  name: 'konsern',
  about: 'Konsern',
  freshMs: 7 * DAY_MS,
  staleMs: 30 * DAY_MS,
  keepMs: DAY_MS,
}

const Tekst = Type.String()
const Kode = Type.Object({ kode: Tekst, beskrivelse: optional(Tekst) })

/** `nivaa` is not read: it was wrong in 51 of 937 places (2026-09), and the tree says the same. */
const Nummer = optional(Type.String({ pattern: '^[0-9]{9}$' }))
const Ledd = Type.Object({
  organisasjonsnummer: Nummer,
  navn: optional(Tekst),
  organisasjonsform: optional(Kode),
  knytningsform: optional(Kode),
  grunnlag: optional(Tekst),
  dato: optional(Type.String({ format: 'date' })),
  parentNavn: optional(Tekst),
  parentOrganisasjonsnummer: Nummer,
})

const Konsernsvar = Type.Object({ ...Ledd.properties, children: optional(Type.Array(Type.Unknown())) })

/** Of another company each place says nothing: whoever is erased is taken out of one place alone. */
const { parentNavn: _, parentOrganisasjonsnummer: __, ...own } = Ledd.properties
const sted = {
  over: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  ukjentUnder: Type.Optional(Type.Literal(true)),
}
const RegisterKonsernledd = Type.Object({ ...own, ...sted })

/**
 * One place in the tree. `over`: the place of its parent in the list; null for the top, which is the first. `ukjentUnder`: not
 * all that is below it could be read.
 */
export type RegisterKonsernledd = Static<typeof RegisterKonsernledd>

type Given = Static<typeof Ledd> & Pick<RegisterKonsernledd, 'over' | 'ukjentUnder'>

/** A group as the register has it, from the top parent down: the same list whichever member is asked about. */
export const konsern: Source<'konsern', RegisterKonsernledd[]> = {
  name: 'konsern',
  title: { nb: 'Konsern', en: 'Group' },
  register: enhetsregisteret,
  provenance: provenance('brreg-enhetsregisteret', enhetsregisteret),
  request: (orgnr) => ({ path: `/enhetsregisteret/api/konsernstruktur/${orgnr}` }),
  // Most are in none, and the unit says so itself; one that does not say is asked for.
  askedWhen: (unit) => unit.respons_klasse === 'Enhet' && unit.erIKonsern !== false,
  next: null,
  accept: 'application/json',
  schemaOf: () => Konsernsvar,
  shape: shapeOf(Type.Array(RegisterKonsernledd)),
  isAbsence: isEmpty,
  unsupported: null,
  believe(response, orgnr) {
    const avvik: string[] = []
    const ledd = listed(parseJson('konsern', response), avvik)
    if (ledd === null) throw invalid('konsern', response, 'the group has more places than are read')
    const isNamed = ledd.some(({ organisasjonsnummer }) => organisasjonsnummer === orgnr)
    // Where a place could not be read, it may be this company's.
    if (!isNamed && avvik.length === 0) {
      const message = 'the answer is about a group the company is not in'
      throw new SourceError('konsern', 'feil_foretak', message, { field: '/organisasjonsnummer' })
    }
    return found(ledd, avvik, response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: ['/erIKonsern'], underenheter: false, roller: false },
  withoutErased: (ledd, isErased) =>
    ledd.map((each) =>
      typeof each.organisasjonsnummer === 'string' && isErased(each.organisasjonsnummer)
        ? { over: each.over }
        : each,
    ),
  ownBudget: null,
  sparing: null,
}

/** The largest groups have some thousand. */
const LEDD_MAX = 10_000

const believe = createBelief(Ledd)

/** Every place of the tree, level by level. One that can not be read costs itself and what is below it. */
function listed(root: unknown, avvik: string[]): RegisterKonsernledd[] | null {
  const ledd: Given[] = []
  let level: { node: unknown; path: string; over: number | null }[] = [{ node: root, path: '', over: null }]
  while (level.length > 0) {
    const next: typeof level = []
    for (const { node, path, over } of level) {
      if (ledd.length === LEDD_MAX) return null
      const { value, avvik: own } = believe('konsern', node)
      avvik.push(...own.map((part) => path + part))
      const below = childrenOf(node, path, avvik)
      ledd.push({ ...value, over, ...(below.isUnread && { ukjentUnder: true as const }) })
      next.push(...below.children.map((child) => ({ ...child, over: ledd.length - 1 })))
    }
    level = next
  }
  for (const { over, parentNavn, parentOrganisasjonsnummer } of ledd) {
    const parent = over === null ? undefined : ledd[over]
    // What a place does not say of itself, those below it do.
    if (parent === undefined) continue
    if (typeof parentNavn === 'string') parent.navn ??= parentNavn
    if (typeof parentOrganisasjonsnummer === 'string')
      parent.organisasjonsnummer ??= parentOrganisasjonsnummer
  }
  return ledd.map(({ parentNavn: _, parentOrganisasjonsnummer: __, ...own }) => own)
}

/** No list is none below; anything else than a list of places is not known. */
function childrenOf(node: unknown, path: string, avvik: string[]) {
  const given = isJsonObject(node) ? node.children : undefined
  if (given === undefined) return { children: [], isUnread: false }
  const at = pointer(path, 'children')
  if (!Array.isArray(given)) {
    if (given !== null) avvik.push(at)
    return { children: [], isUnread: true }
  }
  const all = given.map((child, index) => ({ node: child as unknown, path: pointer(at, index) }))
  const children = all.filter((child) => isJsonObject(child.node))
  avvik.push(...all.filter((child) => !isJsonObject(child.node)).map((child) => child.path))
  return { children, isUnread: children.length < all.length }
}
