import { Type } from 'typebox'
import { exactly } from '#src/record/shape.ts'
import { problems } from '../http/problems.ts'
import { DAYS_LEFT } from './days-left.ts'

export const OrgnrParameter = Type.String({
  description: 'Ni siffer med riktig kontrollsiffer. Mellomrom, punktum og NO…MVA godtas.',
  maxLength: 40,
  examples: ['901012121', '901 012 121', 'NO901012121MVA'],
})

export const AarParameter = Type.Integer({
  minimum: 2002,
  maximum: 2200,
  description: 'Beholdningen per 31. desember dette året; ellers det nyeste som er importert.',
})

/** RFC 9457, with our stable code and the id the request is logged under. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    kode: Type.String({ description: 'Feilens navn. Nye kan komme.' }),
    foresporselId: Type.String(),
  },
  {
    description:
      'Andre medlemmer kan følge med: parameter, utloper, slettedato; med register_utilgjengelig arsak og avvik.',
  },
)

const statuses = [400, 401, 404, 405, 406, 409, 410, 413, 414, 415, 429, 500, 503] as const

/** Answers other than 200, as the OpenAPI document describes them. A head that is too large is told of whatever was asked. */
export function problemResponses(...chosen: (typeof statuses)[number][]) {
  return Object.fromEntries(
    [...chosen, 431].map((status) => [
      status,
      {
        description: Object.entries(problems)
          .filter(([, kind]) => kind.status === status)
          .map(([kode]) => kode)
          .join(', '),
        headers: problemHeaders(status),
        content: { 'application/problem+json': { schema: ProblemSchema } },
      },
    ]),
  )
}

const requestId = {
  'x-request-id': Type.String({ description: 'Svarets id, også i loggen: oppgi den om du tar kontakt.' }),
}
const language = { 'content-language': Type.Enum(['nb', 'en'], { description: 'Språket tekstene er på.' }) }

/** What a problem has in its head. */
const problemHeaders = (status: number) => ({
  ...requestId,
  ...language,
  ...(status === 401
    ? {
        'www-authenticate': Type.String({
          description: 'Hvordan nøkkelen sendes, og hva som var galt (RFC 6750).',
        }),
      }
    : {}),
  ...(status === 429 || status === 503
    ? { 'retry-after': Type.Integer({ description: 'Sekunder til det er verdt å prøve igjen.' }) }
    : {}),
})

/** What an answer to a valid key may have in its head, whatever else it is. */
export const keyHeaders = {
  ...requestId,
  ...language,
  'cache-status': Type.String({
    description: 'Om svaret var for hånden, og hvor lenge det er ferskt (RFC 9211).',
  }),
  [DAYS_LEFT]: Type.Integer({
    minimum: 0,
    maximum: 30,
    description:
      'Bare i nøkkelens siste 30 dager, på alle svar til den som har nøkkelen: påbegynte døgn som gjenstår.',
  }),
}

/** And one that a client may have already. */
export const taggedHeaders = {
  ...keyHeaders,
  etag: Type.String({ description: 'Svak, over opplysningene alene. Send den i If-None-Match neste gang.' }),
}

/** A list that goes on has the next page's address. */
export const pageHeaders = {
  ...taggedHeaders,
  link: Type.String({ description: 'Neste side (rel="next"), når det er en.' }),
}

/** What a client has already. */
export const notModified = {
  description: 'Uendret: If-None-Match har svarets ETag.',
  headers: taggedHeaders,
}

export const NokkelStatus = exactly({
  gyldig: Type.Literal(true),
  nokkelId: Type.String({ description: 'Den delen av nøkkelen som kan vises og logges.' }),
  utloper: Type.String({
    format: 'date-time',
    description: 'Nøkkelen gjelder til, men ikke fra og med, dette øyeblikket.',
  }),
  dagerIgjen: Type.Integer({ minimum: 0, description: 'Påbegynte døgn som gjenstår.' }),
  miljo: Type.Enum(['live', 'test']),
})
