import { pipeline, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { type Encoding, packed, packingStream } from '#src/core/packed.ts'
import type { Field } from '#src/record/fields.ts'
import type { ManyReader } from '#src/record/many.ts'
import { Bedrift } from '#src/record/record.ts'
import { exactly } from '#src/record/shape.ts'
import { languageOf, preferredEncoding, preferredType } from '../../http/negotiation.ts'
import { problemBody } from '../../http/problems.ts'
import { csvOf } from '../../http/sheets/csv.ts'
import type { Cell, Sheet } from '../../http/sheets/sheet.ts'
import { WORKBOOK_TYPE, workbookOf } from '../../http/sheets/workbook.ts'
import { readerKey } from '../bearer.ts'
import { inChunks } from '../many/chunks.ts'
import { asNdjson, asTableLine, createSummary, linesOf } from '../many/lines.ts'
import { type Asked, readNumbers } from '../many/numbers.ts'
import {
  companyFields,
  companyTable,
  holderTable,
  roleTable,
  type Table,
  workbookFields,
} from '../many/table.ts'
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

/** A sheet while it is filled, line by line. */
type FilledSheet = Sheet & { rows: Cell[][] }

/** Many companies in one request. What is not at hand is waited for behind those who ask for one (P93). */
export function oppslagRoute(
  app: FastifyInstance,
  { many, publicUrl }: { many: Pick<ManyReader, 'read' | 'waiting'>; publicUrl: () => string },
): void {
  /** What is under way is cut off when the process closes: the line that would have ended it is not there. */
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort(new DOMException('The process ends', 'AbortError')))
  let workbooks = 0

  app.addContentTypeParser(
    ['text/plain', 'text/csv'],
    { parseAs: 'string', bodyLimit: bounds.bodyBytesMax },
    (_request, body, done) => done(null, body),
  )
  app.post(
    '/api/bedrift/oppslag',
    {
      bodyLimit: bounds.bodyBytesMax,
      schema: {
        operationId: 'slaaOppMange',
        tags: ['bedrift'],
        summary: `Inntil ${bounds.numbersMax} foretak / up to ${bounds.numbersMax} companies`,
        description:
          'Svarer med NDJSON: en linje per nummer, i rekkefølgen de sto, og til sist en oppsummering; mangler den, er svaret avbrutt. ' +
          'Med Accept text/csv eller xlsx: faste kolonner.',
        security: [{ nokkel: [] }],
        querystring: Type.Object({ felt: Type.Optional(Felt) }, { additionalProperties: false }),
        body: {
          content: {
            'application/json': {
              schema: Type.Array(Type.String(), { minItems: 1, maxItems: bounds.numbersMax }),
            },
            'text/plain': { schema: Type.String({ description: 'Ett nummer på hver linje.' }) },
            'text/csv': {
              schema: Type.String({ description: 'Kolonnen organisasjonsnummer, ellers den første.' }),
            },
          },
        },
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
          ...problemResponses(400, 401, 413, 415, 429, 503),
        },
      },
    },
    async (request, reply) => {
      const fields = readFieldsAlone(request.query)
      const { asked, doubles } = readNumbers(request.body, typeOf(request), bounds.numbersMax)
      reply.headers({
        'x-ko': many.waiting(),
        'cache-control': 'private, no-store',
        vary: 'Accept, Accept-Encoding',
      })
      const form = FORMS[preferredType(request.headers.accept, FORM_TYPES) ?? 'application/x-ndjson']
      if (form === 'ndjson') return sendLines(asked, { fields, doubles }, request, reply)
      return form === 'csv' ? sendCsv(asked, request, reply) : sendWorkbook(asked, request, reply)
    },
  )

  function read(
    asked: readonly Asked[],
    fields: readonly Field[] | null,
    request: FastifyRequest,
    gone: AbortSignal,
  ) {
    const orgnrs = asked.flatMap(({ orgnr }) => orgnr ?? [])
    const signal = AbortSignal.any([gone, closing.signal])
    return linesOf(asked, many.read(orgnrs, { fields, caller: readerKey(request).id, signal }))
  }

  function sendLines(
    asked: readonly Asked[],
    { fields, doubles }: { fields: readonly Field[] | null; doubles: number },
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    const about = {
      language: languageOf(request.headers['accept-language']),
      publicUrl: publicUrl(),
      foresporselId: request.id,
    }
    const gone = leftBy(reply)
    async function* written(): AsyncGenerator<Buffer> {
      const { sum, add } = createSummary(doubles)
      try {
        for await (const line of read(asked, fields, request, gone)) {
          add(line)
          yield asNdjson(line, (problem) => problemBody(problem, about))
        }
      } catch (error) {
        if (gone.aborted || closing.signal.aborted) return
        // The head is sent: what is not there can only be told by its absence.
        request.log.error({ err: error }, 'fault in the middle of many companies')
        return
      }
      yield Buffer.from(`${JSON.stringify({ oppsummering: sum })}\n`)
    }
    const chunks = Readable.from(inChunks(written(), bounds.chunkBytes), {
      objectMode: false,
      highWaterMark: bounds.chunkBytes,
    })
    reply.type('application/x-ndjson; charset=utf-8')
    const encoding = encodingFor(request)
    const packing = encoding === null ? null : packingStream(encoding)
    if (packing === null) return reply.send(chunks)
    // What ends one ends the other; that somebody left is seen above.
    pipeline(chunks, packing, () => {})
    return reply.header('content-encoding', encoding).send(packing)
  }

  async function sendCsv(asked: readonly Asked[], request: FastifyRequest, reply: FastifyReply) {
    const [sheet] = await filled([companyTable], asked, companyFields, request, reply)
    reply.header('content-disposition', 'attachment; filename="foretak.csv"')
    reply.type('text/csv; charset=utf-8; header=present')
    const table = csvOf(sheet ?? EMPTY)
    const encoding = encodingFor(request)
    const form = encoding === null ? null : await packed(table, encoding)
    return form === null ? reply.send(table) : reply.header('content-encoding', encoding).send(form)
  }

  async function sendWorkbook(asked: readonly Asked[], request: FastifyRequest, reply: FastifyReply) {
    if (workbooks >= bounds.workbooksAtOnce) {
      throw crowded()
    }
    workbooks += 1
    try {
      const tables = [companyTable, roleTable, holderTable]
      const workbook = await workbookOf(await filled(tables, asked, workbookFields, request, reply))
      reply.header('content-disposition', 'attachment; filename="foretak.xlsx"')
      return reply.type(WORKBOOK_TYPE).send(workbook)
    } finally {
      workbooks -= 1
    }
  }

  async function filled(
    tables: readonly Table[],
    asked: readonly Asked[],
    fields: readonly Field[],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FilledSheet[]> {
    const sheets = tables.map(({ name, columns }): FilledSheet => ({ name, columns, rows: [] }))
    const gone = leftBy(reply)
    try {
      for await (const line of read(asked, fields, request, gone)) {
        const told = asTableLine(line)
        for (const [index, { rowsOf }] of tables.entries()) sheets[index]?.rows.push(...rowsOf(told))
      }
      return sheets
    } catch (error) {
      // Nobody is there to hear it, or the process ends and another answers.
      throw gone.aborted || closing.signal.aborted ? crowded() : error
    }
  }
}

const EMPTY = { columns: [], rows: [] }

/** Aborted when nobody waits for the answer any more. */
function leftBy(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(new DOMException('The client has left', 'AbortError')))
  return gone.signal
}

function encodingFor(request: FastifyRequest): Encoding | null {
  const wanted = request.headers['accept-encoding']
  return wanted === undefined ? null : preferredEncoding(String(wanted))
}

function typeOf(request: FastifyRequest): 'json' | 'text' | 'csv' {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('text/csv')) return 'csv'
  return type.startsWith('text/plain') ? 'text' : 'json'
}

/** NDJSON for who names none. */
const FORMS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv', [WORKBOOK_TYPE]: 'xlsx' } as const
const FORM_TYPES = ['application/x-ndjson', 'text/csv', WORKBOOK_TYPE] as const
