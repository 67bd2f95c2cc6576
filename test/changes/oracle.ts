/*
 * What must come of it, found in another way: the whole record as readers get it, from which what is no fact of the company is
 * taken out, and to which changes are applied one by one.
 */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Names of what says when, where, in which order or how something was found, and of what is made of other facts. */
const NO_FACTS = new Set(
  [
    'kilder komplett tilstand muligSammePerson',
    'gruppeSistEndret rekkefolge personId aksjonaerId tidligere uavklart',
    'foretakstilstand sn2007 rutine kombinasjonStatus',
    'forholdstall arkiv erstattet nokkeltallFra arkivLest',
    'gjelderInsolvens',
    'antallPlasser sti motEierskap tre',
    'antallForetak avkortet foretak',
    'registreringsdatoAntallAnsatteEnhetsregisteret registreringsdatoAntallAnsatteNAVAaregisteret',
  ].flatMap((names) => names.split(' ')),
)

/** The same name is a fact in one place and none in another. */
const NO_FACTS_AT = [
  /^\/kunngjoringer\/data\/kunngjoringer\/-\/type$/,
  /^\/roller\/data\/.*\/gjeldende$/,
  /^\/regnskap\/data\/aar\/-\/\w+\/nokkeltall\/\w+\/opplysning$/,
  /^\/underenheter\/data\/(antall|storste|alle\/-\/antallAnsatte)$/,
  /^\/rollerIAndreForetak\/data\/roller$/,
  /^\/regnskapskopier\/data\/(opplysning|sisteInnsendteAarsregnskap|kopier\/-\/lenke)$/,
  /^\/overordnetEnhet\/(?!organisasjonsnummer)/,
  /^\/organisasjonsnummer$/,
]

/** The facts of a record, in an order of their own: nothing, an empty list and what was not stated are one. */
export function factsOf(record: unknown, address = ''): Json | undefined {
  if (record === 'ukjent' && address === '/antallAnsatte/opplysning') return undefined
  if (typeof record === 'string') return record.replaceAll('\0', ' ').toWellFormed()
  if (record === null || record === undefined) return undefined
  if (Array.isArray(record)) {
    const items = record.map((item) => factsOf(item, `${address}/-`) ?? null)
    if (items.length === 0) return undefined
    return items.every((item) => typeof item === 'string')
      ? items
      : items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof record !== 'object') return record as Json
  const entries = Object.entries(record).flatMap(([name, value]) => {
    const at = `${address}/${name}`
    if (NO_FACTS.has(name) || NO_FACTS_AT.some((place) => place.test(at))) return []
    const fact = factsOf(value, at)
    return fact === undefined ? [] : [[name, fact] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the record becomes by these changes. An address names a value, or the list that something came to or left. */
export function applied(
  record: unknown,
  changes: readonly { felt: string; for: unknown; etter: unknown }[],
): unknown {
  const whole = structuredClone(record) as Record<string, unknown>
  for (const change of changes) apply(whole, change)
  return whole
}

function apply(
  whole: Record<string, unknown>,
  { felt, for: before, etter }: { felt: string; for: unknown; etter: unknown },
) {
  const names = felt
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = names.pop() ?? ''
  let at = whole
  for (const name of names) {
    at[name] ??= {}
    at = at[name] as Record<string, unknown>
  }
  const there = at[last]
  const isOfList = Array.isArray(there) || LISTS.some((list) => felt === list || felt.startsWith(`${list}/`))
  const isItem = isOfList && !Array.isArray(before ?? etter)
  if (!isItem) {
    expectSame(there, before, felt)
    at[last] = etter
    return
  }
  const list = [...((there as unknown[] | null) ?? [])]
  if (before !== null) {
    const place = list.findIndex((item) => same(item, before, felt))
    if (place === -1) throw new Error(`${felt}: ${JSON.stringify(before)} is said to have been there`)
    list.splice(place, 1)
  }
  if (etter !== null) list.push(etter)
  at[last] = list
}

/** Where there was no list before somebody came. */
const LISTS = [
  '/historiskeNavn',
  '/status/data/paategninger',
  '/status/data/tvangsavviklingEllerTvangsopplosning/grunner',
  '/naering/data/naeringskoder',
  '/roller/data',
  '/signatur/data/personer',
  '/signatur/data/kombinasjoner',
  '/signatur/data/lovensUtgangspunkt',
  '/signatur/data/kombinasjonerUtenKjentRegel',
  '/prokura/data/personer',
  '/prokura/data/kombinasjoner',
  '/prokura/data/lovensUtgangspunkt',
  '/prokura/data/kombinasjonerUtenKjentRegel',
  '/regnskap/data/aar',
  '/kunngjoringer/data/kunngjoringer',
  '/konsern/data/over',
  '/konsern/data/under',
  '/underenheter/data/alle',
  '/rollerIAndreForetak/data/alle',
  '/regnskapskopier/data/kopier',
]

function same(item: unknown, told: unknown, list: string): boolean {
  const facts = (value: unknown) => JSON.stringify(factsOf(value, `${list}/-`))
  return facts(item) === facts(told)
}

function expectSame(there: unknown, before: unknown, felt: string): void {
  const facts = (value: unknown) => JSON.stringify(factsOf(value, felt))
  if (facts(there) !== facts(before))
    throw new Error(
      `${felt}: was ${JSON.stringify(there)}, and is said to have been ${JSON.stringify(before)}`,
    )
}
