import { createNameBytes, isOneName } from '#src/core/name-bytes.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import type { ArchiveRow } from '#src/sources/aksjonaerregisteret/rows.ts'
import {
  addHolder,
  addShares,
  clearHolders,
  createHolderColumns,
  type HolderColumns,
  type LoadedShareBook,
  nameHolder,
} from '#src/storage/shareholders/share-book.ts'

/** The rows of one company on the way to its share book; then, with the same room, those of the next. */
type Gathering = {
  orgnr: number
  navn: string
  totalt: number
  sum: number
  /** The lines its rows stand on: so many of the list as there are rows. */
  readonly linjer: number[]
  rows: number
  klasser: string[]
  readonly holders: HolderColumns
  /** By place, as the holders: of the name, and of what else tells one holder from another. */
  hashes: Int32Array
  isPlain: Uint8Array
  /** By place, of those who have one. */
  readonly annenIdent: Map<number, string>
  /** Places plus one by hash, 0 is free: so much of it as the mask says, once there are more than a few holders. */
  index: Int32Array
  indexMask: number
}

export function createGathering(): Gathering {
  return {
    orgnr: 0,
    navn: '',
    totalt: 0,
    sum: 0,
    linjer: [],
    rows: 0,
    klasser: [],
    holders: createHolderColumns(),
    hashes: new Int32Array(INDEX_FIRST),
    isPlain: new Uint8Array(INDEX_FIRST),
    annenIdent: new Map(),
    index: new Int32Array(INDEX_FIRST),
    indexMask: 0,
  }
}

export function beginCompany(company: Gathering, orgnr: number): void {
  company.orgnr = orgnr
  company.navn = ''
  company.totalt = 0
  company.sum = 0
  company.rows = 0
  company.klasser = []
  clearHolders(company.holders)
  if (company.annenIdent.size > 0) company.annenIdent.clear()
  company.indexMask = 0
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
export function addRow(company: Gathering, row: ArchiveRow): FileRefusal | null {
  if (company.sum + row.antall > Number.MAX_SAFE_INTEGER) return 'for_stort_antall'
  company.linjer[company.rows++] = row.linje
  if (company.navn === '') company.navn = row.selskap
  if (row.totalt > company.totalt) company.totalt = row.totalt
  let klasse = company.klasser.indexOf(row.klasse)
  if (klasse === -1) klasse = company.klasser.push(row.klasse) - 1
  if (row.antall === 0) return null
  company.sum += row.antall
  const { holders } = company
  const hash = hashOf(row)
  let place = findHolder(company, row, hash)
  if (place === -1) place = addNew(company, row, hash)
  else {
    if (holders.land[place] === '') holders.land[place] = row.land
    if (holders.nameTo[place] === holders.nameFrom[place]) nameHolder(holders, place, row.navn)
  }
  addShares(holders, place, klasse, row.antall)
  return null
}

/** Good until the next company is begun. */
export function bookOf({ orgnr, navn, totalt, sum, klasser, holders }: Gathering): LoadedShareBook {
  return { orgnr, navn, totalt, sum, klasser, innehavere: holders }
}

/** What the rows take beside what is bounded by their number: names may be long. */
export function namesBytesOf({ holders }: Pick<Gathering, 'holders'>): number {
  return holders.namesEnd
}

/** Nine companies in ten have no more holders than this, and looking through them is faster than keeping an index. */
const UNINDEXED_MAX = 12
const INDEX_FIRST = 1024
/** Odd, so that no two years, and no two numbers, come to the same. */
const SPREAD = 0x9e3779b1

/** Of what one holder has and another has not; those without a year may be any number of one name. */
function hashOf({ eierOrgnr, fodselsaar, navn, land, annenIdent }: ArchiveRow): number {
  if (eierOrgnr !== 0) return Math.imul(eierOrgnr, SPREAD)
  let hash = navn.hash ^ Math.imul(fodselsaar, SPREAD)
  if (fodselsaar === 0) {
    for (let at = 0; at < land.length; at++) hash = Math.imul(hash ^ land.charCodeAt(at), SPREAD)
    for (let at = 0; at < annenIdent.length; at++) hash = Math.imul(hash ^ annenIdent.charCodeAt(at), SPREAD)
  }
  return hash
}

/** @returns its place, or -1 */
function findHolder(company: Gathering, row: ArchiveRow, hash: number): number {
  if (row.eierOrgnr === 0 && row.navn.to === row.navn.from) return -1
  const { hashes, index, indexMask: mask, holders } = company
  if (mask === 0) {
    for (let place = 0; place < holders.count; place++)
      if (hashes[place] === hash && isSame(company, place, row)) return place
    return -1
  }
  for (let at = spread(hash) & mask; ; at = (at + 1) & mask) {
    const place = (index[at] as number) - 1
    if (place === -1) return -1
    if (hashes[place] === hash && isSame(company, place, row)) return place
  }
}

function isSame({ holders, annenIdent, isPlain }: Gathering, place: number, row: ArchiveRow): boolean {
  if (holders.orgnr[place] !== row.eierOrgnr) return false
  if (row.eierOrgnr !== 0) return true
  if (holders.fodselsaar[place] !== row.fodselsaar) return false
  if (row.fodselsaar === 0) {
    if (holders.land[place] !== row.land || (annenIdent.get(place) ?? '') !== row.annenIdent) return false
  }
  known.bytes = holders.names
  known.from = holders.nameFrom[place] as number
  known.to = holders.nameTo[place] as number
  known.isPlain = isPlain[place] === 1
  return known.to > known.from && isOneName(known, row.navn)
}

/** The name of whom a row is compared with. */
const known = createNameBytes()

function addNew(company: Gathering, row: ArchiveRow, hash: number): number {
  const { holders } = company
  const place = addHolder(holders, { fodselsaar: row.fodselsaar, orgnr: row.eierOrgnr, land: row.land })
  nameHolder(holders, place, row.navn)
  if (place >= company.hashes.length) {
    const { hashes, isPlain } = company
    company.hashes = new Int32Array(hashes.length * 2)
    company.hashes.set(hashes)
    company.isPlain = new Uint8Array(isPlain.length * 2)
    company.isPlain.set(isPlain)
  }
  company.hashes[place] = hash
  company.isPlain[place] = row.navn.isPlain ? 1 : 0
  if (row.annenIdent !== '') company.annenIdent.set(place, row.annenIdent)
  if (place >= UNINDEXED_MAX) addToIndex(company, place)
  return place
}

/** Half of it stays free. */
function addToIndex(company: Gathering, place: number): void {
  const isFull = 2 * place > company.indexMask
  if (isFull) makeIndex(company, 4 * place)
  for (let each = isFull ? 0 : place; each <= place; each++) enter(company, each)
}

/** @param size at least so many */
function makeIndex(company: Gathering, size: number): void {
  const length = 2 ** Math.ceil(Math.log2(size))
  if (length > company.index.length) company.index = new Int32Array(length)
  else company.index.fill(0, 0, length)
  company.indexMask = length - 1
}

/** Those who are nobody else are not looked for. */
function enter({ index, indexMask: mask, hashes, holders }: Gathering, place: number): void {
  if (holders.orgnr[place] === 0 && holders.nameFrom[place] === holders.nameTo[place]) return
  let at = spread(hashes[place] as number) & mask
  while (index[at] !== 0) at = (at + 1) & mask
  index[at] = place + 1
}

/** The low digits are those that count. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}
