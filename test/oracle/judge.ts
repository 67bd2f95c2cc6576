import type { Drift } from './drift.ts'
import { type Leaf, leavesOf, valueAt } from './leaves.ts'

/** What the service said of a company: a status; with 200 the record as JSON, with 503 the places in the unit's answer that cost it. */
export type Said = { status: number; record: string; refused: readonly string[] }

/** The same company before a drift and after it, the answer that drifted, and the tables of words that all companies share. */
export type Case = {
  source: string
  drift: Drift
  answer: unknown
  known: unknown
  before: Said
  after: Said
}

type Seen = {
  then: ReadonlyMap<string, Leaf>
  now: ReadonlyMap<string, Leaf>
  drift: Drift
  answer: unknown
  said: (text: string) => boolean
}

/**
 * What is wrong with what was said after one field of one answer has changed, in words; nothing when all is well. It knows no
 * field of any register and none of the record's: only that
 *
 * - a record is given up only where identity or existence can not be told;
 * - what changes in the record is what the register now says, or is not known: no yes, no, zero or none comes of a field that
 *   can not be read (nothing is invented);
 * - what else the answer says stays in the record (nothing is lost);
 * - what could not be read is named.
 */
export function faultsOf({ source, drift, answer, known, before, after }: Case): string[] {
  if (before.status !== 200) return statusFaults(drift, before.status, after.status)
  if (after.status !== 200) {
    if (!mayCostTheRecord(source, drift)) return [`the whole record is given up with ${after.status}`]
    return after.status !== 503 || isNamedIn(after.refused, drift)
      ? []
      : [`${drift.pointer} costs the record, and nothing says so`]
  }
  if (after.record === before.record) return []
  const record = JSON.parse(after.record)
  const then = leavesOnce(before.record)
  const now = leavesOf(record)
  const differences = [...new Set([...then.keys(), ...now.keys()])].filter(
    (pointer) => !isAboutSources(pointer) && then.get(pointer) !== now.get(pointer),
  )
  if (drift.kind === 'unknown field') {
    // Among the figures there may be one that is new: it stands there under its name, as one that is not known.
    const name = drift.pointer.replace(/^.*\//, '/')
    const changed = differences.find(
      (pointer) =>
        then.get(pointer) !== 'an empty object' && (now.get(pointer) !== null || !pointer.endsWith(name)),
    )
    return changed === undefined ? [] : [`a field nobody knows changed ${changed}`]
  }
  return [
    ...inventedIn(differences, { then, now, drift, answer, said: textsOf([answer, known]) }),
    ...(costsTheSection(source, drift) || isNowhereIn(source, answer, record.organisasjonsnummer)
      ? []
      : lostFrom(then, now, drift, answer)),
    ...(differences.length === 0 ? [] : unnamedIn(source, drift, record)),
  ]
}

let remembered: { record: string; leaves: ReadonlyMap<string, Leaf> } | null = null

/** The record before a drift is the same for hundreds of them. */
function leavesOnce(record: string): ReadonlyMap<string, Leaf> {
  if (remembered?.record !== record) remembered = { record, leaves: leavesOf(JSON.parse(record)) }
  return remembered.leaves
}

function statusFaults(drift: Drift, before: number, after: number): string[] {
  if (after === before || drift.pointer === '') return []
  return [410, 503].includes(after) ? [] : [`${before} became ${after}`]
}

/** Who it is, and whether it is there. */
const IDENTITY = /^\/(?:organisasjonsnummer|navn|respons_klasse|slettedato|organisasjonsform(?:\/kode)?)$/

function mayCostTheRecord(source: string, { pointer, kind }: Drift): boolean {
  const isUnit = source === 'enhet' || source === 'underenhet'
  return isUnit && kind !== 'number as text' && IDENTITY.test(pointer)
}

/** The record's own words about where it comes from: judged by themselves. */
function isAboutSources(pointer: string): boolean {
  return /^\/(?:kilder\/|komplett$)/.test(pointer) || /\/(?:tilstand|hentet)$/.test(pointer)
}

/** Words that say that something is not known. They may follow from anything. */
const NOT_KNOWN = new Set<Leaf>([null, 'ukjent', 'ikke_hentet', 'uleselig', 'an empty object'])

/** What follows from a drift all the same, each with why. */
const MAY_FOLLOW: readonly { kinds: readonly Drift['kind'][]; of: RegExp; says: RegExp }[] = [
  // Two proceedings have no flag but their date: a register that does not state it says no.
  {
    kinds: ['removed', 'null'],
    of: /^\/under(?:Rekonstruksjonsforhandling|UtenlandskInsolvensbehandling)Dato$/,
    says: /^gjelder: false$|: aktiv$/,
  },
  // The list has the codes that are stated.
  { kinds: ['removed', 'null'], of: /^\/naeringskode\d/, says: /^naeringskoder: an empty list$/ },
  // `art` says that what it was in the older standard is not known.
  {
    kinds: ['unknown code', 'long', 'removed', 'null', 'unreadable'],
    of: /^\/naeringskode\d/,
    says: /^koder: an empty list$|^fullstendig: false$/,
  },
  // A line that is null is no line.
  {
    kinds: ['null'],
    of: /\/(?:adresse|frivilligMvaRegistrertBeskrivelser)\/\d+$/,
    says: /^(?:adresse|frivilligMvaRegistrertBeskrivelser): an empty list$/,
  },
  // Elected by somebody, who are not the employees; and by nobody in particular, when nobody is stated.
  {
    kinds: ['unknown code', 'long', 'removed', 'null'],
    of: /\/valgtAv(?:\/kode)?$/,
    says: /^valgtAvAnsatte: false$/,
  },
  // Accounts of a kind with a name of its own are neither the company's nor the group's.
  { kinds: ['long', 'unknown code'], of: /^\/\d+\/regnskapstype$/, says: /^aar: an empty list$/ },
  // In a group, a place without such a list has nothing below it.
  { kinds: ['removed'], of: /\/children$/, says: /^under: an empty list$/ },
  // A role without such a list has nobody who acts for its holder.
  { kinds: ['removed', 'null'], of: /\/fullmektige$/, says: /^fullmektige: an empty list$/ },
  // The list has those that are known to be replaced: by the kind, the period and the id of both.
  {
    kinds: ['removed', 'null', 'unreadable', 'unknown code', 'long'],
    of: /^\/\d+(?:$|\/(?:id|regnskapstype|regnskapsperiode|fraDato|tilDato|virksomhet|organisasjonsnummer|valuta)\b)/,
    says: /^erstattet: an empty list$/,
  },
]

function inventedIn(differences: readonly string[], { then, now, drift, answer, said }: Seen): string[] {
  const isUnreadable = drift.kind === 'unreadable' || drift.kind === 'long'
  const texts = differences.flatMap((pointer) => {
    const leaf = now.get(pointer)
    // A link is made of the year it leads to.
    if (/^\/regnskapskopier\/data\/kopier\/\d+\/lenke$/.test(pointer)) return []
    if (typeof leaf !== 'string' || NOT_KNOWN.has(leaf) || isSettled(leaf) || isOurWord(leaf)) return []
    // A line that could not be read is shown as one that is left out.
    if (leaf.split('[…]').every((part) => said(part))) return []
    return [`${pointer} says ${JSON.stringify(leaf.slice(0, 80))}, which stands nowhere`]
  })
  // Rows move from list to list; only what is said more often than before is said anew.
  const before = countsOf(then)
  const settled = [...countsOf(now)].flatMap(([word, count]) => {
    if (count <= (before.get(word) ?? 0)) return []
    const mayFollow = MAY_FOLLOW.some(
      ({ kinds, of, says }) => kinds.includes(drift.kind) && of.test(drift.pointer) && says.test(word),
    )
    if (mayFollow || (word.endsWith(': an empty list') && hasMoved({ then, now, drift, answer }))) return []
    return word.endsWith('true') && !isUnreadable ? [] : [`says ${word} once more, which nobody has said`]
  })
  return [...texts, ...settled]
}

/** A row under another code stands in another list, whole: the list it stood in is empty, and says the truth. */
function hasMoved({ then, now, drift, answer }: Omit<Seen, 'said'>): boolean {
  if (drift.kind !== 'unknown code' && drift.kind !== 'long') return false
  const before = new Set(then.values())
  const after = new Set(now.values())
  const own = [...leavesOf(answer)].filter(
    ([pointer, leaf]) =>
      isOwnOf(drift, pointer, answer) && pointer !== drift.pointer && isTelling(leaf) && before.has(leaf),
  )
  return own.length > 0 && own.every(([, leaf]) => after.has(leaf))
}

/** What says that something is so, is not so, or that there is none. */
function isSettled(leaf: Leaf | undefined): boolean {
  return (
    leaf === true ||
    leaf === false ||
    leaf === 0 ||
    leaf === 'an empty list' ||
    leaf === 'aktiv' ||
    leaf === 'ingen'
  )
}

function countsOf(leaves: ReadonlyMap<string, Leaf>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [pointer, leaf] of leaves) {
    if (isAboutSources(pointer) || !isSettled(leaf)) continue
    const word = `${pointer.replace(/\/\d+/g, '').replace(/^.*\/(?=[^/])/, '')}: ${leaf}`
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** Codes of our own are small letters and underscores; a register's texts are not. */
function isOurWord(leaf: string): boolean {
  return /^[a-z0-9_]+$/.test(leaf)
}

/** Whether a text stands in one of these: as it is, as part of a longer text, or joined of its lines; a date in any form. */
function textsOf(answers: readonly unknown[]): (text: string) => boolean {
  return (text) => {
    const isDated = /\d/.test(text)
    return answers.some((answer) => {
      const { all, digits } = readTexts(answer)
      return (
        all.includes(squeezed(text)) ||
        (isDated && (isOfDigits(text, digits) || all.includes(asPrinted(text))))
      )
    })
  }
}

type Texts = { all: string; digits: ReadonlySet<string> }
const readOf = new WeakMap<object, Texts>()

function readTexts(answer: unknown): Texts {
  const isObject = typeof answer === 'object' && answer !== null
  const known = isObject ? readOf.get(answer) : undefined
  if (known !== undefined) return known
  const texts = [...leavesOf(answer).values()].filter((leaf) => leaf !== null).map(String)
  const read = { all: squeezed(texts.join(' ')), digits: new Set(texts.map(digitsOf)) }
  if (isObject) readOf.set(answer, read)
  return read
}

function isOfDigits(text: string, digits: ReadonlySet<string>): boolean {
  const own = digitsOf(text)
  return [own, own.slice(0, 14), own.slice(0, 8), dayFirst(own)].some((form) => digits.has(form))
}

const digitsOf = (text: string) => text.replace(/\D/g, '')
const dayFirst = (digits: string) => digits.replace(/^(\d{4})(\d{2})(\d{2}).*$/, '$3$2$1')
const asPrinted = (date: string) => date.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$3.$2.$1')
const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()

/**
 * What the answer still says, and the record said before, it says now: one bad item costs itself. Only what is told apart from
 * everything else counts: longer texts and larger numbers.
 */
function lostFrom(
  then: ReadonlyMap<string, Leaf>,
  now: ReadonlyMap<string, Leaf>,
  drift: Drift,
  answer: unknown,
): string[] {
  const still = new Set(
    [...leavesOf(answer)]
      .filter(
        ([pointer, leaf]) => isTelling(leaf) && !isOwnOf(drift, pointer, answer) && !SAID_AGAIN.test(pointer),
      )
      .map(([, leaf]) => leaf),
  )
  const shown = new Set(now.values())
  const lost = [...new Set(then.values())].filter((leaf) => still.has(leaf) && !shown.has(leaf))
  return lost.length === 0
    ? []
    : [`lost: ${lost.slice(0, 3).join(', ')}${lost.length > 3 ? ` and ${lost.length - 3} more` : ''}`]
}

/** Of the company above in a group, whose own field says it. */
const SAID_AGAIN = /\/parent(?:Navn|Organisasjonsnummer)$/

function isTelling(leaf: Leaf): boolean {
  if (leaf === 'an empty list' || leaf === 'an empty object') return false
  return typeof leaf === 'string' ? leaf.length >= 6 : typeof leaf === 'number' && Math.abs(leaf) >= 1_000
}

/** What belongs to the item of a list, or to the field, that drifted, goes with it; so does what is said of a list of one. */
function isOwnOf({ pointer }: Drift, leaf: string, answer: unknown): boolean {
  let around = /^(.*\/\d+)(?:\/|$)/.exec(pointer)?.[1] ?? (pointer.replace(/\/[^/]*$/, '') || pointer)
  for (;;) {
    const [, list, outer] = /^((.*\/\d+)\/[^/]+)\/\d+$/.exec(around) ?? []
    if (list === undefined || outer === undefined || !isOfOne(valueAt(answer, list))) break
    around = outer
  }
  return leaf === around || leaf.startsWith(`${around}/`)
}

function isOfOne(list: unknown): boolean {
  return !Array.isArray(list) || list.length < 2
}

/**
 * What gives up all of an answer but the unit's own: whether it is about this company at all, and what the words of a mandate
 * are worth. The section is not known then, and says so.
 */
function costsTheSection(source: string, { pointer, kind }: Drift): boolean {
  if (/\/organisasjonsnummer$/.test(pointer)) return kind === 'long'
  return (source === 'signatur' || source === 'prokura') && pointer === '/status'
}

/** A group that does not have the company's own number any more does not tell where in it the company stands. */
function isNowhereIn(source: string, answer: unknown, orgnr: string): boolean {
  return (
    source === 'konsern' &&
    ![...leavesOf(answer)].some(([pointer, leaf]) => leaf === orgnr && /rganisasjonsnummer$/.test(pointer))
  )
}

/** A field that was there, and could not be read, is named by the source it came from, or the section says that it is not known. */
function unnamedIn(source: string, drift: Drift, record: unknown): string[] {
  if (drift.kind !== 'unreadable') return []
  const kilder = Object.values(
    valueAt(record, '/kilder') as Record<string, { tilstand: string; avvik: string[] }>,
  )
  const isNamed = kilder.some(
    ({ tilstand, avvik }) => (tilstand === 'utilgjengelig' && avvik.length > 0) || isNamedIn(avvik, drift),
  )
  return isNamed ? [] : [`${source} ${drift.pointer} could not be read, and nothing says so`]
}

function isNamedIn(named: readonly string[], { pointer }: Drift): boolean {
  // A list that comes in pages is known here as the list it is.
  const paths = named.map((path) => path.replace(/^\/_embedded\/\w+/, ''))
  return paths.some((path) => pointer.startsWith(path) || path.startsWith(pointer) || path.startsWith('('))
}

/**
 * What a record says that none of the answers it was made of says: texts and numbers that stand nowhere in them. Ratios are
 * computed, parts are made percent, places in a list are counted, and a link is made of the number it leads to.
 */
export function unsaidIn(record: string, answers: readonly unknown[]): string[] {
  const said = textsOf(answers)
  const numbers = new Set([...leavesOf(answers).values()].filter((leaf) => leaf !== null).map(Number))
  return [...leavesOf(JSON.parse(record))].flatMap(([pointer, leaf]) => {
    if (isAboutSources(pointer) || COMPUTED.test(pointer)) return []
    const isSaid =
      typeof leaf === 'number'
        ? numbers.has(leaf)
        : typeof leaf !== 'string' || isSettled(leaf) || NOT_KNOWN.has(leaf) || isOurWord(leaf) || said(leaf)
    return isSaid ? [] : [`${pointer} says ${JSON.stringify(leaf)}`]
  })
}

const COMPUTED =
  /\/forholdstall\/|\/(?:ansvarsandel|grunnlag)\/prosent$|\/plass$|\/antall[A-Z]\w*$|\/regnskapskopier\/data\/kopier\/\d+\/lenke$|\/underenheter\/data\/antall$|\/rollerIAndreForetak\/data\/roller\/\d+\/antall$|\/kunngjoringer\/\d+\/lenke$/
