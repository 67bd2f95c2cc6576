import type { IncomingMessage } from 'node:http'

/**
 * What is not sent along has no type, though clients say one with every DELETE (RFC 9110, 8.3: of content). The framework would wait
 * for the end of what never begins, until the connection is ended for its silence, or take nothing for JSON that is broken.
 */
export function leaveTypeOfNothing({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const isNothing = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isNothing) delete headers['content-type']
}
