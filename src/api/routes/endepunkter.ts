import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { policy } from '#config/policy.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { Endring } from '#src/changes/change.ts'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import { InputError } from '#src/core/errors.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { Delivery, Endpoint, EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import { failures } from '#src/push/send.ts'
import { exactly, orNull, Tidspunkt } from '#src/record/shape.ts'
import { EXAMPLE_ENDPOINT } from '#src/samples/questions.ts'
import { Problem } from '../../http/problems.ts'
import { nextPage } from '../answer-craft.ts'
import { readerKey } from '../bearer.ts'
import { readDeliveryPage, readNothing } from '../query.ts'
import { keyHeaders, pageHeaders, problemResponses } from '../schemas.ts'

const bounds = policy.push
const AT = '/api/endepunkter'
const Adresse = Type.String({
  maxLength: 1000,
  description: 'https, port 443 eller 8443, med et navn som alle kan nå.',
})
const Typer = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: bounds.typesMax,
  description: 'Endringstypene som sendes, hele eller bare begynnelsen. null: alle som overvåkes.',
})

export const Avslatt = exactly({
  fra: Tidspunkt,
  grunn: Type.Enum(['eier', 'borte', 'feilet', 'hviler'], {
    description:
      'borte: mottakeren svarte 410. feilet: ingenting er tatt imot på 76 timer. hviler: ingen gyldig nøkkel.',
  }),
})

export const Endepunkt = exactly({
  id: Type.String({ description: 'Endepunktets navn.' }),
  adresse: Adresse,
  typer: orNull(Typer),
  opprettet: Tidspunkt,
  avslatt: orNull(Avslatt),
  feiletFra: orNull(Tidspunkt),
  sistLevert: orNull(Tidspunkt),
  toHemmeligheterTil: orNull(Tidspunkt),
  venter: Type.Integer({ minimum: 0, description: 'Meldinger som ikke er levert ennå.' }),
})

export const Endepunkter = exactly({ endepunkter: Type.Array(Endepunkt) })

export const NyttEndepunkt = exactly({
  endepunkt: Endepunkt,
  hemmelighet: Type.String({
    description: 'Det meldingene signeres med (Standard Webhooks). Vises her og aldri igjen.',
  }),
})

export const Leveringsforsok = exactly({
  tidspunkt: Tidspunkt,
  ms: Type.Integer({ minimum: 0, description: 'Fra begynnelsen til svarets hode.' }),
  status: orNull(Type.Integer({ description: 'Mottakerens status. null: det kom ikke noe svar.' })),
  arsak: orNull(Type.Enum(failures, { description: 'Hvorfor det ikke var levert. null: det var det.' })),
})

export const Levering = exactly({
  id: Type.String({ description: 'Leveringens navn.' }),
  hendelse: Type.String({ description: 'webhook-id: det samme i hvert forsøk, og i endringsloggen.' }),
  type: Type.String({ description: 'Hva slags endring; prove for en prøve.' }),
  organisasjonsnummer: orNull(Type.String()),
  leveringstilstand: Type.Enum(['venter', 'levert', 'oppgitt']),
  opprettet: Tidspunkt,
  nesteForsok: orNull(Tidspunkt),
  ferdig: orNull(Tidspunkt),
  forsok: Type.Array(Leveringsforsok, { description: 'De siste tjue, det nyeste til sist.' }),
})

export const Leveringer = exactly({
  leveringer: Type.Array(Levering),
  neste: orNull(Type.String({ description: 'Verdien av etter for neste side; null på den siste.' })),
})

export const Leveringsinnhold = exactly({ levering: Levering, endring: orNull(Endring) })
export const SendtIgjen = exactly({
  antall: Type.Integer({ minimum: 0, description: 'Meldinger som sendes igjen.' }),
})

export const Endepunktsonske = Type.Object({ adresse: Adresse, typer: Type.Optional(orNull(Typer)) })
export const Endepunktsendring = Type.Object({
  ...Endepunktsonske.properties,
  paa: Type.Optional(
    Type.Boolean({ description: 'false: ingenting sendes dit, og det som venter, oppgis.' }),
  ),
})
const Moment = Type.String({ format: 'date-time', maxLength: 40 })
export const Igjenonske = Type.Object({
  levering: Type.Optional(Type.String({ maxLength: 20, description: 'Én levering.' })),
  fra: Type.Optional(Moment),
  til: Type.Optional(Moment),
})

