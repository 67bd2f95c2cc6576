import type { FastifyReply } from 'fastify'
import plugin from 'fastify-plugin'
import { packed } from '#src/core/packed.ts'
import { accepts, JSON_ALONE, preferredEncoding } from '../http/negotiation.ts'
import { Problem } from '../http/problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The types a GET of this address is answered in; plain JSON when it is left out. */
    offers?: readonly string[]
  }
}

/** What is shorter is not worth packing: the head alone is as long. */
const PACKED_FROM_BYTES = 1000

/**
 * What every answer to a program has, whichever address it is of: its language, whether it came out of a cache, and a packed
 * form where the client likes that better. An address that has nothing of what the client takes says so (406).
 *
 * No answer lets another site's page read it (no CORS): a key in a page can be read by everybody who has the page.
 */
export const answerCraft = plugin(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      const { method, headers, routeOptions } = request
      const offers = routeOptions.config.offers ?? JSON_ALONE
      const isRead = method === 'GET' || method === 'HEAD'
      if (isRead) reply.header('content-language', 'nb')
      if (!isRead || accepts(headers.accept, offers)) done()
      else done(new Problem('ikke_akseptabelt', { extra: { typer: offers } }))
    })

    app.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode >= 400) return payload
      // Made for this one request: no cache was asked.
      if (!reply.hasHeader('cache-status')) reply.header('cache-status', 'bedriftsoppslag; fwd=bypass')
      if (typeof payload !== 'string' || reply.hasHeader('content-encoding')) return payload
      varyBy(reply, 'Accept-Encoding')
      const wanted = request.headers['accept-encoding']
      const encoding = wanted === undefined ? null : preferredEncoding(String(wanted))
      if (encoding === null || payload.length < PACKED_FROM_BYTES) return payload
      const form = await packed(Buffer.from(payload), encoding)
      if (form === null) return payload
      // What was counted is the length of another form.
      reply.removeHeader('content-length')
      reply.header('content-encoding', encoding)
      return form
    })
  },
  { name: 'answer-craft' },
)

function varyBy(reply: FastifyReply, name: string): void {
  const said = String(reply.getHeader('vary') ?? '')
  if (!said.includes(name)) reply.header('vary', said === '' ? name : `${said}, ${name}`)
}

/** The next page at the address of this one (RFC 8288). */
export function nextPage(reply: FastifyReply, url: string, etter: string | null): void {
  if (etter === null) return
  const next = new URL(url, 'http://here')
  next.searchParams.set('etter', etter)
  addLink(reply, `<${next.pathname}${next.search}>; rel="next"`)
}

function addLink(reply: FastifyReply, link: string): void {
  const said = reply.getHeader('link')
  reply.header('link', said === undefined ? link : `${String(said)}, ${link}`)
}
