import type { FastifyInstance } from 'fastify'
import type { PublicStatus } from '#src/ops/public-status.ts'
import type { PageTools } from '../page-tools.ts'
import { statusPage } from '../status-page.ts'
import { visitorOf } from '../visitor.ts'

/**
 * How each register answers and how fresh the service is, for anybody. Made from what the process has at hand: it answers
 * while PostgreSQL and Redis are away.
 */
export function driftsstatusRoute(
  app: FastifyInstance,
  { send }: Pick<PageTools, 'send'>,
  status: () => PublicStatus,
): void {
  app.get('/status.json', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(status())),
  )
  app.get('/status', { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, '/status')
    return send.own(reply, statusPage(status(), visitor), visitor)
  })
}
