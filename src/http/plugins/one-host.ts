import type { IncomingMessage } from 'node:http'

/**
 * RFC 9112, 3.2: a request with two is for whoever each reader of it thinks, and is refused, as one with none is; of HTTP/1.0 it may
 * have none. Node keeps the first alone.
 */
export function isForOneHost({
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count === 1 || (count === 0 && httpVersion === '1.0')
}
