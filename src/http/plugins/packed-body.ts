import type { IncomingMessage } from 'node:http'
import { Problem } from '../problem.ts'

/**
 * Whether what is sent along is packed. Nothing sent here is large enough to need it, and a few bytes may be gigabytes when they
 * are unpacked; taken for what it is not, it would be refused for what it seems to say.
 */
export function hasPackedBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  if (isPackedOnTheWay(headers['transfer-encoding'])) return true
  const coding = headers['content-encoding']
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** RFC 9112, 7: Node takes the pieces apart, and leaves what they were packed with before. */
function isPackedOnTheWay(coding: string | undefined): boolean {
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked'
}

/** RFC 9110, 15.5.16: with what would be taken instead. */
export function packedBody(): Problem {
  return new Problem('ukjent_innholdstype', {
    detail: {
      nb: 'Innholdet er pakket (Content-Encoding eller Transfer-Encoding). Send det som det er.',
      en: 'The content is packed (Content-Encoding or Transfer-Encoding). Send it as it is.',
    },
    headers: { 'accept-encoding': 'identity' },
  })
}
