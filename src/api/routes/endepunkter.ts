import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { InputError } from '#src/core/errors.ts'
import type { EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import { EXAMPLE_ENDPOINT } from '#src/samples/questions.ts'
import { Problem } from '../../http/problem.ts'
import { nextPage } from '../answer-craft.ts'
import { readerKey } from '../bearer.ts'
import { readAgain, readEndpointChange, readNewEndpoint } from '../endpoints/read-wishes.ts'
import {
  Endepunkt,
  Endepunkter,
  Endepunktsendring,
  Endepunktsonske,
  Igjenonske,
  Levering,
  Leveringer,
  Leveringsinnhold,
  NyttEndepunkt,
  SendtIgjen,
} from '../endpoints/shapes.ts'
import { toldDelivery, toldEndpoint } from '../endpoints/told.ts'
import { readDeliveryPage, readNothing } from '../query.ts'
import { keyHeaders, pageHeaders, problemResponses } from '../schemas.ts'

const bounds = policy.push
const AT = '/api/endepunkter'
const IdParameter = Type.String({
  maxLength: 40,
  description: 'Endepunktets id.',
  examples: [EXAMPLE_ENDPOINT.id],
})
const LeveringParameter = Type.String({
  maxLength: 20,
  description: 'Leveringens id.',
  examples: [EXAMPLE_ENDPOINT.delivery],
})
const OneEndpoint = Type.Object({ endepunkt: IdParameter })
type OfOne = FastifyRequest<{ Params: { endepunkt: string } }>
const answered = (schema: object, description: string) => ({
  description,
  headers: keyHeaders,
  content: { 'application/json': { schema } },
})
const taken = (schema: object) => ({ content: { 'application/json': { schema } } })

/** Where changes are sent: addresses of the key's holder, what was sent to them, and sending it again (P127). */
export function endepunkterRoute(
  app: FastifyInstance,
  {
    push: { endpointsFor, ownerOf },
  }: {
    push: {
      endpointsFor: (key: ValidKey) => Endpoints
      ownerOf: (key: ValidKey) => Promise<EndpointOwner>
    }
  },
): void {
  const asked = async (request: FastifyRequest) => {
    readNothing(request.query)
    return within(request)
  }
  const within = async (request: FastifyRequest) => {
    const key = readerKey(request)
    return { endpoints: endpointsFor(key), owner: await ownerOf(key) }
  }

  app.get(
    AT,
    {
      schema: {
        operationId: 'hentEndepunkter',
        tags: ['endringer'],
        summary: 'Adressene endringer sendes til / the addresses changes are sent to',
        response: {
          200: answered(Endepunkter, 'Alle, det eldste først.'),
          ...problemResponses(400, 401, 406, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { endpoints, owner } = await asked(request)
      reply.header('cache-control', 'private, no-store')
      return { endepunkter: (await endpoints.list(owner)).map(toldEndpoint) }
    },
  )

  app.post(
    AT,
    {
      schema: {
        operationId: 'opprettEndepunkt',
        tags: ['endringer'],
        summary: 'Få endringer sendt til en adresse / have changes sent to an address',
        description:
          'Endringer i det nøkkelen overvåker, sendes dit fra nå av, signert etter Standard Webhooks. En nøkkel har inntil ' +
          `${bounds.endpointsOfOwner} endepunkter, en egen testnøkkel ${bounds.endpointsOfTestKey}; den åpne testnøkkelen har ingen.`,
        body: taken(Endepunktsonske),
        response: {
          201: answered(NyttEndepunkt, 'Endepunktet, og hemmeligheten det signeres med.'),
          ...problemResponses(400, 401, 409, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { endpoints, owner } = await asked(request)
      const added = await endpoints.add(owner, readNewEndpoint(request.body))
      if ('full' in added) throw new Problem('for_mange_endepunkter')
      reply.header('cache-control', 'private, no-store')
      return reply.code(201).send({ endepunkt: toldEndpoint(added.endpoint), hemmelighet: added.secret })
    },
  )

  app.get(
    `${AT}/:endepunkt`,
    {
      schema: {
        operationId: 'hentEndepunkt',
        tags: ['endringer'],
        summary: 'Hvordan det står til med et endepunkt / how an endpoint is',
        params: OneEndpoint,
        response: {
          200: answered(Endepunkt, 'Endepunktet.'),
          ...problemResponses(400, 401, 404, 406, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      reply.header('cache-control', 'private, no-store')
      return toldEndpoint(orUnknown(await endpoints.find(owner, request.params.endepunkt)))
    },
  )

  app.put(
    `${AT}/:endepunkt`,
    {
      schema: {
        operationId: 'endreEndepunkt',
        tags: ['endringer'],
        summary: 'Endre et endepunkt, slå det av eller på / change an endpoint, switch it off or on',
        params: OneEndpoint,
        body: taken(Endepunktsendring),
        response: {
          200: answered(Endepunkt, 'Endepunktet som det er nå.'),
          ...problemResponses(400, 401, 404, 413, 414, 415, 429, 500, 503),
        },
      },
    },
    async (request: OfOne) => {
      const { endpoints, owner } = await asked(request)
      const wish = readEndpointChange(request.body)
      const changed = await endpoints.change(owner, request.params.endepunkt, wish)
      return toldEndpoint(orUnknown(changed))
    },
  )

  app.delete(
    `${AT}/:endepunkt`,
    {
      schema: {
        operationId: 'slettEndepunkt',
        tags: ['endringer'],
        summary: 'Slett et endepunkt / delete an endpoint',
        description: 'Det som venter, sendes ikke, og listen over leveringer er borte.',
        params: OneEndpoint,
        response: {
          204: { description: 'Borte.', headers: keyHeaders },
          ...problemResponses(400, 401, 404, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      if (!(await endpoints.remove(owner, request.params.endepunkt))) throw unknown()
      return reply.code(204).send()
    },
  )

  app.post(
    `${AT}/:endepunkt/hemmelighet`,
    {
      schema: {
        operationId: 'fornyHemmelighet',
        tags: ['endringer'],
        summary: 'Bytt hemmeligheten / replace the secret',
        description: 'I et døgn signeres hver melding med begge, så mottakeren kan bytte når den vil.',
        params: OneEndpoint,
        response: {
          200: answered(NyttEndepunkt, 'Endepunktet, og den nye hemmeligheten.'),
          ...problemResponses(400, 401, 404, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const renewed = orUnknown(await endpoints.renewSecret(owner, request.params.endepunkt))
      reply.header('cache-control', 'private, no-store')
      return { endepunkt: toldEndpoint(renewed.endpoint), hemmelighet: renewed.secret }
    },
  )

  app.post(
    `${AT}/:endepunkt/prove`,
    {
      schema: {
        operationId: 'provEndepunkt',
        tags: ['endringer'],
        summary: 'Send en prøve / send a test',
        description: 'En melding av typen prove, som ikke handler om noe foretak.',
        params: OneEndpoint,
        response: {
          202: answered(Levering, 'Den sendes nå.'),
          ...problemResponses(400, 401, 404, 409, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const sent = orUnknown(await endpoints.test(owner, request.params.endepunkt))
      if (sent === 'full') throw tooMuch()
      if (sent === 'off') throw switchedOff()
      return reply.code(202).send(toldDelivery(sent))
    },
  )

  app.get(
    `${AT}/:endepunkt/leveringer`,
    {
      schema: {
        operationId: 'hentLeveringer',
        tags: ['endringer'],
        summary:
          'Det som er sendt til et endepunkt, og hvordan det gikk / what was sent, and what came of it',
        description: 'Nyest først, i tretti dager. Hva mottakeren svarte, utover status, lagres ikke.',
        params: OneEndpoint,
        querystring: Type.Object(
          {
            leveringstilstand: Type.Optional(
              Type.Enum(['venter', 'levert', 'oppgitt'], { description: 'Bare disse.' }),
            ),
            etter: Type.Optional(Type.String({ maxLength: 20, description: 'neste fra forrige side.' })),
            size: Type.Optional(
              Type.Integer({ minimum: 1, maximum: bounds.sizeMax, default: bounds.sizeStandard }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            ...answered(Leveringer, 'En side.'),
            headers: { ...keyHeaders, link: pageHeaders.link },
          },
          ...problemResponses(400, 401, 404, 406, 414, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const wish = readDeliveryPage(request.query)
      const { endpoints, owner } = await within(request)
      const { deliveries, next: neste } = orUnknown(
        await endpoints.deliveries(owner, request.params.endepunkt, wish),
      )
      nextPage(reply, request.url, neste)
      reply.header('cache-control', 'private, no-store')
      return { leveringer: deliveries.map(toldDelivery), neste }
    },
  )

  app.get(
    `${AT}/:endepunkt/leveringer/:levering`,
    {
      schema: {
        operationId: 'hentLevering',
        tags: ['endringer'],
        summary: 'En levering, og det den sa / a delivery, and what it said',
        description: 'Her står hele endringen, også når meldingen var for stor til å ha den med.',
        params: Type.Object({ endepunkt: IdParameter, levering: LeveringParameter }),
        response: {
          200: answered(Leveringsinnhold, 'Leveringen.'),
          ...problemResponses(400, 401, 404, 406, 414, 429, 500, 503),
        },
      },
    },
    async (request: FastifyRequest<{ Params: { endepunkt: string; levering: string } }>, reply) => {
      const { endpoints, owner } = await asked(request)
      const { endepunkt, levering } = request.params
      const one = orUnknown(await endpoints.delivery(owner, endepunkt, levering))
      reply.header('cache-control', 'private, no-store')
      return { levering: toldDelivery(one.delivery), endring: one.endring }
    },
  )

  app.post(
    `${AT}/:endepunkt/igjen`,
    {
      schema: {
        operationId: 'sendIgjen',
        tags: ['endringer'],
        summary:
          'Send én levering, eller alt i et tidsrom, igjen / send one delivery, or all of a span, again',
        description:
          'Med levering: den ene. Med fra og til: alle endringer som ble sett fra og med fra til til, og som endepunktet skal ha, også de som ' +
          `aldri ble sendt; inntil ${bounds.againMost.toLocaleString('nb')}. Samme webhook-id som sist.`,
        params: OneEndpoint,
        body: taken(Igjenonske),
        response: {
          202: answered(SendtIgjen, 'De sendes nå, i rekkefølge.'),
          ...problemResponses(400, 401, 404, 409, 413, 414, 415, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const wish = readAgain(request.body)
      const sent = orUnknown(await endpoints.sendAgain(owner, request.params.endepunkt, wish))
      if (sent === 'off') throw switchedOff()
      if (sent === 'often') throw tooMuch()
      if (sent === 'full') throw tooLong()
      return reply.code(202).send({ antall: sent.count })
    },
  )
}

function orUnknown<T>(value: T | null): T {
  if (value === null) throw unknown()
  return value
}

function unknown(): Problem {
  return new Problem('ukjent_endepunkt')
}

function switchedOff(): Problem {
  return new Problem('endepunkt_avslatt')
}

function tooMuch(): Problem {
  return new Problem('for_mange_prover', { headers: { 'retry-after': '600' } })
}

function tooLong(): InputError {
  return new InputError('ugyldig_parameter', 'fra', {
    norsk: `Det er flere enn ${bounds.againMost} endringer mellom fra og til. Be om et kortere tidsrom.`,
    english: `There are more than ${bounds.againMost} changes between fra and til. Ask for a shorter span.`,
  })
}
