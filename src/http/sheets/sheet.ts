import { plainLines } from '#src/core/plain-line.ts'

/** A cell of what is taken home: a number is a number, and a text is never anything else. */
export type Cell = string | number | boolean | null

export type Sheet = {
  name: string
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
}

/**
 * Text of strangers, fit for a file: no control characters but tabs and line ends, which XML can not hold and screens obey, no letters that turn the
 * direction of what follows, no halves of a letter, and no more than a cell of Excel has room for.
 */
export function fileText(text: string): string {
  return plainLines(text.slice(0, CELL_LETTERS_MAX))
}

const CELL_LETTERS_MAX = 32_000
