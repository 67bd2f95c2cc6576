import type { Queryable } from '../database.ts'
import type { CompanyRow, NameKind } from './rows.ts'
import { BUCKET_LETTERS, HEAVIEST, HEAVY, OWN } from './tables.ts'

/** A name in the index that may be meant. */
export type FoundName = {
  orgnr: number
  overordnet: number | null
  art: NameKind
  navn: string
  tyngde: number
  rang: number
  opphort: boolean
  fra: string | null
  til: string | null
}

/** Which companies count at all. Employees that are withheld (one to four) count for every number they may be. */
export type Filters = {
  organisasjonsform: string | null
  kommune: string | null
  fylke: string | null
  /** Any of these codes, or codes below them. */
  naeringskoder: readonly string[] | null
  ansatteFra: number | null
  ansatteTil: number | null
  foretakstilstand: string | null
  registrertFra: string | null
  registrertTil: string | null
  type: 'enhet' | 'underenhet' | null
}

type Some = { names: FoundName[]; isAll: boolean }

const COLUMNS = 'n.orgnr, n.overordnet, n.art, n.navn, n.tyngde, n.rang, n.opphort, n.fra::text, n.til::text'

/** Names of exactly these keys, of each the weightiest first. */
export async function namesOfKey(
  db: Queryable,
  keys: readonly string[],
  filters: Filters,
  limit: number,
): Promise<Some> {
  const where = parameters()
  // Each as a value of its own: how many names share it is known then, and thousands are not sorted to find some.
  const parts = [...new Set(keys)].map(
    (key) =>
      `(select ${COLUMNS} from sok_navn n where n.nokkel = ${where.add(key)} ${filtered(filters, where)}
        order by n.rang desc, n.orgnr limit ${where.add(limit + 1)})`,
  )
  return some(await db.query<FoundName>(parts.join(' union all '), where.values), limit)
}

/**
 * Names whose key begins so. When they are more than `limit`, the best of all main units' own names: the order is the same for
 * every beginning, so that the best of a longer one were among these.
 *
 * @param isBestWanted false: the first of them will do
 */
export async function namesThatBegin(
  db: Queryable,
  key: string,
  filters: Filters,
  limit: number,
  { isBestWanted = true }: { isBestWanted?: boolean } = {},
): Promise<Some> {
  const where = parameters()
  const rows = await db.query<FoundName>(
    `select ${COLUMNS} from sok_navn n
     where ${beginsWith(key, where)} ${filtered(filters, where)}
     order by n.nokkel, n.rang desc, n.orgnr limit ${where.add(limit + 1)}`,
    where.values,
  )
  if (rows.length <= limit) return { names: rows, isAll: true }
  if (!isBestWanted) return { names: rows.slice(0, limit), isAll: false }
  return { names: await bestThatBegin(db, key, filters, limit), isAll: false }
}

/** Of the main units' own names that begin so, those that come first whatever follows. */
export async function bestThatBegin(
  db: Queryable,
  key: string,
  filters: Filters | null,
  limit: number,
): Promise<FoundName[]> {
  const isFirstOfIndex = bucketOf(key) === [...key].length
  const isFiltered = filtered(filters, parameters()) !== ''
  const few = isFiltered || isFirstOfIndex ? null : await bestOfFew(db, key, limit)
  return few ?? firstInOrder(db, key, filters, limit)
}

/** The same where few begin so, which are read from an index alone; null when they are more. */
async function bestOfFew(db: Queryable, key: string, limit: number): Promise<FoundName[] | null> {
  const where = parameters()
  const rows = await db.query<FoundName & { begin: number }>(
    `with begin as materialized (
       select orgnr, rang from sok_navn n where ${OWN} and ${beginsWith(key, where)} limit ${where.add(FEW + 1)}
     )
     select ${COLUMNS}, (select count(*) from begin)::integer as begin
     from (select orgnr from begin order by rang desc, orgnr limit ${where.add(limit)}) as best
       join sok_navn n on n.orgnr = best.orgnr and ${OWN}`,
    where.values,
  )
  if ((rows[0]?.begin ?? 0) > FEW) return null
  return rows.sort((a, b) => b.rang - a.rang || a.orgnr - b.orgnr)
}

/**
 * The same where very many begin so: along the order they are kept in, until there are enough. The beginning itself is no
 * condition an index is looked up by, or all of them would be fetched first.
 */
