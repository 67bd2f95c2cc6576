const FIELDS_MAX = 64
const LINE_FEED = 10
const SEMICOLON = 59
const SPACE = 32
const TAB = 9
const CARRIAGE_RETURN = 13
const ZERO = 48
const NINE = 57

/** One line of a block taken apart into its fields, and what is odd about it. Used again for every line: nothing is made for each. */
type ArchiveLine = {
  /** Where it begins, and where it ends: its line feed, or the end of the block. */
  begun: number
  end: number
  fields: number
  /** Where each field begins; the one after the last begins after `end`. */
  readonly starts: Int32Array
  /** Its first fields, as many as were told, are those of the line before it in the block. */
  isAsBefore: boolean
  isBlank: boolean
  isAscii: boolean
  /** A byte that is no text: NUL and its like. */
  hasControl: boolean
  /** A field has eleven digits or more. */
  hasManyDigits: boolean
  /** More fields than are looked at: the line is no row. */
  isOverfull: boolean
  /** The first fields: how many, what is in them, and the most digits one of them has. */
  readonly firstFields: number
  firstKinds: number
  firstDigits: number
  block: Buffer
  view: DataView
}

/** @param firstFields so many are mostly those of the line before; 0 when that is not known */
export function createArchiveLine(firstFields = 0): ArchiveLine {
  return {
    begun: 0,
    end: -1,
    fields: 0,
    starts: new Int32Array(FIELDS_MAX + 1),
    isAsBefore: false,
    isBlank: true,
    isAscii: true,
    hasControl: false,
    hasManyDigits: false,
    isOverfull: false,
    firstFields,
    firstKinds: 0,
    firstDigits: 0,
    block: Buffer.alloc(0),
    view: new DataView(new ArrayBuffer(0)),
  }
}

/** The lines that follow are this block's. */
export function beginBlock(line: ArchiveLine, block: Buffer): void {
  line.block = block
  line.view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  line.fields = 0
  line.end = -1
}

/**
 * Takes apart the line after the one that was taken apart last. One look at each byte: this is most of what reading a register
 * costs. What stands there as on the line before, mostly the company and its class, is compared by fours instead.
 */
export function takeApartNextLine(line: ArchiveLine): void {
  const { starts, block, firstFields } = line
  const length = block.length
  const start = line.end + 1
  let fields = 0
  let inLine = 0
  let inField = 0
  let digitsMost = 0
  let at = start
  line.isAsBefore = firstFields > 0 && line.fields > firstFields && beginsAsBefore(line, start)
  if (line.isAsBefore) {
    const distance = start - line.begun
    for (let field = 1; field <= firstFields; field++) starts[field] = (starts[field] as number) + distance
    fields = firstFields
    inLine = line.firstKinds
    digitsMost = line.firstDigits
    at = starts[firstFields] as number
  }
  starts[0] = start
  for (; at < length; at++) {
    // A loop of its own, with nothing else in it: it is half the work.
    let kind = KINDS[block[at] as number] as number
    while (kind < IS_STOP) {
      inField |= kind
      if (++at === length) break
      kind = KINDS[block[at] as number] as number
    }
    const begun = starts[fields] as number
    if (at - begun >= IDENTITY_DIGITS && inField & IS_DIGIT)
      digitsMost = Math.max(digitsMost, digitsIn(block, begun, at))
    inLine |= inField
    inField = 0
    // A block may end without a line feed.
    if (at === length || kind === IS_LINE_FEED) break
    inLine |= IS_SEMICOLON
    if (fields < FIELDS_MAX) starts[++fields] = at + 1
    if (fields === firstFields) {
      line.firstKinds = inLine
      line.firstDigits = digitsMost
    }
  }
  line.isOverfull = fields === FIELDS_MAX
  if (fields < FIELDS_MAX) fields++
  starts[fields] = at + 1
  line.begun = start
  line.end = at
  line.fields = fields
  line.isBlank = (inLine & (IS_DIGIT | IS_LETTER | IS_BEYOND_ASCII | IS_SEMICOLON)) === 0
  line.isAscii = (inLine & IS_BEYOND_ASCII) === 0
  line.hasControl = (inLine & IS_CONTROL) !== 0
  line.hasManyDigits = digitsMost >= IDENTITY_DIGITS
}

/** True when the first fields of the line that was taken apart last, with their semicolons, stand at `start` too. */
function beginsAsBefore({ view, begun, starts, firstFields }: ArchiveLine, start: number): boolean {
  const size = (starts[firstFields] as number) - begun
  if (start + size > view.byteLength) return false
  let at = 0
  for (; at + 4 <= size; at += 4) if (view.getInt32(begun + at) !== view.getInt32(start + at)) return false
  for (; at < size; at++) if (view.getUint8(begun + at) !== view.getUint8(start + at)) return false
  return true
}

function digitsIn(block: Buffer, from: number, to: number): number {
  let digits = 0
  for (let at = from; at < to; at++) {
    const byte = block[at] as number
    if (byte >= ZERO && byte <= NINE) digits++
  }
  return digits
}

const IDENTITY_DIGITS = 11

/** Spaces, tabs and carriage returns are nothing. The last two are stopped at. */
const IS_DIGIT = 1
const IS_LETTER = 2
const IS_BEYOND_ASCII = 4
const IS_CONTROL = 8
const IS_STOP = 16
const IS_SEMICOLON = 16
const IS_LINE_FEED = 32

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 127) return IS_BEYOND_ASCII
  if (byte >= ZERO && byte <= NINE) return IS_DIGIT
  if (byte === SEMICOLON) return IS_SEMICOLON
  if (byte === LINE_FEED) return IS_LINE_FEED
  if (byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN) return 0
  return byte < SPACE ? IS_CONTROL : IS_LETTER
})
