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
