import { createHash } from 'node:crypto'

/** Where a page ended: after so many hits, the last of which was this company, of this question, in this index. */
export type SearchCursor = { after: number; orgnr: number; question: string; edition: string }

export function writeSearchCursor({ after, orgnr, question, edition }: SearchCursor): string {
  return Buffer.from(JSON.stringify([after, orgnr, question, edition])).toString('base64url')
}

/** null for what is none of ours. */
export function readSearchCursor(text: string): SearchCursor | null {
  if (!/^[A-Za-z0-9_-]{8,200}$/.test(text)) return null
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(read) || read.length !== 4) return null
    const [after, orgnr, question, edition] = read
    const isOurs =
      Number.isSafeInteger(after) &&
      after > 0 &&
      Number.isSafeInteger(orgnr) &&
      typeof question === 'string' &&
      typeof edition === 'string'
    return isOurs ? { after, orgnr, question, edition } : null
  } catch {
    return null
  }
}

/** Which question a cursor belongs to, without saying it. */
export function questionMark(question: unknown): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 16)
}
