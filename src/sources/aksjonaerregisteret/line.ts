const FIELDS_MAX = 64
const LINE_FEED = 10
const SEMICOLON = 59
const SPACE = 32
const TAB = 9
const CARRIAGE_RETURN = 13

/** One line taken apart into its fields, and what is odd about it. Used again for every line: nothing is made for each. */
type Line = {
  /** Where it ends: its line feed, or the end of the block. */
  end: number
  fields: number
  /** Where each field begins; the one after the last begins after `end`. */
  readonly starts: Int32Array
  isBlank: boolean
  isAscii: boolean
  /** Two spaces together, a tab, or a carriage return that ends no line. */
  hasWideSpace: boolean
  /** A byte that is no text: NUL and its like. */
  hasControl: boolean
  /** A field has eleven digits or more. */
  hasManyDigits: boolean
  /** More fields than are looked at: the line is no row. */
  isOverfull: boolean
}

export function createArchiveLine(): Line {
  return {
    end: 0,
    fields: 0,
    starts: new Int32Array(FIELDS_MAX + 1),
    isBlank: true,
    isAscii: true,
    hasWideSpace: false,
    hasControl: false,
    hasManyDigits: false,
    isOverfull: false,
  }
}

/** Takes apart the line that begins at `start`. One look at each byte: this is most of what reading a register costs. */
export function takeApartLine(line: Line, block: Buffer, start: number): void {
  const { starts } = line
  const length = block.length
  let fields = 0
  let seen = 0
  let together = 0
  let before = 0
  let digits = 0
  let digitsMost = 0
  let at = start
  starts[0] = start
  for (; at < length; at++) {
    const kind = KINDS[block[at] as number] as number
    seen |= kind
    // What stands beside one of its own kind.
    together |= kind & before
    before = kind
    digits += kind & IS_DIGIT
    if (kind < IS_STOP) continue
    if (kind & IS_LINE_FEED) break
    if (kind & IS_CARRIAGE_RETURN) {
      // Before the line feed it ends the line; elsewhere it is a space of another kind.
      if (at + 1 < length && block[at + 1] !== LINE_FEED) seen |= IS_TAB
      continue
    }
    if (digits > digitsMost) digitsMost = digits
    digits = 0
    if (fields < FIELDS_MAX) starts[++fields] = at + 1
  }
  line.isOverfull = fields === FIELDS_MAX
  if (fields < FIELDS_MAX) fields++
  starts[fields] = at + 1
  line.end = at
  line.fields = fields
  line.isBlank = (seen & (IS_DIGIT | IS_LETTER | IS_BEYOND_ASCII | IS_SEMICOLON)) === 0
  line.isAscii = (seen & IS_BEYOND_ASCII) === 0
  line.hasControl = (seen & IS_CONTROL) !== 0
  line.hasWideSpace = ((together & IS_SPACE) | (seen & IS_TAB)) !== 0
  line.hasManyDigits = Math.max(digits, digitsMost) >= IDENTITY_DIGITS
}

const IDENTITY_DIGITS = 11

/** The last three are stopped at. */
const IS_DIGIT = 1
const IS_LETTER = 2
const IS_BEYOND_ASCII = 4
const IS_SPACE = 8
const IS_TAB = 16
const IS_CONTROL = 32
const IS_STOP = 64
const IS_SEMICOLON = 64
const IS_CARRIAGE_RETURN = 128
const IS_LINE_FEED = 256

const KINDS = Uint16Array.from({ length: 256 }, (_, byte) => {
  if (byte > 127) return IS_BEYOND_ASCII
  if (byte >= 48 && byte <= 57) return IS_DIGIT
  if (byte === SEMICOLON) return IS_SEMICOLON
  if (byte === SPACE) return IS_SPACE
  if (byte === TAB) return IS_TAB
  if (byte === CARRIAGE_RETURN) return IS_CARRIAGE_RETURN
  if (byte === LINE_FEED) return IS_LINE_FEED
  return byte < SPACE ? IS_CONTROL : IS_LETTER
})
