import { writeFileSync } from 'node:fs'
import { OppslagError } from '#src/core/errors.ts'

/**
 * What the commands write: aligned text for people, JSON for programs. What a register, a customer or another operator has written is
 * among it, and a terminal obeys some letters: none of them reaches it (P151), and none begins a line where we have one.
 */
export function print(...lines: string[]): void {
  process.stdout.write(`${lines.map((line) => asShown(line).replaceAll('\n', ' ')).join('\n')}\n`)
}

/** The same of what is wrong: it repeats what was typed, which may have been a file's name. */
export function asShown(text: string): string {
  return text.replace(OBEYED, (letter) => (letter === '\n' || letter === '\t' ? letter : ' '))
}

export function printJson(value: unknown): void {
  const json = JSON.stringify(value, null, 2)
  const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(`${json.replace(OBEYED, (letter) => (letter === '\n' ? letter : escaped(letter)))}\n`)
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

/**
 * All of it, to a file that is open.
 *
 * @throws OppslagError where there is no room for it: said here, since what else a command writes is cut off in its own way
 */
export function writeWhole(fd: number, text: Uint8Array): void {
  try {
    writeFileSync(fd, text)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
    throw new OppslagError(
      'utskrift_avkortet',
      'Det er ikke plass til alt det kommandoen skriver. Det som er skrevet, er ikke helt; hva som ellers er gjort, står i sporet.',
      { cause: error },
    )
  }
}
