import type { FastifyInstance } from 'fastify'
import { PageFailure } from '../pages/failures.ts'

/**
 * Addresses nobody has: a page for who asks for HTML, as a browser does, and a problem body for who does not. An address only
 * forms are sent to leads whoever opens it, or loads it again, to where its form is.
 */
export function ukjentRoute(app: FastifyInstance): void {
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    if (!(request.headers.accept ?? '').includes('text/html')) return reply.callNotFound()
    throw new PageFailure('ukjent')
  })
}
