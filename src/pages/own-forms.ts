import type { FastifyRequest } from 'fastify'

/**
 * Whether a form came from a page of ours. Nothing here rides on a cookie, so a foreign form could do no more than its sender
 * could; it would do it from the visitor's network, though, and at the visitor's expense of attempts.
 *
 * Browsers say it themselves in Sec-Fetch-Site (Fetch Metadata), over TLS and to this machine. Without it Origin is looked at;
 * it is `null` from pages that send no referrer, which are ours. A client that says neither is no browser.
 */
export function isOwnForm(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = request.headers
  if (origin === undefined || origin === 'null') return true
  return origin === URL.parse(publicUrl)?.origin || URL.parse(origin)?.host === request.headers.host
}
