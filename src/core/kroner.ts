/** What is kept in øre, as lists and commands write it: `1490.00`. Mails and pages say it by the reader's language. */
export function kroner(ore: number): string {
  return (ore / 100).toFixed(2)
}
