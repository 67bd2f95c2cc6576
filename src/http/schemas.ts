import { Type } from 'typebox'
import { exactly } from '#src/record/shape.ts'
import { DAYS_LEFT } from './days-left.ts'
import { problems } from './problems.ts'

export const OrgnrParameter = Type.String({
  description: 'Ni siffer med riktig kontrollsiffer. Mellomrom, punktum og NO…MVA godtas.',
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
    kode: Type.String({ description: 'Feilens navn. Nye kan komme.', examples: Object.keys(problems) }),
    foresporselId: Type.String(),
  },
  { description: 'Andre medlemmer kan følge med: parameter, utloper, slettedato.' },
)

const statuses = [400, 401, 404, 405, 409, 410, 414, 415, 429, 500, 503] as const

/** Answers other than 200, as the OpenAPI document describes them. */
export function problemResponses(...chosen: (typeof statuses)[number][]) {
  return Object.fromEntries(
    chosen.map((status) => [
      status,
      {
        description: Object.entries(problems)
          .filter(([, kind]) => kind.status === status)
          .map(([kode]) => kode)
          .join(', '),
        content: { 'application/problem+json': { schema: ProblemSchema } },
      },
    ]),
  )
}

/** What an answer to a valid key may have in its head, whatever else it is. */
export const keyHeaders = {
  [DAYS_LEFT]: Type.Integer({
    minimum: 0,
    maximum: 30,
    description:
      'Bare i nøkkelens siste 30 dager, på alle svar til den som har nøkkelen: påbegynte døgn som gjenstår. ' +
      'In the last 30 days of a key alone, on every answer to its holder: days left, begun ones counted.',
  }),
}

/** What a client has already. */
export const notModified = {
  description: 'Uendret: If-None-Match har svarets ETag.',
  headers: keyHeaders,
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
