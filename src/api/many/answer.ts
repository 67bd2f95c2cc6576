import { pipeline } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { policy } from '#config/policy.ts'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'
import { type Encoding, packed, packingStream } from '#src/core/packed.ts'
import type { Field } from '#src/record/fields.ts'
import type { ManyReader } from '#src/record/many.ts'
import { companyNumbersIn } from '#src/record/person-ids.ts'
import { languageOf, preferredEncoding, preferredType } from '../../http/negotiation.ts'
import { createPlaces } from '../../http/places.ts'
import { Problem, problemBody } from '../../http/problem.ts'
import { ComposedResponse } from '../../http/server/composed-response.ts'
import { csvHead, csvOf, csvRows } from '../../http/sheets/csv.ts'
import type { Cell, Sheet } from '../../http/sheets/sheet.ts'
import { WORKBOOK_TYPE, workbookOf } from '../../http/sheets/workbook.ts'
import { whenOver } from '../../http/when-over.ts'
import { stillLetIn } from '../bearer.ts'
import { ofWhom } from '../of-whom.ts'
import { crowded } from '../routes/bedrift.ts'
import { inChunks, inOnePiece, streamOf, streamOfChunks } from './chunks.ts'
import { asNdjson, asTableLine, createSummary, type Line } from './lines.ts'
import { companyFields, companyTable, holderTable, roleTable, type Table, workbookFields } from './table.ts'

const bounds = policy.many

/** The companies that are asked for: these fields of each, until nobody waits any more, so many bytes of what is at hand together. */
type LinesOf = (wanted: {
  fields: readonly Field[] | null
  signal: AbortSignal
  bytesTogether: number
}) => AsyncGenerator<Line[]>
type Form = 'ndjson' | 'csv' | 'xlsx'

/** A sheet while it is filled, line by line. */
type FilledSheet = Sheet & { rows: Cell[][] }

/** Many companies, in the form the client likes best. */
export function manyAnswers(
  app: FastifyInstance,
  { publicUrl, erased }: { publicUrl: () => string; erased: ManyReader['erased'] },
) {
  /** What is under way is cut off when the process closes: the line that would have ended it is not there. */
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort(ENDS))
  const tables = createPlaces(bounds.tables, crowded)

  function sendLines(
    lines: LinesOf,
    { fields, doubles }: { fields: readonly Field[] | null; doubles: number },
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    const about = {
      language: languageOf(request.headers['accept-language']),
      publicUrl: publicUrl(),
      foresporselId: request.id,
    }
    reply.header('content-language', about.language)
    const { gone, signal } = leftBy(reply)
    const isAsHeld = about.language === 'nb' && encodingFor(request) === null
    const bytesTogether = isAsHeld ? bounds.chunkBytes : bounds.madeBytes
    async function* written(): AsyncGenerator<Buffer[]> {
      const { sum, add } = createSummary(doubles)
      try {
        for await (const some of lines({ fields, signal, bytesTogether })) {
          for (const line of some) add(line)
          yield asNdjson(some, about.language, (problem) => problemBody(problem, about))
        }
      } catch (error) {
        if (gone.aborted || closing.signal.aborted || error instanceof Problem) return
        // The head is sent: what is not there can only be told by its absence.
        request.log.error({ err: error }, 'fault in the middle of many companies')
        return
      }
      yield [Buffer.from(`${JSON.stringify({ oppsummering: sum })}\n`)]
    }
    return sendPieces(written(), request, reply.type('application/x-ndjson; charset=utf-8'))
  }

  /** A long table is sent as it is made; one that ends early breaks the connection, since no line of it could say so. */
  function streamCsv(lines: LinesOf, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { signal } = leftBy(reply)
    async function* written(): AsyncGenerator<Buffer[]> {
      yield [csvHead(companyTable.columns)]
      for await (const some of lines({ fields: companyFields, signal, ...TABLE }))
        yield some.map((line) => csvRows(companyTable.rowsOf(asTableLine(line))))
    }
    return sendPieces(written(), request, asCsv(reply))
  }

  async function sendCsv(lines: LinesOf, request: FastifyRequest, reply: FastifyReply) {
    await tables.take(reply, ofWhom(request))
    const encoding = encodingFor(request)
    const form = await whole(async (named) => {
      const [sheet] = await filled([companyTable], lines, companyFields, { reply, named })
      const table = csvOf(sheet ?? EMPTY)
      const form = encoding === null ? null : await packed(table, encoding)
      await stillLetIn(request)
      return form ?? { plain: table }
    })
    asCsv(reply)
    return 'plain' in form ? reply.send(form.plain) : reply.header('content-encoding', encoding).send(form)
  }

  async function sendWorkbook(lines: LinesOf, request: FastifyRequest, reply: FastifyReply) {
    const of = ofWhom(request)
    await tables.take(reply, of)
    const workbook = await whole(async (named) => {
      const sheets = await filled([companyTable, roleTable, holderTable], lines, workbookFields, {
        reply,
        named,
      })
      const workbook = await workbookOf(sheets, of, crowded)
      // It is written in a turn, which may be long after the last company was found.
      await stillLetIn(request)
      return workbook
    })
    reply.header('content-disposition', 'attachment; filename="foretak.xlsx"')
    return reply.type(WORKBOOK_TYPE).send(workbook)
  }

  /** It is sent when it is whole, which may be minutes after its first company was found: who was removed since is not told of (P11). */
  async function whole<Made>(make: (named: Set<string>) => Promise<Made>): Promise<Made> {
    const made = await madeAsOfNow(erased, make)
    if (made === null) throw crowded()
    return made
  }

  async function filled(
    tables: readonly Table[],
    lines: LinesOf,
    fields: readonly Field[],
    { reply, named }: { reply: FastifyReply; named: Set<string> },
  ): Promise<FilledSheet[]> {
    const sheets = tables.map(({ name, columns }): FilledSheet => ({ name, columns, rows: [] }))
    const { gone, signal } = leftBy(reply)
    try {
      for await (const some of lines({ fields, signal, ...TABLE })) {
        for (const line of some) {
          const told = asTableLine(line)
          for (const orgnr of companyNumbersIn(told.company)) named.add(orgnr)
          for (const [index, { rowsOf }] of tables.entries()) sheets[index]?.rows.push(...rowsOf(told))
        }
      }
      return sheets
    } catch (error) {
      // Nobody is there to hear it, or the process ends and another answers.
      throw gone.aborted || closing.signal.aborted ? crowded() : error
    }
  }

  /** Aborted when nobody waits for the answer any more, or the process ends. */
  function leftBy(reply: FastifyReply): { gone: AbortSignal; signal: AbortSignal } {
    const gone = new AbortController()
    whenOver(reply, () => gone.abort(LEFT))
    return { gone: gone.signal, signal: AbortSignal.any([gone.signal, closing.signal]) }
  }

  return {
    /** @param isLong a table is sent as it is made, and not kept until it is whole */
    send(
      linesOf: LinesOf,
      wish: { form: Form; fields: readonly Field[] | null; doubles: number; isLong: boolean },
      request: FastifyRequest,
      reply: FastifyReply,
    ): FastifyReply | Promise<FastifyReply> {
      reply.headers({
        'cache-control': 'private, no-store',
        vary: 'Accept, Accept-Encoding, Accept-Language',
      })
      // Nothing is sent while companies are waited for: that is no client that has fallen silent (P99). What the service asks
      // of itself has no connection.
      request.raw.socket.setTimeout?.(bounds.silenceMs)
      const lines = forWhoMay(linesOf, request)
      if (wish.form === 'ndjson') return sendLines(lines, wish, request, reply)
      if (wish.form === 'xlsx') return sendWorkbook(lines, request, reply)
      return wish.isLong ? streamCsv(lines, request, reply) : sendCsv(lines, request, reply)
    },
  }
}

