import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { ManyReader } from '#src/record/many.ts'
import { Bedrift } from '#src/record/record.ts'
import { exactly } from '#src/record/shape.ts'
import { createPlaces } from '../../http/places.ts'
import { createReceiving } from '../../http/received.ts'
import { WORKBOOK_TYPE } from '../../http/sheets/workbook.ts'
import { manyAnswers, manyFormOf } from '../many/answer.ts'
import { linesOf } from '../many/lines.ts'
import { numbersBody, readNumbers } from '../many/numbers.ts'
import { ofWhom } from '../of-whom.ts'
import { readFieldsAlone } from '../query.ts'
import { keyHeaders, ProblemSchema, problemResponses } from '../schemas.ts'
import { crowded, Felt, waitHeaders } from './bedrift.ts'

const bounds = policy.many

export const Linje = Type.Union([
  exactly({
    linje: Type.Integer({ minimum: 1 }),
    organisasjonsnummer: Type.String(),
    provIgjenEtter: Type.Optional(Type.Integer({ description: 'Sekunder: noe mangler og kan finnes da.' })),
    foretak: Bedrift,
  }),
  exactly({
    linje: Type.Integer({ minimum: 1 }),
    organisasjonsnummer: Type.Union([Type.String(), Type.Null()]),
    oppgitt: Type.Optional(Type.String({ description: 'Det som sto der, når det ikke er et nummer.' })),
    provIgjenEtter: Type.Optional(Type.Integer({ description: 'Sekunder: spør igjen da.' })),
    feil: ProblemSchema,
  }),
  exactly({
    oppsummering: exactly({
      linjer: Type.Integer(),
      foretak: Type.Integer(),
      feil: Type.Integer(),
      ufullstendige: Type.Integer(),
      dubletter: Type.Integer(),
      provIgjenEtter: Type.Union([Type.Integer({ description: 'Sekunder: spør igjen da.' }), Type.Null()]),
    }),
  }),
])

/** Many companies in one request. What is not at hand is waited for behind those who ask for one (P93). */
export function oppslagRoute(
  app: FastifyInstance,
  {
    many,
    publicUrl,
  }: { many: Pick<ManyReader, 'read' | 'turn' | 'waiting' | 'erased'>; publicUrl: () => string },
): void {
  const answers = manyAnswers(app, { publicUrl, erased: many.erased })
  const receive = createReceiving(bounds.received, crowded)
  const places = createPlaces(bounds.requests, crowded)
  app.post(
    '/api/bedrift/oppslag',
    {
      bodyLimit: bounds.bodyBytesMax,
      config: { takesList: true },
      // Before its list is read.
      preParsing: async (request, reply, payload) => {
        const of = ofWhom(request)
        const received = await receive(reply, payload, { of, bytesMax: bounds.bodyBytesMax })
        await places.take(reply, of)
        received.giveBack()
        return received.payload
      },
      schema: {
        operationId: 'slaaOppMange',
        tags: ['bedrift'],
        summary: `Inntil ${bounds.numbersMax} foretak / up to ${bounds.numbersMax} companies`,
        description:
          'Svarer med NDJSON: en linje per nummer, i rekkefølgen de sto, og til sist en oppsummering; mangler den, er svaret avbrutt. ' +
          'Med Accept text/csv eller xlsx: faste kolonner.',
        querystring: Type.Object({ felt: Type.Optional(Felt) }, { additionalProperties: false }),
        body: numbersBody(bounds),
        response: {
          200: {
            description: 'Ett svar per nummer.',
            headers: { ...keyHeaders, 'x-ko': waitHeaders['x-ko'] },
            content: {
              'application/x-ndjson': { schema: Linje },
              'text/csv': { schema: Type.String() },
              [WORKBOOK_TYPE]: { schema: Type.String({ format: 'binary' }) },
            },
          },
          ...problemResponses(400, 401, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const fields = readFieldsAlone(request.query)
      const { asked, doubles } = await readNumbers(
        String(request.body ?? ''),
        typeOf(request),
        bounds.numbersMax,
      )
      reply.header('x-ko', many.waiting())
      const caller = ofWhom(request)
      return answers.send(
        (wanted) => linesOf(asked, many, { ...wanted, caller }),
        { form: manyFormOf(request.headers.accept), fields, doubles, isLong: false },
        request,
        reply,
      )
    },
  )
}

export function typeOf(request: FastifyRequest): 'json' | 'text' | 'csv' {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('text/csv')) return 'csv'
  return type.startsWith('text/plain') ? 'text' : 'json'
}
