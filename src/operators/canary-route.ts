import type { FastifyInstance } from 'fastify'
import type { CanaryReport } from '#src/ops/canary/canary.ts'
import { canaryPage } from './pages/canary.ts'
import { operatorOf } from './session.ts'

export type CanaryView = () => Promise<CanaryReport | null>

/** What the registers' answers looked like last night, and what is other than the night before. */
export function canaryRoute(app: FastifyInstance, { canary }: { canary: CanaryView }): void {
  app.get('/kanari', async (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(canaryPage({ operator: operatorOf(request), report: await canary() })),
  )
  app.get('/kanari.json', async () => ({ kanari: await canary() }))
}
