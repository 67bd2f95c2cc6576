import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Answers } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { CompanyReader, CompanyReading } from '#src/record/company-reader.ts'
import { Bedrift } from '#src/record/record.ts'
import { answerInForm } from '../answer-head.ts'
import { readerKey } from '../plugins/bearer.ts'
import { registerUnavailable } from '../plugins/problem-answers.ts'
import { Problem } from '../problems.ts'
import { readFersk } from '../query.ts'
import { keyHeaders, notModified, OrgnrParameter, problemResponses } from '../schemas.ts'

/** One company, whole. The number is checked before anything is asked of anyone. */
export function bedriftRoute(
  app: FastifyInstance,
  {
    reader,
    answers,
    clock,
  }: { reader: Pick<CompanyReader, 'read'>; answers: Pick<Answers<Assembled>, 'encoded'>; clock: Clock },
): void {
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr',
    {
      schema: {
        operationId: 'bedrift',
        tags: ['bedrift'],
        summary: 'Ett foretak / one company',
        security: [{ nokkel: [] }],
        params: Type.Object({ orgnr: OrgnrParameter }),
        querystring: Type.Object(
          {
            fersk: Type.Optional(
              Type.Boolean({
                description:
                  'true: vent på kildene, også når en fersk kopi finnes. Høyst én gang per foretak og minutt; ' +
                  'headeren x-fersk sier om det ble gitt, eller nylig eller budsjett.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Foretaket.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Bedrift } },
          },
          304: notModified,
          ...problemResponses(400, 401, 404, 410, 414, 429, 503),
        },
      },
    },
    async (request, reply) => {
      const { fersk } = readFersk(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const reading = await reader.read(orgnr, { fersk, caller: readerKey(request).id })
      if (reading.forced !== null) reply.header('x-fersk', reading.forced)
      switch (reading.outcome) {
        case 'record':
          return send(reading, request, reply)
        case 'unknown':
          throw new Problem('ukjent_organisasjonsnummer')
        case 'removed':
          throw new Problem('fjernet', { extra: { slettedato: reading.slettedato } })
        case 'unavailable':
          throw registerUnavailable(reading.retryAfterSeconds)
        case 'crowded':
          throw new Problem('for_mange_oppslag', { headers: { 'retry-after': '5' } })
      }
    },
  )

  async function send(
    { answer, came }: Extract<CompanyReading, { outcome: 'record' }>,
    request: FastifyRequest<{ Params: { orgnr: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    request.came = came
    const { head, bytes } = answerInForm(answer, {
      orgnr: parseOrganisasjonsnummer(request.params.orgnr),
      came,
      answers,
      acceptEncoding: request.headers['accept-encoding'] as string | undefined,
      ifNoneMatch: request.headers['if-none-match'],
      now: clock.now().getTime(),
    })
    reply.code(head.status)
    for (let index = 0; index + 1 < head.headers.length; index += 2) {
      reply.header(head.headers[index] ?? '', head.headers[index + 1])
    }
    return reply.send(bytes === null ? undefined : await bytes)
  }
}
