import { createChance } from './chance.ts'
import { companyCount, companyNumbers } from './companies.ts'
import { bookOf, type Holding, type World } from './holdings.ts'
import { personOf, placeOf } from './people.ts'

/** How often, of all rows or companies, what real files have been seen to hold. 0 leaves it out. */
export const DIRT = {
  /** of rows: a quotation mark in the name, closed or not */
  quotes: 0.0001,
  /** of foreign rows: a semicolon in the address */
  semicolonInAddress: 0.02,
  /** of person rows: no name */
  namelessPerson: 0.00005,
  /** of rows: the same holder once more, with some of the shares */
  holderTwice: 0.001,
  /** of rows: shares of two classes */
  twoClasses: 0.01,
  /** of company holders: another spelling of the name */
  otherSpelling: 0.02,
  /** of companies with two holders or more: a namesake of the first among them, born in another year */
  namesake: 0.005,
  /** of companies: no total */
  missingTotal: 0.0005,
  /** of companies: a total that the holdings exceed by 20 %, and one they exceed twofold */
  totalTooLow: 0.0003,
  totalFarTooLow: 0.0002,
  /** of rows: no shares */
  zeroShares: 0.0001,
  /** of rows: the address written twice */
  repeatedAddress: 0.0005,
  /** of rows: an eleven-digit number where a year of birth belongs; the row is to be refused */
  elevenDigits: 0.00002,
  /** of rows: fewer than nine columns; the row is to be refused */
  tooFewColumns: 0.00001,
  /** of companies with 100 holders or more: accounts of nominees */
  nominees: 0.5,
} as const
type Dirt = { -readonly [Kind in keyof typeof DIRT]: number }

const HEADER =
  'Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap'
const NOMINEES = ['NORDLYS BANK NOMINEE', 'FJELLBANKEN SECURITIES OSLO AB', 'SUNDET FORVALTNING NUF']
const COUNTRIES = ['SE', 'DK', 'GB', 'LT', 'US', 'DE', 'FI', 'NL']
const CHUNK_CHARACTERS = 1 << 18

/** What was written, to hold against what an import says it read. */
export type Written = { rows: number; refused: number; companies: number; bytes: number; dirt: Dirt }

/**
 * A register of one year as Skatteetaten's file: same columns, same order, UTF-8 with a mark at its beginning, nothing
 * quoted. The same seed, year and scale give the same bytes.
 *
 * @param scale 1 is 395,000 companies and 3.1 million rows in 2024
 * @param isSplit each company's rows stand in two places, as no real file is known to
 * @param onEnd told what was written, when all of it has been taken
 */