const wishes = {
  add: Compile(Type.Object(Endepunktsonske.properties, { additionalProperties: false })),
  change: Compile(Type.Object(Endepunktsendring.properties, { additionalProperties: false })),
  again: Compile(
    Type.Object(
      {
        levering: Igjenonske.properties.levering,
        fra: Type.Optional(Type.String({ maxLength: 40 })),
        til: Type.Optional(Type.String({ maxLength: 40 })),
      },
      { additionalProperties: false },
    ),
  ),
}

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
      return { endepunkter: (await endpoints.list(owner)).map(written) }
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
      const wish = readWish(request.body, wishes.add)
      const added = await endpoints.add(owner, wish)
      if ('full' in added) throw new Problem('for_mange_endepunkter')
      reply.header('cache-control', 'private, no-store')
      return reply.code(201).send({ endepunkt: written(added.endpoint), hemmelighet: added.secret })
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
          ...problemResponses(400, 401, 404, 406, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      reply.header('cache-control', 'private, no-store')
      return written(found(await endpoints.find(owner, request.params.endepunkt)))
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
          ...problemResponses(400, 401, 404, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request: OfOne) => {
      const { endpoints, owner } = await asked(request)
      const { paa = true, ...wish } = readWish<{ paa?: boolean }>(request.body, wishes.change)
      const changed = await endpoints.change(owner, request.params.endepunkt, { ...wish, isOn: paa })
      return written(found(changed))
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
          ...problemResponses(400, 401, 404, 429, 500, 503),
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
          ...problemResponses(400, 401, 404, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const renewed = found(await endpoints.renewSecret(owner, request.params.endepunkt))
      reply.header('cache-control', 'private, no-store')
      return { endepunkt: written(renewed.endpoint), hemmelighet: renewed.secret }
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
          ...problemResponses(400, 401, 404, 409, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const sent = found(await endpoints.test(owner, request.params.endepunkt))
      if (sent === 'full') throw tooMuch()
      if (sent === 'off') throw switchedOff()
      return reply.code(202).send(delivered(sent))
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
          ...problemResponses(400, 401, 404, 406, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const wish = readDeliveryPage(request.query)
      const { endpoints, owner } = await within(request)
      const { deliveries, hasMore } = found(await endpoints.deliveries(owner, request.params.endepunkt, wish))
      const neste = hasMore ? (deliveries.at(-1)?.id ?? null) : null
      nextPage(reply, request.url, neste)
      reply.header('cache-control', 'private, no-store')
      return { leveringer: deliveries.map(delivered), neste }
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
          ...problemResponses(400, 401, 404, 406, 429, 500, 503),
        },
      },
    },
    async (request: FastifyRequest<{ Params: { endepunkt: string; levering: string } }>, reply) => {
      const { endpoints, owner } = await asked(request)
      const { endepunkt, levering } = request.params
      const one = found(await endpoints.delivery(owner, endepunkt, levering))
      reply.header('cache-control', 'private, no-store')
      return { levering: delivered(one.delivery), endring: one.endring }
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
          ...problemResponses(400, 401, 404, 409, 413, 415, 429, 500, 503),
        },
      },
    },
    async (request: OfOne, reply) => {
      const { endpoints, owner } = await asked(request)
      const wish = readAgain(request.body)
      const sent = found(await endpoints.sendAgain(owner, request.params.endepunkt, wish))
      if (sent === 'off') throw switchedOff()
      if (sent === 'often') throw tooMuch()
      if (sent === 'full') throw tooLong()
      return reply.code(202).send({ antall: sent.count })
    },
  )
}

function readWish<More = unknown>(
  body: unknown,
  shape: { Check(value: unknown): boolean },
): { adresse: string; typer: string[] | null } & More {
  if (!shape.Check(body)) {
    throw new InputError('ugyldig_parameter', 'body', {
      norsk: `Send JSON med adresse (inntil 1000 tegn) og typer (en liste, kan utelates); når et endepunkt endres, også paa (true eller false).`,
      english: `Send JSON with adresse (up to 1000 characters) and typer (a list, may be left out); to change an endpoint, also paa (true or false).`,
    })
  }
  const { typer = null, ...rest } = body as { adresse: string; typer?: string[] | null } & More
  return { ...rest, typer: typer === null ? null : readTypeFilter(typer, 'typer') } as {
    adresse: string
    typer: string[] | null
  } & More
}

function readAgain(body: unknown): { delivery: string } | { from: Date; to: Date } {
  const wrong = () =>
    new InputError('ugyldig_parameter', 'body', {
      norsk: 'Send JSON med levering, eller med fra og til (ISO 8601 med sone), der fra er før til.',
      english: 'Send JSON with levering, or with fra and til (ISO 8601 with a zone), fra before til.',
    })
  if (!wishes.again.Check(body)) throw wrong()
  const { levering, fra, til } = body
  if (levering !== undefined && fra === undefined && til === undefined) return { delivery: levering }
  if (levering !== undefined || fra === undefined || til === undefined) throw wrong()
  const [from, to] = [fra, til].map((text) => (MOMENT.test(text) ? new Date(text) : new Date(Number.NaN)))
  if (from === undefined || to === undefined || !(from.getTime() < to.getTime())) throw wrong()
  return { from, to }
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

function written(endpoint: Endpoint): Static<typeof Endepunkt> {
  const { id, adresse, typer, opprettet, av, feiletFra, levert, forrigeTil, venter } = endpoint
  return {
    id,
    adresse,
    typer,
    opprettet: opprettet.toISOString(),
    avslatt: av === null ? null : { fra: av.at.toISOString(), grunn: av.grunn },
    feiletFra: feiletFra?.toISOString() ?? null,
    sistLevert: levert?.toISOString() ?? null,
    toHemmeligheterTil: forrigeTil?.toISOString() ?? null,
    venter,
  }
}

function delivered(delivery: Delivery): Static<typeof Levering> {
  const { id, endring, type, orgnr, tilstand, laget, neste, ferdig, logg } = delivery
  return {
    id,
    hendelse: endring === null ? `prove_${id}` : `endring_${endring}`,
    type,
    organisasjonsnummer: orgnr === null ? null : nineDigits(orgnr),
    leveringstilstand: tilstand,
    opprettet: laget.toISOString(),
    nesteForsok: neste?.toISOString() ?? null,
    ferdig: ferdig?.toISOString() ?? null,
    forsok: logg.map(({ tid, ms, status, arsak }) => ({
      tidspunkt: new Date(tid).toISOString(),
      ms,
      status,
      // One of another release is shown as that there was none.
      arsak: failures.find((each) => each === arsak) ?? null,
    })),
  }
}

function found<T>(value: T | null): T {
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
