const SEMICOLON = 59
const SPACE = 32
const TAB = 9
const CARRIAGE_RETURN = 13

/** The number in a column counted from the left, of the line from `start` to `end`; 0 when it is not nine digits. */
export function orgnrAt(block: Buffer, start: number, end: number, column: number): number {
  let from = start
  for (let left = column; left > 0; left--) {
    from = block.indexOf(SEMICOLON, from) + 1
    if (from === 0 || from > end) return 0
  }
  return numberIn(block, from, end)
}

/** Nine digits, spaces around them, then the end of the field; otherwise 0. */
export function numberIn(block: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && (block[at] === SPACE || block[at] === TAB)) at++
  const first = at
  let value = 0
  for (; at < end; at++) {
    const digit = (block[at] ?? 0) - 48
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
    if (at - first > 9) return 0
  }
  if (at - first !== 9) return 0
  for (; at < end; at++) {
    const byte = block[at]
    if (byte === SEMICOLON) return value
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return 0
  }
  return value
}
