import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import type { Watcher } from '#src/changes/waiting.ts'
import type { Watched, Watches } from '#src/changes/watches.ts'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { ManyReader } from '#src/record/many.ts'
import { toldInTurns } from '../../http/loop-turn.ts'
import { languageOf } from '../../http/negotiation.ts'
import { createPlaces } from '../../http/places.ts'
import { Problem } from '../../http/problem.ts'
import { createReceiving } from '../../http/received.ts'
import { nextPage } from '../answer-craft.ts'
import { readerKey } from '../bearer.ts'
import { numbersBody, readNumbers } from '../many/numbers.ts'
import { ofWhom } from '../of-whom.ts'
import { readNothing, readWatchMany, readWatchPage } from '../query.ts'
import { keyHeaders, OrgnrParameter, pageHeaders, problemResponses } from '../schemas.ts'
import { JSON_TYPE } from '../tagged.ts'
import { readWatchWish, type WatchWish } from '../watches/read-wish.ts'
import { Overvaking, Overvakinger, Overvakingslinje, Overvakingsonske } from '../watches/shapes.ts'
import { toldWatch } from '../watches/told.ts'
import { toldList } from '../watches/told-list.ts'
import { type CompanyAnswerer, crowded, problemOf } from './bedrift.ts'
import { typeOf } from './oppslag.ts'

const bounds = policy.watches
const AT = '/api/overvaking'
type OfCompany = FastifyRequest<{ Params: { orgnr: string } }>

