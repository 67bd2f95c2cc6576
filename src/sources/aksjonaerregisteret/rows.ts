import { isUtf8 } from 'node:buffer'
import { createNameBytes, type NameBytes, takeName, takePlainName } from '#src/core/name-bytes.ts'
import { tidyName } from '#src/core/person-name.ts'
import { decode, type FileEncoding } from './encoding.ts'
import type { Columns } from './header.ts'
import { isIdentityNumber, mayHoldIdentityNumber } from './identity-number.ts'
import { beginBlock, createArchiveLine, takeApartNextLine } from './line.ts'
import { numberIn } from './orgnr.ts'
import type { FileRefusal } from './refusals.ts'

/** One row that is understood. Texts are tidied, '' when the field is blank; numbers are 0 when there is none. */
export type ArchiveRow = {
  linje: number
  orgnr: number
  selskap: string
  klasse: string
  navn: NameBytes
  /** The holder's identifier is one of these three, or blank. */
  fodselsaar: number
  eierOrgnr: number
  annenIdent: string
  /** Two letters. */
  land: string
  antall: number
  /** Shares in the company. */
  totalt: number
}

type RowListener = {
  /** The row and its name are the next one's too: whoever keeps them keeps a copy. A register has millions of them. */
  onRow: (row: ArchiveRow) => void
  /** `line` counts from 1, the header; of the row itself nothing is told. */
  onRefused: (line: number, refusal: FileRefusal) => void
}

/**
 * Reads the rows of a file whose columns and encoding are known, block by block from its beginning. A plain split on `;`:
 * the format has no quoting, so `"` is text like any other. Surplus fields are a divided address: what stands before the
 * address is counted from the left, and what stands after it from the right.
 *
 * Numbers are read from the bytes, and only the fields that are used become texts.
 */
