import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Clock } from '#src/core/clock.ts'
import { readerKey } from '../plugins/bearer.ts'
import { readNothing } from '../query.ts'
import { NokkelStatus, problemResponses } from '../schemas.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Whose key is this and how long does it last. Answered from the verified key alone. */
export function statusRoute(app: FastifyInstance, { clock }: { clock: Clock }): void {
  app.get(
    '/api/bedrift/status',
    {
      schema: {
        operationId: 'nokkelstatus',
        tags: ['nokkel'],
        summary: 'Nøkkelens status / the state of the key',
        security: [{ nokkel: [] }],
        response: {
          200: {
            description: 'Nøkkelen er gyldig.',
            content: { 'application/json': { schema: NokkelStatus } },
          },
          ...problemResponses(400, 401, 503),
        },
      },
    },
    async (request, reply) => {
      readNothing(request.query)
      const { id, miljo, utloper } = readerKey(request)
      const answer: Static<typeof NokkelStatus> = {
        gyldig: true,
        nokkelId: id,
        utloper: utloper.toISOString(),
        dagerIgjen: Math.ceil((utloper.getTime() - clock.now().getTime()) / DAY_MS),
        miljo,
      }
      return reply.header('cache-control', 'private, no-store').send(answer)
    },
  )
}