const EMPTY = { columns: [], rows: [] }
const TABLE = { bytesTogether: bounds.madeBytes }

/** Made once: every list's client leaves in the end, and what such a reason costs is where it was made. */
const LEFT = new DOMException('The client has left', 'AbortError')
const ENDS = new DOMException('The process ends', 'AbortError')

/** Until its key ends: what is found later is nobody's. */
function forWhoMay(lines: LinesOf, request: FastifyRequest): LinesOf {
  return async function* (wanted) {
    for await (const some of lines(wanted)) {
      await stillLetIn(request)
      yield some
    }
  }
}

function asCsv(reply: FastifyReply): FastifyReply {
  reply.header('content-disposition', 'attachment; filename="foretak.csv"')
  return reply.type('text/csv; charset=utf-8; header=present')
}

function sendPieces(
  lines: AsyncGenerator<Buffer[]>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const encoding = encodingFor(request)
  const packing = encoding === null ? null : packingStream(encoding)
  if (packing === null) {
    // What the service asks of itself is answered with another response.
    if (reply.raw instanceof ComposedResponse)
      return reply.send(streamOfChunks(inChunks(lines, bounds.chunkBytes)))
    return reply.send(streamOf(inChunks(lines, bounds.chunkBytes), bounds.chunkBytes))
  }
  // What ends one ends the other; that somebody left is seen above.
  const chunks = inOnePiece(inChunks(lines, bounds.madeBytes))
  pipeline(streamOf(chunks, bounds.madeBytes), packing, () => {})
  return reply.header('content-encoding', encoding).send(packing)
}

function encodingFor(request: FastifyRequest): Encoding | null {
  const wanted = request.headers['accept-encoding']
  return wanted === undefined ? null : preferredEncoding(String(wanted))
}

/** The forms many companies come in, for whoever names none: the first. */
export const manyForms = ['application/x-ndjson', 'text/csv', WORKBOOK_TYPE] as const

/** NDJSON for who names none. */
export function manyFormOf(accept: string | undefined): Form {
  return FORMS[preferredType(accept, manyForms) ?? 'application/x-ndjson']
}

const FORMS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv', [WORKBOOK_TYPE]: 'xlsx' } as const
