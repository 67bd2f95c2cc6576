import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { cloudEventOf, Endring, endringOf, Skyhendelse } from '#src/changes/change.ts'
import type { ChangeLog, LogReading } from '#src/changes/change-log.ts'
import { cursorAfter, writeLogCursor } from '#src/changes/log-cursor.ts'
import type { Watcher } from '#src/changes/waiting.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { exactly, orNull } from '#src/record/shape.ts'
import { toldInTurns } from '../../http/loop-turn.ts'
import { preferredType } from '../../http/negotiation.ts'
import { createPlaces } from '../../http/places.ts'
import { Problem } from '../../http/problem.ts'
import { whenOver } from '../../http/when-over.ts'
import { nextPage } from '../answer-craft.ts'
import { readerKey, stillLetIn } from '../bearer.ts'
import { ofWhom } from '../of-whom.ts'
import { readChangesQuestion, readCompanyChanges } from '../query.ts'
import { keyHeaders, OrgnrParameter, pageHeaders, problemResponses } from '../schemas.ts'
import { JSON_TYPE } from '../tagged.ts'
import { type CompanyAnswerer, crowded, problemOf, waitHeaders } from './bedrift.ts'

const bounds = policy.changeLog
const BATCH = 'application/cloudevents-batch+json'
const NDJSON = 'application/x-ndjson'
const forms = ['application/json', NDJSON, BATCH] as const

export const Endringsside = exactly({
  endringer: Type.Array(Endring),
  neste: Type.String({ description: 'Verdien av etter neste gang, også når det ikke var noen endringer.' }),
  flere: Type.Boolean({ description: 'Om det står mer i loggen alt nå; en side kan være tom likevel.' }),
})

export const Endringslinje = Type.Union([
  Endring,
  exactly({
    oppsummering: exactly({
      endringer: Type.Integer({ minimum: 0 }),
      neste: Endringsside.properties.neste,
      flere: Endringsside.properties.flere,
    }),
  }),
])

export const Foretaksendringer = exactly({
  endringer: Type.Array(Endring),
  neste: orNull(Type.String({ description: 'Verdien av etter for neste side; null på den siste.' })),
})

const Size = Type.Integer({ minimum: 1, maximum: bounds.sizeMax, default: bounds.sizeStandard })
const followed = { ...keyHeaders, link: pageHeaders.link }

