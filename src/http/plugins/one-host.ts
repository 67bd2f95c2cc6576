import type { IncomingMessage } from 'node:http'

/** RFC 9112, 3.2: a request with two is for whoever each reader of it thinks, and is refused. Node keeps the first alone. */
export function hasTwoHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