async function firstInOrder(
  db: Queryable,
  key: string,
  filters: Filters | null,
  limit: number,
): Promise<FoundName[]> {
  const letters = [...key]
  const bucket = bucketOf(key)
  const where = parameters()
  const conditions = [OWN]
  if (bucket !== undefined)
    conditions.push(`left(n.nokkel, ${bucket}) = ${where.add(letters.slice(0, bucket).join(''))}`)
  // In a form whose share PostgreSQL takes for large: as an equality it would be taken for a few, which are all fetched first.
  if (bucket !== letters.length)
    conditions.push(`coalesce(left(n.nokkel, ${letters.length}) = ${where.add(key)}, false)`)
  return db.query<FoundName>(
    `select ${COLUMNS} from sok_navn n where ${conditions.join(' and ')} ${filtered(filters, where)}
     order by n.rang desc, n.orgnr limit ${where.add(limit)}`,
    where.values,
  )
}

/** So many are sorted sooner than they are found in their order. */
const FEW = 2000

function bucketOf(key: string): number | undefined {
  const { length } = [...key]
  return BUCKET_LETTERS.findLast((each) => each <= length)
}

/**
 * Names that have a word of each group, the best first. Of words in very many names the weighty ones alone, or the weightiest:
 * nobody means the ten thousandth of them.
 */
export async function namesOfWords(
  db: Queryable,
  groups: readonly (readonly string[])[],
  filters: Filters,
  { limit, of }: { limit: number; of: 'all' | 'heavy' | 'heaviest' },
): Promise<Some> {
  const where = parameters()
  const conditions = groups.map((words) =>
    words.length === 1 ? `n.ord @> ${where.add(words)}::text[]` : `n.ord && ${where.add(words)}::text[]`,
  )
  if (of === 'heavy') conditions.push(HEAVY)
  if (of === 'heaviest') conditions.push(HEAVIEST)
  const rows = await db.query<FoundName>(
    `select ${COLUMNS} from sok_navn n where ${conditions.join(' and ')} ${filtered(filters, where)}
     order by n.rang desc, n.orgnr limit ${where.add(limit + 1)}`,
    where.values,
  )
  const found = some(rows, limit)
  return of === 'all' ? found : { ...found, isAll: false }
}

export type FoundWord = { nr: number; ord: string; antall: number; how: 'same' | 'begins' | 'ends' }

/** The words of the index that are these, begin so or end so; of the last two the weightiest `most`. */
export async function wordsLike(
  db: Queryable,
  words: readonly { word: string; begins: boolean; ends: boolean }[],
  most: number,
): Promise<FoundWord[]> {
  return db.query<FoundWord>(
    `with w as materialized (
       select * from unnest($1::text[], $2::boolean[], $3::boolean[]) with ordinality as w (ord, begins, ends, nr)
     )
     select (w.nr - 1)::integer as nr, o.ord, o.antall, 'same' as how from w join sok_ord o on o.ord = w.ord
     union all
     select (w.nr - 1)::integer, o.ord, o.antall, 'begins' from w cross join lateral (
       select ord, antall from sok_ord where w.begins and ord > w.ord and ord < w.ord || $5::text
       order by tyngde desc, antall desc, ord limit $4
     ) o
     union all
     select (w.nr - 1)::integer, o.ord, o.antall, 'ends' from w cross join lateral (
       select ord, antall from sok_ord where w.ends and bakfra > reverse(w.ord) and bakfra < reverse(w.ord) || $5::text
       order by tyngde desc, antall desc, ord limit $4
     ) o`,
    [
      words.map(({ word }) => word),
      words.map(({ begins }) => begins),
      words.map(({ ends }) => ends),
      most,
      LAST,
    ],
  )
}

/**
 * Words of about the length and the letters of each that share its beginning or its end: among them are those with so many
 * letters wrong. Each of these takes four bits of `bokstaver` at most, two letters away and two come.
 */
export async function wordsNear(
  db: Queryable,
  words: readonly { word: string; head: string; tail: string; typos: number }[],
  most: number,
): Promise<{ nr: number; ord: string; antall: number; tyngde: number }[]> {
  const near = `length(w.ord) - w.typos and length(w.ord) + w.typos and bit_count((bokstaver # w.bokstaver)::bit(32)) <= 2 * w.typos`
  return db.query(
    `with w as materialized (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $7::integer[])
         with ordinality as w (ord, head, tail, typos, bokstaver, nr)
     )
     select distinct nr, ord, antall, tyngde from (
       select (w.nr - 1)::integer as nr, o.ord, o.antall, o.tyngde from w cross join lateral (
         select ord, antall, tyngde from sok_ord where ord >= w.head and ord < w.head || $6::text
           and length(ord) between ${near}
         order by tyngde desc, antall desc, ord limit $5
       ) o
       union all
       select (w.nr - 1)::integer, reverse(o.bakfra), o.antall, o.tyngde from w cross join lateral (
         select bakfra, antall, tyngde from sok_ord where bakfra >= reverse(w.tail) and bakfra < reverse(w.tail) || $6::text
           and length(bakfra) between ${near}
         order by tyngde desc, antall desc, bakfra limit $5
       ) o
     ) as near`,
    [
      words.map(({ word }) => word),
      words.map(({ head }) => head),
      words.map(({ tail }) => tail),
      words.map(({ typos }) => typos),
      most,
      LAST,
      words.map(({ word }) => lettersIn(word)),
    ],
  )
}

