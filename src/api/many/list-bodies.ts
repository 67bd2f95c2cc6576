import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is sent is a list, read as text: also where it is JSON. */
    takesList?: boolean
  }
}

/** Lists of numbers come as text to whoever reads them, in pieces (`numbers.ts`), in whichever form they were sent. */
export function listBodies(app: FastifyInstance): void {
  const json = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(['text/plain', 'text/csv'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (request.routeOptions.config.takesList === true) done(null, body)
    else json(request, body, done)
  })
}
