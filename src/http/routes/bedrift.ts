import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type Organisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Reading } from '#src/record/read-record.ts'
import { Bedrift } from '#src/record/record.ts'
import { registerUnavailable } from '../plugins/problem-answers.ts'
import { Problem } from '../problems.ts'
import { readNothing } from '../query.ts'
import { problemResponses } from '../schemas.ts'

/** One company, whole. The number is checked before anything is asked of anyone. */
export function bedriftRoute(
  app: FastifyInstance,
  { readRecord }: { readRecord: (orgnr: Organisasjonsnummer) => Promise<Reading> },
): void {
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr',
    {
      schema: {
        operationId: 'bedrift',
        tags: ['bedrift'],
        summary: 'Ett foretak / one company',
        security: [{ nokkel: [] }],
        params: Type.Object({
          orgnr: Type.String({
            description: 'Ni siffer med riktig kontrollsiffer. Mellomrom, punktum og NO…MVA godtas.',
            examples: ['923609016', '923 609 016', 'NO923609016MVA'],
          }),
        }),
        response: {
          200: { description: 'Foretaket.', content: { 'application/json': { schema: Bedrift } } },
          ...problemResponses(400, 401, 404, 410, 414, 503),
        },
      },
    },
    async (request, reply) => {
      readNothing(request.query)
      const reading = await readRecord(parseOrganisasjonsnummer(request.params.orgnr))
      switch (reading.outcome) {
        case 'record':
          return reply
            .header('cache-control', 'private, no-store')
            .type('application/json; charset=utf-8')
            .send(JSON.stringify(reading.record))
        case 'unknown':
          throw new Problem('ukjent_organisasjonsnummer')
        case 'removed':
          throw new Problem('fjernet', { extra: { slettedato: reading.slettedato } })
        case 'unavailable':
          throw registerUnavailable(reading.retryAfterSeconds)
      }
    },
  )
}