/** A bit for each letter from a to z that is in it, as `sok_ord.bokstaver` has them. */
function lettersIn(word: string): number {
  let letters = 0
  for (const letter of word) {
    const place = letter.charCodeAt(0) - 97
    if (place >= 0 && place < 26) letters |= 1 << place
  }
  return letters
}

export type FoundContact = {
  orgnr: number
  rot: number
  art: 'nettsted' | 'epost' | 'telefon'
  nokkel: string
}

/** Whose site, mail domain or telephone it is, and how many companies have it, counted to `limit`. */
export async function holdersOf(
  db: Queryable,
  keys: readonly string[],
  limit: number,
): Promise<FoundContact[]> {
  return db.query<FoundContact>(
    `select orgnr, rot, art, nokkel from sok_kontakt where nokkel = any($1::text[]) limit $2`,
    [keys, limit],
  )
}

/** The names and weights of these companies. */
export async function ownNames(
  db: Queryable,
  orgnrs: readonly number[],
  filters: Filters,
): Promise<FoundName[]> {
  if (orgnrs.length === 0) return []
  const where = parameters()
  return db.query<FoundName>(
    `select ${COLUMNS} from sok_navn n where n.orgnr = any(${where.add(orgnrs)}::integer[]) and n.art = 'navn' ${filtered(filters, where)}`,
    where.values,
  )
}

/** What is shown of these. */
export async function companiesOf(
  db: Queryable,
  orgnrs: readonly number[],
): Promise<Map<number, CompanyRow>> {
  const rows = await db.query<CompanyRow>(
    `select orgnr, overordnet as parent, er_underenhet as "isSubUnit", navn as name, form, f.tekst as "formText",
       kommunenummer as municipality, kommune as "municipalityName", poststed as town, naeringskoder as industries,
       n.tekst as "industryText", ansatte as employees, ansatte_opplysning as "employeesTold",
       foretakstilstand as state, registrert::text as registered, underenheter as "subUnits", tyngde as weight
     from sok_foretak
       left join sok_tekst f on f.art = 'form' and f.kode = form
       left join sok_tekst n on n.art = 'naering' and n.kode = naeringskoder[1]
     where orgnr = any($1::integer[])`,
    [orgnrs],
  )
  return new Map(rows.map((row) => [row.orgnr, row]))
}

/** After every text that begins with another: the last letter there is. */
const LAST = '\u{10ffff}'

function beginsWith(key: string, where: Parameters): string {
  return `n.nokkel >= ${where.add(key)} and n.nokkel < ${where.add(key + LAST)}`
}

function some(rows: FoundName[], limit: number): Some {
  return { names: rows.slice(0, limit), isAll: rows.length <= limit }
}

type Parameters = { values: unknown[]; add(value: unknown): string }

function parameters(): Parameters {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}

function filtered(filters: Filters | null, where: Parameters): string {
  if (filters === null) return ''
  const conditions: string[] = []
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value !== null) conditions.push(condition(where.add(value)))
  }
  add((p) => `f.form = ${p}`, filters.organisasjonsform)
  add((p) => `f.kommunenummer = ${p}`, filters.kommune)
  add((p) => `left(f.kommunenummer, 2) = ${p}`, filters.fylke)
  add(
    (p) => `exists (select from unnest(f.naeringskoder) k, unnest(${p}::text[]) p where starts_with(k, p))`,
    filters.naeringskoder,
  )
  const most = `case f.ansatte_opplysning when 'oppgitt' then f.ansatte when 'tilbakeholdt_1_til_4' then 4 when 'ingen_registrert' then 0 end`
  const least = `case f.ansatte_opplysning when 'oppgitt' then f.ansatte when 'tilbakeholdt_1_til_4' then 1 when 'ingen_registrert' then 0 end`
  add((p) => `${most} >= ${p}`, filters.ansatteFra)
  add((p) => `${least} <= ${p}`, filters.ansatteTil)
  add((p) => `f.foretakstilstand = ${p}`, filters.foretakstilstand)
  add((p) => `f.registrert >= ${p}::date`, filters.registrertFra)
  add((p) => `f.registrert <= ${p}::date`, filters.registrertTil)
  add((p) => `f.er_underenhet = ${p}`, filters.type === null ? null : filters.type === 'underenhet')
  if (conditions.length === 0) return ''
  return `and exists (select from sok_foretak f where f.orgnr = n.orgnr and ${conditions.join(' and ')})`
}
