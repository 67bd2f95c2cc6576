import type { FastifyInstance } from 'fastify'
import type { Steering } from '#src/ops/steering.ts'
import { trailPage } from './pages/trail.ts'
import { operatorOf } from './session.ts'

const SHOWN_MAX = 200

/** Who did what, when and why. */
export function trailRoute(app: FastifyInstance, { steering }: { steering: Pick<Steering, 'trail'> }): void {
  app.get('/spor', async (request, reply) => {
    const deeds = await steering.trail(null, SHOWN_MAX)
    return reply.type('text/html; charset=utf-8').send(trailPage({ operator: operatorOf(request), deeds }))
  })
  app.get('/spor.json', async () => ({ spor: await steering.trail(null, SHOWN_MAX) }))
}
