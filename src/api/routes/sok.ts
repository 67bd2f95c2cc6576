import type { FastifyInstance } from 'fastify'
import { type TProperties, type TSchema, Type } from 'typebox'
import type { Clock } from '#src/core/clock.ts'
import { foretakstilstander } from '#src/record/sections/status.ts'
import { Finn, Forslag, Sok } from '#src/search/answer.ts'
import type { Search } from '#src/search/search.ts'
import { Problem } from '../../http/problem.ts'
import { createHeldAnswers } from '../held-answers.ts'
import { ofWhom } from '../of-whom.ts'
import { notModified, pageHeaders, problemResponses } from '../schemas.ts'
import { readClues, readSearch, readSuggestion, searchBounds, wrongCursor } from '../search-query.ts'

export type SearchFront = Pick<Search, 'sok' | 'forslag' | 'finn'> & {
  /** False as soon as one of these is removed. */
  mayShow(orgnrs: readonly number[]): boolean
  toSn2025(sn2007Prefix: string): string[]
}

/** Companies by name, number, site or telephone: all of them, as one types, and the one that is meant. */
export function searchRoutes(
  app: FastifyInstance,
  {
    search,
    clock,
    policy,
  }: {
    search: SearchFront
    clock: Clock
    policy: { searchHeldMs: number; searchHeldBytesMax: number }
  },
): void {
  const held = createHeldAnswers({ clock, mayShow: search.mayShow, policy })

  app.get(
    '/api/bedrift/sok',
    {
      schema: {
        operationId: 'sokEtterForetak',
        tags: ['bedrift'],
        summary: 'Søk etter navn, nummer, nettsted eller telefon / search by name, number, site or telephone',
        description:
          'Det foretaket et menneske mener, først. Også tidligere navn, underenheters navn og skrivefeil. visshet sier om ' +
          'det første er det eneste rimelige.',
        querystring: parameters({
          q: Text('Det som søkes etter.'),
          size: Size(searchBounds.sizeMax, searchBounds.sizeStandard),
          etter: Type.Optional(
            Type.String({ maxLength: 200, description: 'neste fra forrige side av det samme søket.' }),
          ),
          organisasjonsform: Type.Optional(
            Type.String({ pattern: '^[A-ZÆØÅ]{2,5}$', maxLength: 5, examples: ['AS', 'ENK'] }),
          ),
          kommune: Type.Optional(
            Type.String({ pattern: '^[0-9]{4}$', maxLength: 4, description: 'Kommunenummer.' }),
          ),
          fylke: Type.Optional(
            Type.String({ pattern: '^[0-9]{2}$', maxLength: 2, description: 'Fylkesnummer.' }),
          ),
          naeringskode: Type.Optional(
            Type.String({
              description: 'Koden eller begynnelsen av den, etter SN2025 eller SN2007.',
              pattern: '^[0-9]{2}(?:\\.[0-9]{0,3})?$',
              maxLength: 6,
              examples: ['68.2'],
            }),
          ),
          ansatteFra: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 9_999_999,
              description: 'Foretak med ett til fire ansatte teller for hvert av tallene.',
            }),
          ),
          ansatteTil: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999_999 })),
          tilstand: Type.Optional(Type.Enum([...foretakstilstander])),
          registrertFra: Type.Optional(Type.String({ format: 'date', maxLength: 10 })),
          registrertTil: Type.Optional(Type.String({ format: 'date', maxLength: 10 })),
          type: Type.Optional(Type.Enum(['enhet', 'underenhet'])),
        }),
        response: answers('Treff, de beste først.', Sok, 400, 401, 406, 409, 429, 500, 503),
      },
    },
    async (request, reply) => {
      const { given, ...question } = readSearch(request.query, search.toSn2025)
      return held.send(request, reply, `sok ${given}`, async () => {
        const reading = await search.sok(question, ofWhom(request))
        if (reading.outcome === 'other') throw wrongCursor()
        if (reading.outcome !== 'found') throw new Problem('foreldet_peker')
        return { ...reading, essence: { ...reading.answer, indeks: null, kilde: null } }
      })
    },
  )

  app.get(
    '/api/bedrift/forslag',
    {
      schema: {
        operationId: 'foreslaForetak',
        tags: ['bedrift'],
        summary: 'Forslag mens noen skriver / suggestions as one types',
        description:
          'Små svar for hvert tastetrykk. Et foretak som foreslås for en begynnelse, foreslås også for hver lengre begynnelse ' +
          'av navnet.',
        querystring: parameters({
          q: Text('Det som er skrevet så langt.'),
          size: Size(searchBounds.suggestionsMax, searchBounds.suggestionsStandard),
        }),
        response: answers('Forslag, de beste først.', Forslag, 400, 401, 406, 429, 500, 503),
      },
    },
    async (request, reply) => {
      const { given, q, size } = readSuggestion(request.query)
      return held.send(request, reply, `forslag ${given}`, async () => {
        const { answer, orgnrs } = await search.forslag(q, size, ofWhom(request))
        return { answer, orgnrs, essence: answer }
      })
    },
  )

  app.get(
    '/api/bedrift/finn',
    {
      schema: {
        operationId: 'finnForetak',
        tags: ['bedrift'],
        summary: 'Ett foretak, eller et ærlig «ikke sikker» / one company, or an honest "not sure"',
        description:
          'For den som har et navn i et regneark og vil ha nummeret. Et annet foretak gis aldri som sikkert: er flere mulige, ' +
          'er foretak null og kandidater en kort liste. Minst ett av navn, nettsted, telefon og epost må oppgis.',
        querystring: parameters({
          navn: Type.Optional(Text('Navnet, nå eller før; et organisasjonsnummer går også.')),
          sted: Type.Optional(Text('Poststed, kommune eller kommunenummer.')),
          nettsted: Type.Optional(Text('Adressen eller bare verten; bare nøyaktig samme vert svarer.')),
          telefon: Type.Optional(Text('Norsk nummer, åtte siffer.')),
          epost: Type.Optional(Text('Bare domenet brukes.')),
        }),
        response: answers('Ett foretak, eller kandidater.', Finn, 400, 401, 406, 429, 500, 503),
      },
    },
    async (request, reply) => {
      const { given, ...clues } = readClues(request.query)
      return held.send(request, reply, `finn ${given}`, async () => {
        const { answer, orgnrs } = await search.finn(clues, ofWhom(request))
        return { answer, orgnrs, essence: { ...answer, indeks: null, kilde: null } }
      })
    },
  )
}

const Text = (description: string) =>
  Type.String({ minLength: 1, maxLength: searchBounds.qLengthMax, description })

const Size = (most: number, standard: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: standard }))

const parameters = (properties: TProperties) => Type.Object(properties, { additionalProperties: false })

function answers(description: string, schema: TSchema, ...problems: Parameters<typeof problemResponses>) {
  return {
    200: { description, headers: pageHeaders, content: { 'application/json': { schema } } },
    304: notModified,
    ...problemResponses(...problems),
  }
}
