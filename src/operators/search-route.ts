import type { FastifyInstance } from 'fastify'
import type { SearchIndexSeen } from '#src/ops/search-index.ts'
import { searchPage } from './pages/search.ts'
import { operatorOf } from './session.ts'

/** Which index of names is read, how far a new one has come, and what waits. */
export function searchRoute(
  app: FastifyInstance,
  { searchIndex }: { searchIndex: () => Promise<SearchIndexSeen> },
): void {
  app.get('/sok', async (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(searchPage({ operator: operatorOf(request), seen: await searchIndex() })),
  )
  app.get('/sok.json', async () => ({ sok: await searchIndex() }))
}
