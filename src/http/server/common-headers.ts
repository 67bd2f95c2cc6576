import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createNetworkList } from '#src/core/client-network.ts'
import { PERMISSIONS } from '#src/core/permissions.ts'

/** On every answer of every port, whoever gives it: pages, data, errors, redirects, the queues' board. */
export const COMMON = [
  ['x-content-type-options', 'nosniff'],
  ['permissions-policy', PERMISSIONS],
] as const

/** RFC 6797, 7.2: said over https alone, where it is believed. Of this name; its neighbours are not ours to decide for. */
export const HSTS = ['strict-transport-security', 'max-age=31536000'] as const

/**
 * Whether the client came by https: this process speaks none, so a proxy in front that is trusted says so.
 *
 * @param trustProxy networks of the proxies in front; null: there is none
 */
export function createIsHttps(
  trustProxy: readonly string[] | null,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean {
  if (trustProxy === null) return () => false
  const isProxy = createNetworkList(trustProxy)
  return ({ headers, socket }) => {
    // The last word is that of the proxy next to us.
    const said = String(headers['x-forwarded-proto'] ?? '')
    const last = said.slice(said.lastIndexOf(',') + 1).trim()
    return last === 'https' && isProxy(socket.remoteAddress ?? '')
  }
}

/** Puts them on before anybody else has the request, so that no way of answering goes without. */
export function withCommonHeaders(
  listener: RequestListener,
  isHttps: ReturnType<typeof createIsHttps>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    for (const [name, value] of COMMON) response.setHeader(name, value)
    if (isHttps(request)) response.setHeader(...HSTS)
    listener(request, response)
  }
}
