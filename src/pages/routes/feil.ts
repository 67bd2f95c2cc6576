import type { FastifyInstance } from 'fastify'
import { type ProblemCode, problems } from '../../http/problems.ts'
import { PageFailure } from '../failures.ts'
import type { PageTools } from '../page-tools.ts'
import { problemPage } from '../problem-page.ts'
import { visitorOf } from '../visitor.ts'

/** A page per problem code: the stable address every problem body points at. */
export function feilRoute(app: FastifyInstance, { send }: Pick<PageTools, 'send'>): void {
  app.get<{ Params: { kode: string } }>(
    '/dokumentasjon/feil/:kode',
    { schema: { hide: true } },
    (request, reply) => {
      const { kode } = request.params
      if (!Object.hasOwn(problems, kode)) throw new PageFailure('ukjent')
      const visitor = visitorOf(request, `/dokumentasjon/feil/${kode}`)
      return send.common(request, reply, `feil/${kode}`, visitor, {
        edition: '',
        content: () => problemPage(kode as ProblemCode, visitor),
      })
    },
  )
}
