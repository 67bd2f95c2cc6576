import type { Assembled } from '#src/record/assembled.ts'

/** A whole answer about a company as it is held: made half a minute before ten, fresh until eleven, on 21 November 2026. */
export function heldAnswer(company: string): Assembled {
  return {
    bytes: Buffer.from('{"navn":"LYNGHEI AS"}'),
    etag: 'W/"tag"',
    freshUntil: Date.parse('2026-11-21T11:00:00Z'),
    fetchedAtOldest: Date.parse('2026-11-21T09:59:30Z'),
    validUntil: Number.POSITIVE_INFINITY,
    isStale: false,
    companies: [company],
    headers: ['content-type', 'application/json; charset=utf-8', 'content-language', 'nb'],
  }
}
