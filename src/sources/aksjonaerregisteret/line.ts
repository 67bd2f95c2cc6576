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
  /** Two spaces together, or a tab. */
  hasWideSpace: boolean
  /** A byte that is no text: NUL and its like. */
  hasControl: boolean
  /** Eleven digits stand together, or six and five nearly do. */
  hasLongNumber: boolean
  /** More fields than are looked at: the line is no row. */
  isOverfull: boolean
}

export function createLine(): Line {
  return {
    end: 0,
    fields: 0,
    starts: new Int32Array(FIELDS_MAX + 1),
    isBlank: true,
    isAscii: true,
    hasWideSpace: false,
    hasControl: false,
    hasLongNumber: false,
    isOverfull: false,
  }
}

/** Takes apart the line that begins at `start`. One look at each byte: this is most of what reading a register costs. */
export function takeApartLine(line: Line, block: Buffer, start: number): void {
  const { starts } = line
  const length = block.length
  let fields = 0
  let seen = 0
  let hasControl = false
  let hasWideSpace = false
  let spaceEnd = -1
  let hasLongNumber = false
  let digits = 0
  let sixEnd = -1
  let at = start
  starts[0] = start
  for (; at < length; at++) {
    const byte = block[at] as number
    if (byte >= 48 && byte <= 57) {
      digits++
      continue
    }
    if (digits > 0) {
      seen |= 48
      if (digits > 10 || (digits === 5 && at - 5 - sixEnd <= 2)) hasLongNumber = true
      sixEnd = digits === 6 ? at : -3
      digits = 0
    }
    if (byte > SPACE) {
      seen |= byte
      if (byte === SEMICOLON && fields < FIELDS_MAX) starts[++fields] = at + 1
    } else if (byte === LINE_FEED) break
    else if (byte === SPACE) {
      if (spaceEnd === at) hasWideSpace = true
      spaceEnd = at + 1
    } else if (byte === TAB || byte === CARRIAGE_RETURN) hasWideSpace ||= byte === TAB
    else hasControl = true
  }
  // A last line without a line feed may end in digits.
  if (digits > 0) seen |= 48
  if (digits > 10 || (digits === 5 && at - 5 - sixEnd <= 2)) hasLongNumber = true
  line.isOverfull = fields === FIELDS_MAX
  if (fields < FIELDS_MAX) fields++
  starts[fields] = at + 1
  line.end = at
  line.fields = fields
  line.isBlank = seen === 0
  line.isAscii = seen < 128
  line.hasControl = hasControl
  line.hasWideSpace = hasWideSpace
  line.hasLongNumber = hasLongNumber
}
