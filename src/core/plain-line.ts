/**
 * Text of strangers as one line of ours, in a mail or on a terminal: no line ends that begin another, no control characters, which
 * screens obey (ECMA-48), no letters that turn the direction of what follows (UAX 9), and no halves of a letter.
 */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .toWellFormed()
}

/** The same of what has lines: a page with strangers' text in it, or such a text in a cell of its own. */
export function plainLines(text: string): string {
  return text
    .replace(/[[\p{Cc}--[\t\r\n]]\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gv, ' ')
    .toWellFormed()
}