/** What changed: in all that a key watches, waited for if one likes, and in any one company. */
export function endringerRoute(
  app: FastifyInstance,
  {
    changes: { log, giveUp, watcherOf },
    reader,
    isTest,
    publicUrl,
  }: {
    changes: {
      log: ChangeLog
      /** Nobody waits any more: the process ends. */
      giveUp: () => void
      watcherOf: (key: ValidKey) => Promise<Watcher>
    }
    reader: Pick<CompanyAnswerer, 'readPart'>
    isTest: boolean
    publicUrl: () => string
  },
): void {
  const source = () => `${publicUrl()}/api/endringer`
  const places = createPlaces(bounds.pagesTold, crowded)
  app.addHook('preClose', async () => giveUp())

  app.get(
    '/api/endringer',
    {
      config: { offers: forms },
      schema: {
        operationId: 'hentEndringer',
        tags: ['endringer'],
        summary:
          'Det som er endret i foretakene nøkkelen overvåker / what changed in the companies a key watches',
        description:
          'Eldst først, fra etter og framover; uten etter fra det eldste som er tatt vare på. Med vent svares det straks noe endres, ellers når ' +
          'tiden er ute. neste er en plass i loggen: den tåler omstart, hopper ikke over noe og gjentar ikke noe. Med format=cloudevents, eller ' +
          `Accept ${BATCH}, kommer hver endring som en CloudEvents-hendelse.`,
        querystring: Type.Object(
          {
            etter: Type.Optional(
              Type.String({ maxLength: 20, description: 'neste fra forrige svar, eller en endrings peker.' }),
            ),
            orgnr: Type.Optional(Type.String({ maxLength: 40, description: 'Bare dette foretaket.' })),
            type: Type.Optional(
              Type.String({
                maxLength: 2000,
                description: 'Bare disse typene, hele eller bare begynnelsen, med komma mellom.',
                examples: ['foretak.konkurs,roller'],
              }),
            ),
            vent: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: bounds.waitSecondsMax,
                default: 0,
                description: 'Sekunder det ventes på at noe endres.',
              }),
            ),
            format: Type.Optional(Type.Enum(['json', 'cloudevents'], { description: 'Går foran Accept.' })),
            size: Type.Optional(Size),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Endringene, og der det fortsetter.',
            headers: { ...followed, 'retry-after': waitHeaders['retry-after'] },
            content: {
              'application/json': { schema: Endringsside },
              [NDJSON]: { schema: Endringslinje },
              [BATCH]: { schema: Type.Array(Skyhendelse) },
            },
          },
          ...problemResponses(400, 401, 406, 409, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { waitMs, asEvents, ...question } = readChangesQuestion(request.query)
      const watcher = await watcherOf(readerKey(request))
      const room = () => places.take(reply, ofWhom(request))
      const reading = await waited(request, reply, waitMs, (wait) =>
        // All keys of a chain are one: it is no matter with which of them one waits.
        log.read(watcher, question, {
          ...wait,
          room,
          of: watcher.prove ? ofWhom(request) : (watcher.eier ?? ''),
        }),
      )
      if (waitMs > 0) await stillLetIn(request)
      if (reading.outcome === 'stale') throw stale()
      if (reading.outcome === 'full') throw tooManyWait()
      if (reading.isEarly) reply.header('retry-after', String(bounds.askAgainSeconds))
      return send(
        reading,
        { form: feedFormOf(request, asEvents), asEvents, source: source(), tellable: log.tellable },
        request,
        reply,
      )
    },
  )

  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr/endringer',
    {
      schema: {
        operationId: 'hentForetaksendringer',
        tags: ['endringer'],
        summary:
          'Det tjenesten har sett endre seg i ett foretak / what the service has seen change in one company',
        description:
          'Nyest først, for et hvilket som helst foretak. Det tjenesten ikke har sett på, står ikke her: overvåk det, så blir det sett på.',
        params: Type.Object({ orgnr: OrgnrParameter }),
        querystring: Type.Object(
          {
            etter: Type.Optional(Type.String({ maxLength: 20, description: 'neste fra forrige side.' })),
            size: Type.Optional(Size),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'En side.',
            headers: followed,
            content: { 'application/json': { schema: Foretaksendringer } },
          },
          ...problemResponses(400, 401, 404, 406, 410, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { before, size } = readCompanyChanges(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const reading = await reader.readPart(orgnr, ['navn'], {
        fersk: false,
        caller: ofWhom(request),
      })
      if (reading.outcome === 'unknown' || reading.outcome === 'removed') throw problemOf(reading)
      await places.take(reply, ofWhom(request))
      const found = await log.ofCompany(orgnr, { prove: isTest, before: before?.nr ?? null, size })
      // That it is a company can not be said now; what was seen of one says it.
      if (reading.outcome !== 'record' && found.changes.length === 0) throw problemOf(reading)
      const neste = found.last === null ? null : writeLogCursor(cursorAfter(found.last))
      nextPage(reply, request.url, neste)
      reply.header('cache-control', 'private, no-store')
      const texts = await toldInTurns(reply, found.changes, log.tellable, (change) =>
        JSON.stringify(endringOf({ ...change, navn: null })),
      )
      return reply.type(JSON_TYPE).send(`{"endringer":[${texts}],"neste":${JSON.stringify(neste)}}`)
    },
  )
}

/** Waits no longer than the client does; what it waited is no time of the service. */
async function waited(
  request: FastifyRequest,
  reply: FastifyReply,
  waitMs: number,
  read: (wait: { ms: number; signal: AbortSignal }) => Promise<LogReading>,
): Promise<LogReading> {
  const gone = new AbortController()
  whenOver(reply, () => gone.abort())
  const ms = request.method === 'HEAD' ? 0 : waitMs
  // Nothing is sent meanwhile: that is no client that has fallen silent (P99). What the service asks of itself has no connection.
  if (ms > 0) request.raw.socket.setTimeout?.(ms + SILENCE_MS)
  const begun = performance.now()
  try {
    return await read({ ms, signal: gone.signal })
  } finally {
    if (ms > 0) request.waitedMs = performance.now() - begun
  }
}

const SILENCE_MS = 20_000

async function send(
  { changes, cursor, hasMore }: Extract<LogReading, { outcome: 'page' }>,
  {
    form,
    asEvents,
    source,
    tellable,
  }: { form: (typeof forms)[number]; asEvents: boolean; source: string; tellable: ChangeLog['tellable'] },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const neste = writeLogCursor(cursor)
  nextPage(reply, request.url, neste)
  reply.headers({ 'cache-control': 'private, no-store', vary: 'Accept' }).type(`${form}; charset=utf-8`)
  const isOfEvents = asEvents || form === BATCH
  const texts = await toldInTurns(reply, changes, tellable, (change) => {
    const endring = endringOf(change)
    return JSON.stringify(isOfEvents ? cloudEventOf(endring, source) : endring)
  })
  if (form === BATCH) return reply.send(`[${texts}]`)
  if (form === 'application/json')
    return reply.send(`{"endringer":[${texts}],${JSON.stringify({ neste, flere: hasMore }).slice(1)}`)
  // The last line says that the others are all there.
  const last = { oppsummering: { endringer: texts.length, neste, flere: hasMore } }
  return reply.send([...texts, JSON.stringify(last)].map((line) => `${line}\n`).join(''))
}

/** Events come in a batch unless lines are asked for. */
function feedFormOf({ headers }: FastifyRequest, asEvents: boolean): (typeof forms)[number] {
  const form = preferredType(headers.accept, forms) ?? 'application/json'
  return asEvents && form === 'application/json' ? BATCH : form
}

function stale(): Problem {
  return new Problem('foreldet_peker', {
    detail: {
      nb: 'Det som kom etter pekeren, er ikke lenger tatt vare på, eller den er fra en annen utgave av loggen. Les de overvåkede foretakene på nytt, og begynn uten etter.',
      en: 'What came after the cursor is no longer kept, or it is of another edition of the log. Read the watched companies anew, and begin without etter.',
    },
    extra: { parameter: 'etter' },
  })
}

function tooManyWait(): Problem {
  return new Problem('for_mange_ventende', { headers: { 'retry-after': String(bounds.askAgainSeconds) } })
}
