import Fastify from 'fastify'
import { isKey } from './given.ts'

/** A plain Fastify with a bearer check against a map, and one route. */
export async function listenWithKey(answer: (orgnr: string) => Promise<unknown>): Promise<void> {
  const app = Fastify()
  app.addHook('onRequest', (request, reply, done) => {
    if (isKey(request.headers.authorization)) done()
    else reply.code(401).send()
  })
  app.get<{ Params: { orgnr: string } }>('/api/bedrift/:orgnr', async (request, reply) => {
    reply.type('application/json; charset=utf-8')
    return answer(request.params.orgnr)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
}
