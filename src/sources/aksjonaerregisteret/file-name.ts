/** What the name of a file says of itself: `aksjeeiebok__2024_07052025.csv` is the year 2024, extracted on 7 May 2025. */
export function readFileName(path: string): { aar: number | null; uttrekksdato: string | null } {
  const found = /aksjeeie\w*?bok[_-]+(\d{4})(?:[_-]+(\d{2})(\d{2})(\d{4}))?(?!\d)/i.exec(path)
  const [, aar, day, month, year] = found ?? []
  const date = `${year}-${month}-${day}`
  return {
    aar: aar === undefined ? null : Number(aar),
    uttrekksdato: year !== undefined && isDate(date) ? date : null,
  }
}

/** True for yyyy-mm-dd of a day there is. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
