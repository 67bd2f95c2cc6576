import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { InputError } from '#src/core/errors.ts'
import { type Batches, batchFields } from '#src/record/batches.ts'
import type { ManyReader } from '#src/record/many.ts'
import { EXAMPLE_BATCH, EXAMPLE_NAME } from '#src/samples/questions.ts'
import { type Batch, PART_LINES } from '#src/storage/batches.ts'
import { createPlaces } from '../../http/places.ts'
import { Problem } from '../../http/problem.ts'
import { createReceiving } from '../../http/received.ts'
import { WORKBOOK_TYPE } from '../../http/sheets/workbook.ts'
import { readerKey } from '../bearer.ts'
import { manyAnswers, manyFormOf, manyForms } from '../many/answer.ts'
import { addressOf, Bestilling, bestillingOf, LISTS } from '../many/batch.ts'
import { type Line, linesOf } from '../many/lines.ts'
import { askedAgain, numbersBody, readNumbers } from '../many/numbers.ts'
import { ofWhom } from '../of-whom.ts'
import { readFieldsAlone, readFromLine, readNothing } from '../query.ts'
import { keyHeaders, problemResponses } from '../schemas.ts'
import { crowded, Felt, waitHeaders } from './bedrift.ts'
import { Linje, typeOf } from './oppslag.ts'

const bounds = policy.batches

const IdParameter = Type.String({
  pattern: '^[0-9a-f]{32}$',
  maxLength: 32,
  description: 'Bestillingens id.',
  examples: [EXAMPLE_BATCH.id],
})
const retryAfter = waitHeaders['retry-after']

