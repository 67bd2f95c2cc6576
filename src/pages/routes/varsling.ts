import type { FastifyInstance } from 'fastify'
import { PageFailure } from '../failures.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'
import { mailsStoppedPage, stopMailsPage } from '../watching/stop-mails-pages.ts'

type OfLink = { Params: { token: string } }

/**
 * The way out of the mails of changes. Opening the link does nothing; the button, and the POST that a mail program sends by itself
 * (RFC 8058), in either of the two forms it may come in, end them. Who has the link needs nothing else, and can do nothing else.
 */
export async function varslingRoutes(app: FastifyInstance, { lookup, send }: PageTools): Promise<void> {
  const PATH = '/varsling/avslutt/:token'
  const hidden = { schema: { hide: true } }
  const { stopping } = lookup.changes
  // What it says is known: that it was sent is enough.
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, async () => null)

  app.get<OfLink>(PATH, hidden, async (request, reply) => {
    const { token } = request.params
    if (!(await stopping.isLink(token))) throw new PageFailure('ukjent')
    const visitor = visitorOf(request, `/varsling/avslutt/${token}`)
    return send.own(reply, stopMailsPage(token, visitor), visitor)
  })

  app.post<OfLink>(PATH, hidden, async (request, reply) => {
    const { token } = request.params
    if (!(await stopping.stop(token))) throw new PageFailure('ukjent')
    const visitor = visitorOf(request, `/varsling/avslutt/${token}`)
    return send.own(reply, mailsStoppedPage(visitor), visitor)
  })
}