export async function* writeRegister({
  aar,
  scale,
  seed = 1,
  dirt = DIRT,
  isSplit = false,
  onEnd = () => {},
}: {
  aar: number
  scale: number
  seed?: number
  dirt?: Dirt
  isSplit?: boolean
  onEnd?: (written: Written) => void
}): AsyncGenerator<Buffer> {
  const chance = createChance(seed)
  const companies = companyCount(aar, scale)
  const numbers = companyNumbers(Math.max(companies, companyCount(2030, scale)))
  const world: World = { chance, companies, people: Math.max(100, Math.round(700_000 * scale)), scale }
  const counts = Object.fromEntries(Object.keys(DIRT).map((kind) => [kind, 0])) as Dirt
  const written: Written = { rows: 0, refused: 0, companies: 0, bytes: 0, dirt: counts }
  let text = `\uFEFF${HEADER}\r\n`

  const strikes = (kind: keyof Dirt, ...facts: number[]): boolean => {
    if (dirt[kind] === 0 || chance(...facts, aar, kind.length * 7919 + kind.charCodeAt(0)) >= dirt[kind])
      return false
    counts[kind] += 1
    return true
  }

  for (const part of isSplit ? [0, 1] : [null]) {
    for (let company = 0; company < companies; company++) {
      const rows = rowsOf(company)
      const own = part === null ? rows : rows.filter((_, index) => index % 2 === part)
      if (part !== 1 && rows.length > 0) written.companies += 1
      for (const row of own) {
        written.rows += 1
        text += row
      }
      if (text.length >= CHUNK_CHARACTERS) yield flush()
    }
  }
  if (text.length > 0) yield flush()
  onEnd(written)

  function flush(): Buffer {
    const bytes = Buffer.from(text)
    written.bytes += bytes.length
    text = ''
    return bytes
  }

  function rowsOf(company: number): string[] {
    const book = bookOf(company, aar, world)
    const total = totalOf(company, book.total)
    const isClassed = chance(company, 51) < 0.04
    const rows = book.holdings.flatMap((holding, slot) =>
      holderRows(company, slot, holding, total, isClassed),
    )
    if (book.holdings.length > 1 && strikes('namesake', company, 61)) {
      const first = book.holdings[0]
      if (first?.holder.kind === 'person') {
        const person = personOf(first.holder.number, chance)
        rows.push(
          row(
            company,
            'Ordinære aksjer',
            person.navn,
            String(person.fodselsaar + 31),
            person.sted,
            'NO',
            0,
            total,
          ),
        )
      }
    }
    if (book.holdings.length >= 100 && strikes('nominees', company, 62)) {
      const name = NOMINEES[company % NOMINEES.length] ?? ''
      rows.push(row(company, 'Ordinære aksjer', name, ' ', 'STOCKHOLM', 'SE', 1, total))
    }
    return rows
  }

  function totalOf(company: number, total: number): string {
    if (strikes('missingTotal', company, 71)) return ' '
    if (strikes('totalTooLow', company, 72)) return String(Math.ceil(total / 1.2))
    if (strikes('totalFarTooLow', company, 73)) return String(Math.ceil(total / 2))
    return String(total)
  }

  function holderRows(
    company: number,
    slot: number,
    holding: Holding,
    total: string,
    isClassed: boolean,
  ): string[] {
    const { navn, ident, sted, land } = identify(company, slot, holding)
    const klasse = isClassed ? 'A-aksjer' : 'Ordinære aksjer'
    const shares = strikes('zeroShares', company, slot, 81) ? 0 : holding.shares
    if (strikes('tooFewColumns', company, slot, 82)) {
      written.refused += 1
      return [`${numbers[company]};${nameOf(company)};${klasse};${navn}\r\n`]
    }
    if (strikes('elevenDigits', company, slot, 83)) {
      written.refused += 1
      return [row(company, klasse, navn, '01017012345', sted, land, shares, total)]
    }
    if (shares > 1 && strikes('twoClasses', company, slot, 84)) {
      const some = Math.floor(shares / 2)
      return [
        row(company, klasse, navn, ident, sted, land, some, total),
        row(company, 'B-aksjer', navn, ident, sted, land, shares - some, total),
      ]
    }
    if (shares > 1 && strikes('holderTwice', company, slot, 85)) {
      return [
        row(company, klasse, navn, ident, sted, land, shares - 1, total),
        row(company, klasse, navn, ident, placeOf(chance(company, slot, 86)), land, 1, total),
      ]
    }
    return [row(company, klasse, navn, ident, sted, land, shares, total)]
  }

  function identify(company: number, slot: number, { holder }: Holding) {
    if (holder.kind === 'company') {
      const name = nameOf(holder.number)
      const navn = strikes('otherSpelling', company, slot, 91) ? name.replace(' AS', ' A/S') : name
      return {
        navn,
        ident: String(numbers[holder.number]),
        sted: placeOf(chance(holder.number, 92)),
        land: 'NO',
      }
    }
    if (holder.kind === 'foreign') {
      const person = personOf(holder.number + 10_000_000, chance)
      const land = COUNTRIES[holder.number % COUNTRIES.length] ?? 'SE'
      const sted = strikes('semicolonInAddress', company, slot, 93)
        ? 'S-51, Tranemo; Sverige'
        : '08240, Vilnius'
      return { navn: person.navn, ident: ' ', sted, land }
    }
    const { navn, fodselsaar, sted } = personOf(holder.number, chance)
    return {
      navn: strikes('namelessPerson', company, slot, 94) ? ' ' : quoted(navn, company, slot),
      ident: String(fodselsaar),
      sted: strikes('repeatedAddress', company, slot, 96) ? `${sted} ${sted}` : sted,
      land: 'NO',
    }
  }

  function quoted(navn: string, company: number, slot: number): string {
    if (!strikes('quotes', company, slot, 95)) return navn
    return slot % 2 === 0 ? `${navn} "BAUTA"` : `"${navn}`
  }

  function row(
    company: number,
    klasse: string,
    navn: string,
    ident: string,
    sted: string,
    land: string,
    shares: number,
    total: string,
  ): string {
    return `${numbers[company]};${nameOf(company)};${klasse};${navn};${ident};${sted};${land};${shares};${total}\r\n`
  }
}

const PREFIXES = [
  'FJORD',
  'FJELL',
  'NORD',
  'VEST',
  'SUND',
  'HAV',
  'SKOG',
  'BRE',
  'MYR',
  'TIND',
  'VARDE',
  'ELV',
  'ØY',
  'DAL',
]
const TRADES = [
  'INVEST',
  'EIENDOM',
  'HOLDING',
  'SJØMAT',
  'BYGG',
  'KRAFT',
  'HANDEL',
  'RÅDGIVNING',
  'TRANSPORT',
  'TEKNIKK',
  'MASKIN',
]

/** The same number has the same name in every year. */
function nameOf(company: number): string {
  const prefix = PREFIXES[company % PREFIXES.length] ?? ''
  const trade = TRADES[Math.floor(company / PREFIXES.length) % TRADES.length] ?? ''
  return `${prefix}${trade} ${company} AS`
}
