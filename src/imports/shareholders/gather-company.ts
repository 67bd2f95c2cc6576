import { foldName } from '#src/core/person-name.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import type { Row } from '#src/sources/aksjonaerregisteret/rows.ts'
import type { Holder, ShareBook } from '#src/storage/shareholders/share-book.ts'

/** The rows of one company on the way to its share book. */
type Gathering = {
  readonly orgnr: number
  navn: string
  totalt: number
  sum: number
  /** The lines its rows stand on. */
  readonly linjer: number[]
  readonly klasser: string[]
  readonly holders: GatheredHolder[]
  /** Where a holder is found once there are more than a few. */
  index: { byNumber: Map<number, GatheredHolder>; byName: Map<string, GatheredHolder> } | null
}

type GatheredHolder = Holder & {
  readonly annenIdent: string
  /** Another of the same name, born in another year. */
  namesake: GatheredHolder | null
}

export function gatherCompany(orgnr: number): Gathering {
  return { orgnr, navn: '', totalt: 0, sum: 0, linjer: [], klasser: [], holders: [], index: null }
}

/**
 * Adds a row of this company. Rows of one holder are added up:
 *
 * - an organisation is its number, under whatever names
 * - a person is name and year of birth, which father and son do not share; never the place, which people move from
 * - a holder with neither, mostly foreign, is name, country and whatever identifier it has
 * - a holder without name and number is nobody else, each row its own: nothing says that two of them are one
 *
 * A row of zero shares is taken, and makes nobody a holder. Where rows differ about the company's total, the largest is taken.
 * A refused row leaves no trace.
 */
export function addRow(company: Gathering, row: Row): FileRefusal | null {
  if (company.sum + row.antall > Number.MAX_SAFE_INTEGER) return 'for_stort_antall'
  company.linjer.push(row.linje)
  if (company.navn === '') company.navn = row.selskap
  if (row.totalt > company.totalt) company.totalt = row.totalt
  let klasse = company.klasser.indexOf(row.klasse)
  if (klasse === -1) klasse = company.klasser.push(row.klasse) - 1
  if (row.antall === 0) return null
  company.sum += row.antall
  const holder = findHolder(company, row) ?? addHolder(company, row)
  if (holder.land === '') holder.land = row.land
  if (holder.navn === '') holder.navn = row.navn
  addShares(holder, klasse, row.antall)
  return null
}

/** The largest holders first; those with as many stay in the order of the file. */
export function bookOf({ orgnr, navn, totalt, sum, klasser, holders }: Gathering): ShareBook {
  if (holders.length > 1) holders.sort((a, b) => b.aksjer - a.aksjer)
  return { orgnr, navn, totalt, sum, klasser, innehavere: holders }
}

/** Nine companies in ten have no more holders than this, and looking through them is faster than keeping an index. */
const UNINDEXED_MAX = 12

function findHolder(company: Gathering, row: Row): GatheredHolder | undefined {
  if (row.eierOrgnr === 0 && row.navn === '') return undefined
  const { index, holders } = company
  if (index === null) {
    for (const holder of holders) if (isSame(holder, row)) return holder
    return undefined
  }
  if (row.eierOrgnr !== 0) return index.byNumber.get(row.eierOrgnr)
  let holder = index.byName.get(nameKey(row)) ?? null
  while (holder !== null && !isSame(holder, row)) holder = holder.namesake
  return holder ?? undefined
}

function isSame(holder: GatheredHolder, row: Row): boolean {
  if (holder.orgnr !== row.eierOrgnr) return false
  if (row.eierOrgnr !== 0) return true
  if (holder.fodselsaar !== row.fodselsaar) return false
  if (row.fodselsaar === 0 && (holder.land !== row.land || holder.annenIdent !== row.annenIdent)) return false
  if (holder.navn === row.navn) return true
  return (
    holder.navn !== '' && beginAlike(holder.navn, row.navn) && foldName(holder.navn) === foldName(row.navn)
  )
}

/** False for most names that differ, at a hundredth of what folding them costs; true also for some that do. */
function beginAlike(one: string, other: string): boolean {
  const first = one.charCodeAt(0)
  const second = other.charCodeAt(0)
  // Beyond ASCII capitals are no matter of one bit.
  return first > 127 || second > 127 || (first | 32) === (second | 32)
}

function addHolder(company: Gathering, row: Row): GatheredHolder {
  const holder: GatheredHolder = {
    navn: row.navn,
    fodselsaar: row.fodselsaar,
    orgnr: row.eierOrgnr,
    land: row.land,
    annenIdent: row.annenIdent,
    aksjer: 0,
    klasse: 0,
    klasser: null,
    namesake: null,
  }
  const { holders } = company
  holders.push(holder)
  if (company.index !== null) addToIndex(company.index, holder)
  else if (holders.length > UNINDEXED_MAX) {
    company.index = { byNumber: new Map(), byName: new Map() }
    for (const each of holders) addToIndex(company.index, each)
  }
  return holder
}

function addToIndex(index: NonNullable<Gathering['index']>, holder: GatheredHolder): void {
  if (holder.orgnr !== 0) index.byNumber.set(holder.orgnr, holder)
  else if (holder.navn !== '') {
    const key = nameKey(holder)
    holder.namesake = index.byName.get(key) ?? null
    index.byName.set(key, holder)
  }
}

/** People of one name stand in a row, which is as long as there are years; holders without a year may be any number. */
function nameKey({
  navn,
  fodselsaar,
  land,
  annenIdent,
}: Pick<GatheredHolder, 'navn' | 'fodselsaar' | 'land' | 'annenIdent'>) {
  return fodselsaar !== 0 ? foldName(navn) : `${foldName(navn)}\n${land}\n${annenIdent}`
}

function addShares(holder: Holder, klasse: number, shares: number): void {
  if (holder.aksjer === 0) holder.klasse = klasse
  else if (holder.klasse !== klasse || holder.klasser !== null) {
    holder.klasser ??= new Map([[holder.klasse, holder.aksjer]])
    holder.klasser.set(klasse, (holder.klasser.get(klasse) ?? 0) + shares)
  }
  holder.aksjer += shares
}
