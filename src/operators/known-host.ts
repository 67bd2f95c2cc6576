import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/**
 * Whether a request was meant for here. A page of a stranger's may have its own name lead to this port, and then asks as if it
 * were of the same origin (DNS rebinding): the name in `Host` is the stranger's then. An address is nobody's name, and neither
 * is one without a dot, as machines and containers call each other.
 *
 * @param names further names the operators' side is reached by
 */
export function createIsKnownHost(names: readonly string[]): (request: IncomingMessage) => boolean {
  const known = new Set([...names, hostname()].map((name) => name.toLowerCase()))
  return ({ headers }) => {
    const { host } = headers
    // HTTP/1.0, which no browser speaks.
    if (host === undefined) return true
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    const address = name.replace(/^\[|\]$/g, '')
    return name !== '' && (isIP(address) !== 0 || !name.includes('.') || known.has(name))
  }
}
