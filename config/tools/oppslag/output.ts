/** What the commands write: aligned text for people, JSON for programs. */
export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}