/** Lists that are too long to wait for: handed in, gone through behind the front, and taken home when they are done (P109). */
export function bestillingerRoute(
  app: FastifyInstance,
  {
    batches,
    many,
    isTest,
    publicUrl,
  }: {
    batches: Batches
    many: Pick<ManyReader, 'read' | 'turn' | 'erased'>
    /** Everybody has the key. */
    isTest: boolean
    publicUrl: () => string
  },
): void {
  const answers = manyAnswers(app, { publicUrl, erased: many.erased })
  const receive = createReceiving(bounds.received, crowded)
  const places = createPlaces(bounds.stored, crowded)
  const { numbersMax, bodyBytesMax } = isTest ? bounds.test : bounds

  app.post(
    '/api/bedrift/bestillinger',
    {
      bodyLimit: bounds.bodyBytesMax,
      config: { takesList: true },
      // Before its list is read: what is made of it is held until it is stored.
      preParsing: async (request, reply, payload) => {
        const of = ofWhom(request)
        const received = await receive(reply, payload, { of, bytesMax: bodyBytesMax })
        await places.take(reply, of)
        received.giveBack()
        return received.payload
      },
      schema: {
        operationId: 'bestillMange',
        tags: ['bedrift'],
        summary: `Inntil ${bounds.numbersMax.toLocaleString('nb')} foretak / up to 100,000 companies`,
        description:
          'Tar imot listen og svarer med én gang; den gås gjennom bak alle enkeltoppslag. Samme Idempotency-Key med samme liste er samme ' +
          `bestilling. En nøkkel har høyst ${bounds.keptOfKey} bestillinger om gangen, og hver slettes etter sju dager eller med DELETE.`,
        querystring: Type.Object({ felt: Type.Optional(Felt) }, { additionalProperties: false }),
        headers: Type.Object({
          'idempotency-key': Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'Bestillingens navn hos deg: send det samme igjen når du ikke vet om den kom fram.',
            examples: [EXAMPLE_NAME],
          }),
        }),
        body: numbersBody(bounds),
        response: {
          202: {
            description: 'Bestillingen er tatt imot.',
            headers: {
              ...keyHeaders,
              location: Type.String({ description: 'Bestillingens adresse.' }),
              'retry-after': retryAfter,
            },
            content: { 'application/json': { schema: Bestilling } },
          },
          ...problemResponses(400, 401, 409, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const fields = readFieldsAlone(request.query)
      const name = idempotencyKey(request)
      const { asked, doubles } = await readNumbers(String(request.body ?? ''), typeOf(request), numbersMax)
      const { id: nokkel, right } = readerKey(request)
      const placed = await batches.place(
        { nokkel, right, prove: isTest, name, fields, dubletter: doubles, lines: asked },
        { ofKey: isTest ? bounds.test.keptOfKey : bounds.keptOfKey, inAll: bounds.keptInAll },
      )
      if (placed === 'other') throw new Problem('brukt_idempotensnokkel')
      if ('full' in placed) throw placed.full === 'key' ? tooMany() : crowded()
      const { batch } = placed
      reply.code(202).header('location', addressOf(batch))
      if (batch.ferdig === null) reply.header('retry-after', bounds.askAgainSeconds)
      return bestillingOf(batch)
    },
  )

  app.get<{ Params: { id: string } }>(
    `${LISTS}/:id`,
    {
      schema: {
        operationId: 'hentBestilling',
        tags: ['bedrift'],
        summary: 'Hvor langt en bestilling er kommet / how far a list has come',
        params: Type.Object({ id: IdParameter }),
        querystring: Type.Object({}, { additionalProperties: false }),
        response: {
          200: {
            description: 'Bestillingen slik den står nå.',
            headers: { ...keyHeaders, 'retry-after': retryAfter },
            content: { 'application/json': { schema: Bestilling } },
          },
          ...problemResponses(400, 401, 404, 406, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      readNothing(request.query)
      const batch = await found(request)
      reply.header('cache-control', 'private, no-store')
      if (batch.ferdig === null) reply.header('retry-after', bounds.askAgainSeconds)
      return bestillingOf(batch)
    },
  )

  app.delete<{ Params: { id: string } }>(
    `${LISTS}/:id`,
    {
      schema: {
        operationId: 'avbrytBestilling',
        tags: ['bedrift'],
        summary: 'Ta en bestilling tilbake / take a list back',
        description: 'Listen slettes, og arbeidet med den slutter, også når den er ferdig.',
        params: Type.Object({ id: IdParameter }),
        response: {
          204: { description: 'Borte.', headers: keyHeaders },
          ...problemResponses(400, 401, 404, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      if (!(await batches.cancel(readerKey(request).id, request.params.id))) throw unknown()
      return reply.code(204).send()
    },
  )

  app.get<{ Params: { id: string } }>(
    `${LISTS}/:id/resultat`,
    {
      config: { offers: [...manyForms, 'application/json'] },
      schema: {
        operationId: 'hentResultat',
        tags: ['bedrift'],
        summary: 'Det en bestilling ga / what a list gave',
        description:
          'Som slaaOppMange, skrevet mens det hentes: det som er endret siden, er som det er nå. Med Accept text/csv kommer tabellen ' +
          `stykkevis, og en som er avbrutt, bryter forbindelsen. Regneark for inntil ${bounds.workbookLinesMax} linjer.`,
        params: Type.Object({ id: IdParameter }),
        querystring: Type.Object(
          {
            fra: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: bounds.numbersMax,
                description: 'Linjen det begynnes på, når det som kom før, er hentet.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Ett svar per nummer.',
            headers: keyHeaders,
            content: {
              'application/x-ndjson': { schema: Linje },
              'text/csv': { schema: Type.String() },
              [WORKBOOK_TYPE]: { schema: Type.String({ format: 'binary' }) },
            },
          },
          ...problemResponses(400, 401, 404, 406, 409, 413, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { fra } = readFromLine(request.query)
      const batch = await found(request)
      if (batch.ferdig === null) {
        throw new Problem('bestilling_ikke_ferdig', {
          headers: { 'retry-after': String(bounds.askAgainSeconds) },
          extra: { behandlet: batch.done, linjer: batch.linjer },
        })
      }
      const form = manyFormOf(request.headers.accept)
      if (form === 'xlsx' && batch.linjer - fra >= bounds.workbookLinesMax) throw tooLongForWorkbook()
      const caller = ofWhom(request)
      return answers.send(
        (wanted) => linesFrom(batch, { ...wanted, caller, fra }),
        { form, fields: batchFields(batch), doubles: batch.dubletter, isLong: true },
        request,
        reply,
      )
    },
  )

  // Whoever looks for a list beneath the address it was handed in at is led to the one it has.
  const HANDED_IN = '/api/bedrift/bestillinger'
  const lead = async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(LISTS + request.url.slice(HANDED_IN.length), 308)
  app.get(`${HANDED_IN}/:id`, { schema: { hide: true } }, lead)
  app.delete(`${HANDED_IN}/:id`, { schema: { hide: true } }, lead)
  app.get(`${HANDED_IN}/:id/resultat`, { schema: { hide: true } }, lead)

  /** Part by part: what is not sent yet is not read. */
  async function* linesFrom(
    batch: Batch,
    { fra, ...wish }: { fra: number } & Parameters<ManyReader['read']>[1],
  ): AsyncGenerator<Line[]> {
    const from = fra - 1
    let first = from - (from % PART_LINES)
    const wrongs = new Map<string, InputError>()
    for await (const part of batches.lines(batch, { part: first / PART_LINES })) {
      const skipped = Math.max(0, from - first)
      const asked = part.slice(skipped).map((line) => askedAgain(line, wrongs))
      yield* linesOf(asked, many, wish, first + skipped + 1)
      first += part.length
    }
  }

  async function found(request: FastifyRequest<{ Params: { id: string } }>): Promise<Batch> {
    const batch = await batches.find(readerKey(request).id, request.params.id)
    if (batch === null) throw unknown()
    return batch
  }
}

function idempotencyKey(request: FastifyRequest): string {
  const given = request.headers['idempotency-key']
  if (typeof given !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(given)) {
    throw new InputError('ugyldig_parameter', 'Idempotency-Key', {
      norsk: 'Headeren Idempotency-Key er bestillingens navn hos deg: 1 til 200 tegn, uten mellomrom.',
      english: 'The header Idempotency-Key is what you call the list: 1 to 200 characters, without spaces.',
    })
  }
  return given
}

function unknown(): Problem {
  return new Problem('ukjent_bestilling')
}

function tooMany(): Problem {
  return new Problem('for_mange_bestillinger', { headers: { 'retry-after': '3600' } })
}

function tooLongForWorkbook(): Problem {
  return new Problem('for_stor', {
    detail: {
      nb: `Et regneark har høyst ${bounds.workbookLinesMax} linjer. Be om text/csv, som Excel åpner, eller application/x-ndjson.`,
      en: `A workbook has at most ${bounds.workbookLinesMax} lines. Ask for text/csv, which Excel opens, or application/x-ndjson.`,
    },
  })
}