/** Which companies a key watches: one, or a list at once. The list is the chain's, whichever of its keys asks (P122). */
export function overvakingRoute(
  app: FastifyInstance,
  {
    changes: { watches, watcherOf },
    reader,
    many,
    publicUrl,
  }: {
    changes: { watches: Watches; watcherOf: (key: ValidKey) => Promise<Watcher> }
    reader: Pick<CompanyAnswerer, 'readPart'>
    many: Pick<ManyReader, 'turn'>
    publicUrl: () => string
  },
): void {
  const receive = createReceiving(bounds.received, crowded)
  const places = createPlaces(bounds.listsAtOnce, crowded)
  const pagePlaces = createPlaces(bounds.pagesTold, crowded)
  const watcherIn = (request: FastifyRequest) => watcherOf(readerKey(request))

  app.get(
    AT,
    {
      schema: {
        operationId: 'hentOvervakinger',
        tags: ['endringer'],
        summary: 'Foretakene nøkkelen overvåker / the companies a key watches',
        description: 'Etter nummer, side for side.',
        querystring: Type.Object(
          {
            etter: Type.Optional(Type.String({ maxLength: 40, description: 'neste fra forrige side.' })),
            size: Type.Optional(
              Type.Integer({ minimum: 1, maximum: bounds.sizeMax, default: bounds.sizeStandard }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'En side.',
            headers: { ...keyHeaders, link: pageHeaders.link },
            content: { 'application/json': { schema: Overvakinger } },
          },
          ...problemResponses(400, 401, 406, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { after, size } = readWatchPage(request.query)
      const watcher = await watcherIn(request)
      await pagePlaces.take(reply, ofWhom(request))
      const found = await watches.list(watcher, { after, size })
      const neste = found.hasMore ? (found.watches.at(-1)?.orgnr ?? null) : null
      nextPage(reply, request.url, neste)
      reply.header('cache-control', 'private, no-store')
      const told = await toldInTurns(reply, found.watches, watches.tellable, (watch) =>
        JSON.stringify(toldWatch(watch)),
      )
      return reply
        .type(JSON_TYPE)
        .send(`{"antall":${found.count},"overvakinger":[${told}],"neste":${JSON.stringify(neste)}}`)
    },
  )

  app.get<{ Params: { orgnr: string } }>(
    `${AT}/:orgnr`,
    {
      schema: {
        operationId: 'hentOvervaking',
        tags: ['endringer'],
        summary: 'Hvordan ett foretak overvåkes / how one company is watched',
        params: Type.Object({ orgnr: OrgnrParameter }),
        response: {
          200: {
            description: 'Foretaket overvåkes.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Overvaking } },
          },
          ...problemResponses(400, 401, 404, 406, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      readNothing(request.query)
      const watcher = await watcherIn(request)
      const watch = await watches.find(watcher, parseOrganisasjonsnummer(request.params.orgnr))
      if (watch === null) throw new Problem('ikke_overvaket')
      reply.header('cache-control', 'private, no-store')
      return withSources(watcher, watch)
    },
  )

  app.put<{ Params: { orgnr: string } }>(
    `${AT}/:orgnr`,
    {
      schema: {
        operationId: 'overvakForetak',
        tags: ['endringer'],
        summary: 'Overvåk et foretak / watch a company',
        description:
          'Det som endres fra nå av, kommer i hentEndringer, og på e-post om du vil; for hver kilde fra den først er sett, som svaret sier (kilder). ' +
          'Samme kall igjen endrer ønsket. En nøkkel overvåker inntil ' +
          `${bounds.most.toLocaleString('nb')} foretak, en egen testnøkkel ${bounds.mostOfTestKey}.`,
        params: Type.Object({ orgnr: OrgnrParameter }),
        body: { content: { 'application/json': { schema: Overvakingsonske } } },
        response: {
          200: {
            description: 'Foretaket ble overvåket fra før, og ønsket er endret.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Overvaking } },
          },
          201: {
            description: 'Foretaket overvåkes fra nå av.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Overvaking } },
          },
          ...problemResponses(400, 401, 404, 409, 410, 413, 414, 415, 429, 500, 503),
        },
      },
    },
    async (request: OfCompany, reply) => {
      readNothing(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const wanted = readWatchWish(request.body)
      const watcher = await watcherIn(request)
      await mustHaveAddress(watcher, wanted.epost)
      const caller = ofWhom(request)
      const reading = await reader.readPart(orgnr, ['navn'], { fersk: false, caller })
      if (reading.outcome === 'unknown' || reading.outcome === 'removed') throw problemOf(reading)
      const put = await watches.put(watcher, [{ orgnr, ...wanted }])
      if ('full' in put) throw full(put.full)
      const stored = put.stored.get(orgnr)
      if (!stored) throw new Problem('fjernet')
      const watch = await watches.find(watcher, orgnr)
      // Somebody else with the chain's key has just ended it.
      if (watch === null) throw new Problem('ikke_overvaket')
      return reply.code(stored.isNew ? 201 : 200).send(await withSources(watcher, { ...watch, ...wanted }))
    },
  )

  app.delete<{ Params: { orgnr: string } }>(
    `${AT}/:orgnr`,
    {
      schema: {
        operationId: 'sluttAOvervake',
        tags: ['endringer'],
        summary: 'Slutt å overvåke et foretak / stop watching a company',
        params: Type.Object({ orgnr: OrgnrParameter }),
        response: {
          204: { description: 'Foretaket overvåkes ikke lenger.', headers: keyHeaders },
          ...problemResponses(400, 401, 404, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfCompany, reply) => {
      readNothing(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const ended = await watches.remove(await watcherIn(request), [orgnr])
      if (!ended.has(orgnr)) throw new Problem('ikke_overvaket')
      return reply.code(204).send()
    },
  )

  app.post(
    AT,
    {
      bodyLimit: bounds.bodyBytesMax,
      config: { takesList: true },
      // Before its list is read.
      preParsing: async (request, reply, payload) => {
        const of = ofWhom(request)
        const { bodyBytesMax } = request.isTest ? bounds.test : bounds
        const received = await receive(reply, payload, { of, bytesMax: bodyBytesMax })
        await places.take(reply, of)
        received.giveBack()
        return received.payload
      },
      schema: {
        operationId: 'overvakMange',
        tags: ['endringer'],
        summary: 'Overvåk mange, eller slutt med det / watch many, or stop',
        description:
          'Svarer med NDJSON: en linje per nummer, i rekkefølgen de sto, og til sist en oppsummering; mangler den, er svaret avbrutt. Det som ' +
          'ikke er et nummer, koster ingen andre plassen. Er det ikke plass til alle, endres ingenting.',
        querystring: Type.Object(
          {
            gjor: Type.Optional(
              Type.Enum(['overvak', 'slutt'], { default: 'overvak', description: 'Det som gjøres med dem.' }),
            ),
            typer: Type.Optional(
              Type.String({
                maxLength: 2000,
                description: 'Bare disse typene, hele eller bare begynnelsen, med komma mellom.',
              }),
            ),
            epost: Type.Optional(
              Type.Enum(['ingen', 'straks', 'daglig'], {
                default: 'ingen',
                description: 'Om endringer i dem sendes på e-post.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        body: numbersBody({ numbersMax: bounds.most, bodyBytesMax: bounds.bodyBytesMax }),
        response: {
          200: {
            description: 'Ett utfall per nummer.',
            headers: keyHeaders,
            content: { 'application/x-ndjson': { schema: Overvakingslinje } },
          },
          ...problemResponses(400, 401, 409, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { ends, typer, epost } = readWatchMany(request.query)
      const most = request.isTest ? bounds.test.numbersMax : bounds.most
      const { asked, doubles } = await readNumbers(String(request.body ?? ''), typeOf(request), most)
      const watcher = await watcherIn(request)
      if (!ends) await mustHaveAddress(watcher, epost)
      const orgnrs = asked.flatMap(({ orgnr }) => orgnr ?? [])
      const outcomeOf = ends
        ? await endedOf(watcher, orgnrs)
        : await begunOf(
            watcher,
            orgnrs.map((orgnr) => ({ orgnr, navn: null, typer, epost })),
          )
      const language = languageOf(request.headers['accept-language'])
      const about = { language, publicUrl: publicUrl(), foresporselId: request.id }
      const settInnen = ends ? null : ((await watches.lookedAtBy(watcher))?.toISOString() ?? null)
      const of = ofWhom(request)
      const told = await toldList(asked, { doubles, settInnen, outcomeOf, about, turn: () => many.turn(of) })
      reply.headers({ 'cache-control': 'private, no-store', 'content-language': language })
      return reply.type('application/x-ndjson; charset=utf-8').send(told)
    },
  )

  async function withSources(watcher: Watcher, watch: Watched): Promise<Static<typeof Overvaking>> {
    const kilder = (await watches.coverage(watcher, watch)).map(({ source, from, expected }) => ({
      kilde: source,
      fra: from?.toISOString() ?? null,
      ventes: expected?.toISOString() ?? null,
    }))
    return { ...toldWatch(watch), kilder }
  }

  async function endedOf(watcher: Watcher, orgnrs: readonly string[]) {
    const ended = await watches.remove(watcher, orgnrs)
    return (orgnr: string) => (ended.has(orgnr) ? ('sluttet' as const) : ('ikke_overvaket' as const))
  }

  async function begunOf(watcher: Watcher, wishes: readonly ({ orgnr: string } & WatchWish)[]) {
    const put = await watches.put(watcher, wishes)
    if ('full' in put) throw full(put.full)
    return (orgnr: string) => {
      const stored = put.stored.get(orgnr) ?? null
      return stored && (stored.isNew ? ('ny' as const) : ('endret' as const))
    }
  }

  /** @throws InputError when mails are wanted and there is nobody they could go to */
  async function mustHaveAddress(watcher: Watcher, epost: WatchWish['epost']): Promise<void> {
    if (epost === null || (await watches.canBeMailed(watcher))) return
    throw new InputError('ugyldig_parameter', 'epost', {
      norsk:
        'Det er ingen e-postadresse med denne nøkkelen. Endringer på e-post går til adressen en kjøpt nøkkel ble sendt til.',
      english:
        'There is no e-mail address with this key. Changes by mail go to the address that a bought key was sent to.',
    })
  }
}

function full({ count }: { count: number }): Problem {
  return new Problem('for_mange_overvakinger', { extra: { antall: count } })
}
