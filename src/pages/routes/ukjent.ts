import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { prefersPage } from '../../http/negotiation.ts'
import { PageFailure } from '../failures.ts'

/**
 * Addresses nobody has: a page for who asks for HTML, as a browser does, and a problem body for who does not. An address only
 * forms are sent to leads whoever opens it, or loads it again, to where its form is.
 */
export function ukjentRoute(app: FastifyInstance): void {
  app.get('/*', { schema: { hide: true } }, nobodyHas)
}

/** @throws PageFailure */
export function nobodyHas(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (prefersPage(request.headers.accept)) throw new PageFailure('ukjent')
  reply.callNotFound()
  return reply
}
