import type { FastifyInstance } from 'fastify'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { BODIES, EXAMPLE_NAME, examplePath, QUESTIONS } from '#src/samples/questions.ts'
import { Problem } from '../http/problem.ts'

const AT = '/eksempel/svar'

/** The document's addresses, and what is done at each. */
export type Paths = Record<string, Record<string, { operationId?: string }>>

/** Where the document's example of an operation's answer is. */
export function exampleOf(operationId: string): string {
  return `${AT}/${operationId}.json`
}

/**
 * An example of each answer, as it is given now: asked of the service itself, with everybody's key, of an invented company. No
 * key is needed to see it.
 */
export function examplesRoute(app: FastifyInstance, paths: () => Paths): void {
  app.get<{ Params: { name: string } }>(`${AT}/:name`, { schema: { hide: true } }, async (request, reply) => {
    const asked = Object.entries(paths()).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        operationId !== undefined && request.params.name === `${operationId}.json`
          ? [{ path, method, operationId }]
          : [],
      ),
    )
    const [one] = asked
    if (one === undefined) throw new Problem('ukjent_adresse')
    const { path, method, operationId } = one
    const { statusCode, headers, body } = await app.inject({
      method: method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: examplePath(path),
      query: { ...QUESTIONS[operationId] },
      headers: {
        host: request.host,
        authorization: `Bearer ${PUBLIC_TEST_KEY}`,
        ...(method === 'post' && { 'idempotency-key': EXAMPLE_NAME }),
      },
      ...(BODIES[operationId] !== undefined && { payload: BODIES[operationId] as object }),
    })
    return reply
      .code(statusCode)
      .headers({
        ...(headers['content-type'] !== undefined && { 'content-type': headers['content-type'] }),
        'cache-control': 'no-cache',
      })
      .send(body)
  })
}
