/**
 * What the commands write: aligned text for people, JSON for programs. What a register, a customer or another operator has written is
 * among it, and a terminal obeys some letters: none of them reaches it (P151).
 */
export function print(...lines: string[]): void {
  process.stdout.write(`${asShown(lines.join('\n'))}\n`)
}

/** The same of what is wrong: it repeats what was typed, which may have been a file's name. */
export function asShown(text: string): string {
  return text.replace(OBEYED, (letter) => (letter === '\n' || letter === '\t' ? letter : ' '))
}

export function printJson(value: unknown): void {
  const json = JSON.stringify(value, null, 2)
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  print(json.replace(OBEYED, (letter) => (letter === '\n' ? letter : escaped(letter))))
}

/** Control characters (ECMA-48), and those that turn the direction of what follows. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Columns as wide as their widest cell. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** To the minute. */
export function asTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
