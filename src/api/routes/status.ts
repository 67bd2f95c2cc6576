import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Clock } from '#src/core/clock.ts'
import { daysLeft } from '#src/core/key-expiry.ts'
import { readerKey } from '../bearer.ts'
import { readNothing } from '../query.ts'
import { keyHeaders, NokkelStatus, problemResponses } from '../schemas.ts'

/** Whose key is this and how long does it last. Answered from the verified key alone. */
export function statusRoute(app: FastifyInstance, { clock }: { clock: Clock }): void {
  app.get(
    '/api/bedrift/status',
    {
      schema: {
        operationId: 'hentNokkelstatus',
        tags: ['nokkel'],
        summary: 'Nøkkelens status / the state of the key',
        response: {
          200: {
            description: 'Nøkkelen er gyldig.',
            headers: keyHeaders,
            content: { 'application/json': { schema: NokkelStatus } },
          },
          ...problemResponses(400, 401, 406, 429, 500, 503),
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
        dagerIgjen: daysLeft(utloper, clock.now().getTime()),
        miljo,
      }
      return reply.header('cache-control', 'private, no-store').send(answer)
    },
  )
}
