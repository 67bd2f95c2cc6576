import type { FastifyInstance } from 'fastify'
import type { Readiness } from '#src/ops/readiness.ts'

/** For whoever starts, stops and routes to processes. `live` asks nothing of anyone: a database that is away is no reason to restart. */
export function healthRoutes(
  app: FastifyInstance,
  { version, readiness }: { version: string; readiness: () => Promise<Readiness> },
): void {
  app.get('/health/live', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ lever: true, versjon: version }),
  )
  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const state = await readiness()
    return reply
      .code(state.klar ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(state)
  })
}
