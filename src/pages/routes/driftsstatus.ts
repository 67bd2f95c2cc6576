import type { FastifyInstance } from 'fastify'
import type { PublicStatus } from '#src/ops/public-status.ts'
import type { PageTools } from '../page-tools.ts'
import { statusFeed } from '../status-feed.ts'
import { statusPage } from '../status-page.ts'
import { visitorOf } from '../visitor.ts'

/**
 * How each register answers and has answered, and how fresh the service is, for anybody. Made from what the process has at
 * hand: it answers while PostgreSQL and Redis are away.
 */
export function driftsstatusRoute(
  app: FastifyInstance,
  { send, publicUrl }: Pick<PageTools, 'send' | 'publicUrl'>,
  status: () => PublicStatus,
): void {
  app.get('/status.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(status())),
  )
  app.get('/status.atom', { schema: { hide: true } }, async (request, reply) => {
    const { language } = visitorOf(request, '/status')
    return reply
      .headers({ 'cache-control': 'public, max-age=60', vary: 'Accept-Language' })
      .type('application/atom+xml; charset=utf-8')
      .send(statusFeed(status(), { language, publicUrl: publicUrl() }))
  })
  app.get('/status', { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, '/status')
    return send.fresh(request, reply, statusPage(status(), visitor), visitor)
  })
}