export function createRowReader({ columns, encoding }: { columns: Columns; encoding: FileEncoding }) {
  const line = createArchiveLine(companyFields(columns))
  const { starts } = line
  const row: ArchiveRow = {
    linje: 0,
    orgnr: 0,
    selskap: '',
    klasse: '',
    navn: createNameBytes(),
    fodselsaar: 0,
    eierOrgnr: 0,
    annenIdent: '',
    land: '',
    antall: 0,
    totalt: 0,
  }
  let lastClass = { bytes: Buffer.alloc(0), name: '' }
  let company = { orgnr: 0, name: '' }
  // The row has the company and the class of the lines that begin as this one.
  let isCompanyRead = false
  let number = 0
  let surplus = 0
  let block: Buffer = Buffer.alloc(0)
  // The field that was looked at last, without the spaces around it.
  let from = 0
  let to = 0

  /** Each line of a block is told to one of the two listeners, but for blank lines and the header. */
  function read(next: Buffer, { onRow, onRefused }: RowListener): void {
    block = next
    beginBlock(line, block)
    const isText = encoding !== 'utf-8' || isUtf8(block)
    while (line.end + 1 < block.length) {
      takeApartNextLine(line)
      number++
      if (!line.isAsBefore) isCompanyRead = false
      if (number === 1 || line.isBlank) continue
      const isReadable = isText || isUtf8(block.subarray(line.begun, line.end))
      const read = isReadable ? readRow() : 'ugyldige_tegn'
      if (typeof read === 'string') onRefused(number, read)
      else onRow(read)
    }
  }

  function readRow(): ArchiveRow | FileRefusal {
    if (line.isOverfull || line.end - (starts[0] ?? 0) > LINE_BYTES_MAX) return 'for_lang_rad'
    surplus = line.fields - columns.count
    if (line.hasManyDigits && holdsIdentityNumber()) return 'elleve_siffer'
    if (line.hasControl) return 'ugyldige_tegn'
    if (surplus < 0) return 'for_faa_felt'
    const orgnr = isCompanyRead ? row.orgnr : companyNumber()
    if (orgnr === 0) return 'ugyldig_orgnr'
    look(columns.antall)
    if (from === to) return 'ugyldig_antall'
    const antall = amount()
    if (antall < 0) return antall === TOO_LARGE ? 'for_stort_antall' : 'ugyldig_antall'
    look(columns.totalt)
    const totalt = from === to ? 0 : amount()
    if (totalt < 0) return totalt === TOO_LARGE ? 'for_stort_antall' : 'ugyldig_totalt'

    look(columns.ident)
    const length = to - from
    const eierOrgnr = length === 9 ? numberIn(block, from, to) : 0
    const fodselsaar = length === 4 ? birthYear() : 0
    const annenIdent = length > 0 && eierOrgnr === 0 && fodselsaar === 0 ? text() : ''
    // With a `;` in a name the fields after it are shifted, and a name stands where the identifier should.
    if (surplus > 0 && annenIdent !== '') return 'flertydig_semikolon'

    look(columns.navn)
    holderName()
    if (!isCompanyRead) {
      // Only the first of a company counts.
      if (orgnr !== company.orgnr || company.name === '') {
        look(columns.selskap)
        company = { orgnr, name: text() }
      }
      row.orgnr = orgnr
      row.selskap = company.name
      row.klasse = columns.aksjeklasse < 0 ? '' : shareClass()
      isCompanyRead = true
    }
    const land = columns.landkode < 0 ? '' : country()
    row.linje = number
    row.fodselsaar = fodselsaar
    row.eierOrgnr = eierOrgnr
    row.annenIdent = annenIdent
    row.land = land
    row.antall = antall
    row.totalt = totalt
    return row
  }

  function companyNumber(): number {
    look(columns.orgnr)
    return numberIn(block, from, to)
  }

  function look(column: number): void {
    const field = column > columns.sted ? column + surplus : column
    from = starts[field] as number
    to = (starts[field + 1] as number) - 1
    while (from < to && (block[from] as number) <= SPACE) from++
    while (from < to && (block[to - 1] as number) <= SPACE) to--
  }

  /** The field as a tidy text. */
  function text(): string {
    return tidyName(isAscii() ? block.toString('latin1', from, to) : decode(block, from, to, encoding))
  }

  /** Most are taken from the bytes, and no text is made. */
  function holderName(): void {
    const isInUtf8 = encoding === 'utf-8' || line.isAscii
    if (isInUtf8 && takePlainName(row.navn, block, from, to)) return
    takeName(row.navn, tidyName(decode(block, from, to, encoding)))
  }

  function isAscii(): boolean {
    if (line.isAscii) return true
    for (let at = from; at < to; at++) if ((block[at] as number) > 127) return false
    return true
  }

  /** Nearly every row has the class of the row before it: that is seen from the bytes, and no text is made. */
  function shareClass(): string {
    look(columns.aksjeklasse)
    if (to - from === lastClass.bytes.length) {
      let at = from
      while (at < to && block[at] === lastClass.bytes[at - from]) at++
      if (at === to) return lastClass.name
    }
    lastClass = { bytes: Buffer.from(block.subarray(from, to)), name: text() }
    return lastClass.name
  }

  /** Two capital letters; `no` and `NOR` are `NO`, and what is no country code is not known. */
  function country(): string {
    look(columns.landkode)
    if (to - from === 2 && block[from] === CAPITAL_N && block[from + 1] === CAPITAL_O) return 'NO'
    const code = text().toUpperCase()
    if (code === 'NOR') return 'NO'
    return /^[A-Z]{2}$/.test(code) ? code : ''
  }

  /** Digits alone, without leading zeros; as a number that can be counted with exactly. */
  function amount(): number {
    if (to - from > 1 && block[from] === ZERO) return NOT_WHOLE
    let value = 0
    for (let at = from; at < to; at++) {
      const digit = (block[at] as number) - ZERO
      if (digit < 0 || digit > 9) return NOT_WHOLE
      value = value * 10 + digit
    }
    return value <= Number.MAX_SAFE_INTEGER ? value : TOO_LARGE
  }

  function birthYear(): number {
    const year = amount()
    return year >= BIRTH_YEAR_MIN && year <= BIRTH_YEAR_MAX ? year : 0
  }

  /** Slow, for the few rows that give reason to look. */
  function holdsIdentityNumber(): boolean {
    return Array.from({ length: line.fields }, (_, field) => field).some((field) => {
      const content = decode(block, starts[field] ?? 0, (starts[field + 1] ?? 0) - 1, encoding).trim()
      const column = field > columns.sted + Math.max(surplus, 0) ? field - surplus : field
      const isAmount =
        surplus >= 0 && field !== columns.sted && (column === columns.antall || column === columns.totalt)
      return isAmount && /^\d+$/.test(content) ? isIdentityNumber(content) : mayHoldIdentityNumber(content)
    })
  }

  return { read }
}

/** How many fields a line begins with that are those of the line before it as long as the company and the class are. */
function companyFields({ orgnr, selskap, aksjeklasse }: Columns): number {
  const first = [orgnr, selskap, aksjeklasse].filter((column) => column >= 0)
  return Math.max(...first) === first.length - 1 ? first.length : 0
}

const LINE_BYTES_MAX = 4096
const SPACE = 32
const ZERO = 48
const CAPITAL_N = 78
const CAPITAL_O = 79
const NOT_WHOLE = -1
const TOO_LARGE = -2
const BIRTH_YEAR_MIN = 1850
const BIRTH_YEAR_MAX = 2200
