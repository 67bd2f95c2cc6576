import { isJsonObject } from '#src/core/json-object.ts'
import { parameters } from './parameters.ts'
import { badRequest, jsonReply, type Reply } from './reply.ts'

const LINK_BASE = 'https://data.brreg.no/enhetsregisteret/api'

/** (page + 1) * size may not pass this. */
const DEPTH_MAX = 10_000

/** A unit as the register serves it; only what is searched by is looked at. */
export type Unit = Record<string, unknown>

/**
 * Answers one search over the units it is given, which are live ones of one kind: the register has no deleted ones in
 * its hits. Plays names, the depth rule, paging, sorting and the plain filters; date and employee ranges are refused
 * as if they were unknown, so that nobody mistakes an unfiltered answer for a filtered one.
 */
export function search(
  kind: 'enheter' | 'underenheter',
  units: readonly Unit[],
  url: URL,
  type: string,
): Reply {
  const asked = parameters(url, [
    ...['navn', 'navnMetodeForSoek', 'organisasjonsnummer', 'size', 'page', 'sort'],
    ...Object.keys(FILTERS),
  ])
  const size = asked.number('size', { min: 1, max: DEPTH_MAX, fallback: 20 })
  const page = asked.number('page', { min: 0, fallback: 0 })
  const numbers = asked.organisationNumbers()
  const name = asked.text('navn')
  const method = asked.text('navnMetodeForSoek')
  const order = sortOrder(asked.text('sort'))
  if (name !== null && (name === '' || name.length > 180)) asked.refuse('navn', 'Fritekst på 1 til 180 tegn')
  if (method !== null && method !== 'FORTLOEPENDE') asked.refuse('navnMetodeForSoek', 'Ugyldig søkemetode')
  if (order === 'unreadable') asked.refuse('sort', 'Ugyldig sortering')
  if ((page + 1) * size > DEPTH_MAX) asked.refuse('page', '(page + 1) * size kan ikke overskride 10 000')
  if (asked.refusals.length > 0 || order === 'unreadable') return badRequest(url.pathname, asked.refusals)

  const filtered = units.filter(
    (unit) =>
      (numbers === null || numbers.includes(String(unit.organisasjonsnummer))) &&
      Object.entries(FILTERS).every(([parameter, matches]) => {
        const wanted = url.searchParams.get(parameter)
        return wanted === null || matches(unit, wanted)
      }),
  )
  const hits = name === null ? filtered : byName(filtered, name, method)
  if (order !== null) hits.sort(order)
  return jsonReply(200, pageOf(kind, hits, { size, page }, url), type)
}

/**
 * Two ways to read a name. FORTLOEPENDE: the text as it stands, anywhere in the name, in the register's own order.
 * Otherwise every word counts for itself, so one common word such as AS brings in nearly everything; the rarer the
 * matching words, the further up. Neither folds Nordic letters: elkjop does not find ELKJØP.
 */
function byName(units: readonly Unit[], name: string, method: string | null): Unit[] {
  const wanted = name.trim().toLowerCase()
  if (method === 'FORTLOEPENDE') return units.filter((unit) => nameOf(unit).includes(wanted))

  const words = [...new Set(wanted.split(/\s+/))]
  const holders = new Map(
    words.map((word) => [word, units.filter((unit) => wordsOf(unit).includes(word)).length]),
  )
  const score = (unit: Unit) =>
    words.reduce((sum, word) => sum + (wordsOf(unit).includes(word) ? 1 / (holders.get(word) ?? 1) : 0), 0)
  return units
    .map((unit) => ({ unit, score: score(unit) }))
    .filter((scored) => scored.score > 0)
    .sort((one, other) => other.score - one.score)
    .map((scored) => scored.unit)
}

const nameOf = (unit: Unit) => String(unit.navn).toLowerCase()
const wordsOf = (unit: Unit) => nameOf(unit).split(/\s+/)

/** HAL: no `_embedded` at all when there is nothing, and links only to the pages that exist. */
function pageOf(
  kind: string,
  hits: readonly Unit[],
  { size, page }: { size: number; page: number },
  url: URL,
) {
  const totalPages = Math.ceil(hits.length / size)
  const shown = hits.slice(page * size, (page + 1) * size)
  const link = (number: number) => {
    const query = new URLSearchParams(url.searchParams)
    query.set('page', String(number))
    query.set('size', String(size))
    return { href: `${LINK_BASE}/${kind}?${query}` }
  }
  return {
    ...(shown.length > 0 ? { _embedded: { [kind]: shown } } : {}),
    _links: {
      ...(totalPages > 1 ? { first: link(0) } : {}),
      ...(page > 0 && shown.length > 0 ? { prev: link(page - 1) } : {}),
      self: { href: `${LINK_BASE}/${kind}${url.search}` },
      ...(page + 1 < totalPages ? { next: link(page + 1) } : {}),
      ...(totalPages > 1 ? { last: link(totalPages - 1) } : {}),
    },
    page: { size, totalElements: hits.length, totalPages, number: page },
  }
}

type Filter = (unit: Unit, wanted: string) => boolean

const at =
  (path: string): Filter =>
  (unit, wanted) =>
    valueAt(unit, path) === wanted

/** One filter per documented parameter that is played here. */
const FILTERS: Readonly<Record<string, Filter>> = {
  konkurs: at('konkurs'),
  underAvvikling: at('underAvvikling'),
  underTvangsavviklingEllerTvangsopplosning: at('underTvangsavviklingEllerTvangsopplosning'),
  underKonkursbehandling: (unit, wanted) =>
    String(unit.konkurs === true || unit.underTvangsavviklingEllerTvangsopplosning === true) === wanted,
  overordnetEnhet: at('overordnetEnhet'),
  sisteInnsendteAarsregnskap: at('sisteInnsendteAarsregnskap'),
  organisasjonsform: (unit, wanted) => wanted.split(',').includes(valueAt(unit, 'organisasjonsform.kode')),
  'forretningsadresse.kommunenummer': at('forretningsadresse.kommunenummer'),
  kommunenummer: (unit, wanted) =>
    ['forretningsadresse', 'postadresse', 'beliggenhetsadresse'].some(
      (address) => valueAt(unit, `${address}.kommunenummer`) === wanted,
    ),
  naeringskode: (unit, wanted) =>
    [1, 2, 3].some((place) => valueAt(unit, `naeringskode${place}.kode`).startsWith(wanted)),
}

const SORTABLE = [
  ...['navn', 'organisasjonsnummer', 'organisasjonsform.kode', 'antallAnsatte', 'konkurs'],
  ...['registreringsdatoEnhetsregisteret', 'overordnetEnhet', 'postadresse.kommunenummer'],
]

function sortOrder(sort: string | null): ((one: Unit, other: Unit) => number) | 'unreadable' | null {
  if (sort === null) return null
  const [field = '', direction = 'ASC'] = sort.split(',')
  if (!SORTABLE.includes(field) || !/^(asc|desc)$/i.test(direction)) return 'unreadable'
  const sign = /^desc$/i.test(direction) ? -1 : 1
  return (one, other) =>
    sign * valueAt(one, field).localeCompare(valueAt(other, field), 'nb', { numeric: true })
}

function valueAt(unit: Unit, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((inside, key) => (isJsonObject(inside) ? inside[key] : undefined), unit)
  return value === undefined ? '' : String(value)
}
