import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What others call it too: the client has left before it was answered. */
const LEFT = 499

/**
 * Tells of each request once, with its status: when it was answered, or else when its client has left, of which the framework says
 * nothing. Whoever waits too long for all of them would otherwise be seen nowhere.
 */
export function whenTold(
  app: FastifyInstance,
  tell: (request: FastifyRequest, reply: FastifyReply, status: number) => void,
): void {
  const told = new WeakSet<FastifyRequest>()
  function once(request: FastifyRequest, reply: FastifyReply, status: number): void {
    if (told.has(request)) return
    told.add(request)
    tell(request, reply, status)
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = reply
    raw.once('close', () => {
      if (!raw.writableFinished) once(request, reply, raw.headersSent ? reply.statusCode : LEFT)
    })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    once(request, reply, reply.statusCode)
    done()
  })
}
