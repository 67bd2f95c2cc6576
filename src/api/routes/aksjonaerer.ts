import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { HolderCursor } from '#src/record/holder-cursor.ts'
import { Aksjonaerside, type ShareReader } from '#src/record/share-reader.ts'
import { Problem } from '../../http/problem.ts'
import { nextPage } from '../answer-craft.ts'
import { ofWhom } from '../of-whom.ts'
import { holderBounds, readHolders } from '../query.ts'
import { AarParameter, notModified, OrgnrParameter, pageHeaders, problemResponses } from '../schemas.ts'
import { JSON_TYPE, sendTagged } from '../tagged.ts'

/** All holders of a company in one year, page by page. */
export function aksjonaererRoute(
  app: FastifyInstance,
  { shares }: { shares: Pick<ShareReader, 'holders'> },
): void {
  const { sizeMax, sizeStandard } = holderBounds
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr/aksjonaerer',
    {
      schema: {
        operationId: 'hentAksjonaerer',
        tags: ['bedrift'],
        summary: 'Alle aksjonærer et år / all shareholders of a year',
        description:
          'Beholdning per 31. desember slik selskapene har oppgitt den. Aksjer, ikke stemmer. ' +
          'Et år som ikke er importert, svares med 404 aar_ikke_importert, aldri med en tom liste.',
        params: Type.Object({ orgnr: OrgnrParameter }),
        querystring: Type.Object(
          {
            aar: Type.Optional(AarParameter),
            etter: Type.Optional(
              Type.String({
                maxLength: 60,
                description: 'neste fra forrige side. Sidene er da av samme utgave.',
              }),
            ),
            size: Type.Optional(Type.Integer({ minimum: 1, maximum: sizeMax, default: sizeStandard })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'En side.',
            headers: pageHeaders,
            content: { 'application/json': { schema: Aksjonaerside } },
          },
          304: notModified,
          ...problemResponses(400, 401, 404, 406, 409, 410, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const parameters = readHolders(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      if (parameters.etter !== null) refuseOthers(parameters.etter, Number(orgnr))
      const page = await shares.holders(orgnr, parameters, { caller: ofWhom(request) })
      if (page.outcome === 'replaced') throw new Problem('foreldet_peker')
      if (page.outcome !== 'found') throw withoutAnswer(page)
      if (parameters.aar !== null && page.side.aar !== parameters.aar) throw notThisList()
      nextPage(reply, request.url, page.side.neste)
      return sendTagged(request, reply, { body: JSON.stringify(page.side), type: JSON_TYPE })
    },
  )
}

/** Why there is nothing of the archive to show. */
export function withoutAnswer(
  why:
    | { outcome: 'removed'; slettedato: string | null }
    | { outcome: 'not_imported'; aar: number | null }
    | { outcome: 'not_in_register'; aar: number },
): Problem {
  if (why.outcome === 'removed') return new Problem('fjernet', { extra: { slettedato: why.slettedato } })
  const kode = why.outcome === 'not_imported' ? 'aar_ikke_importert' : 'ikke_i_aksjonaerregisteret'
  return new Problem(kode, { extra: { aar: why.aar } })
}

function refuseOthers({ orgnr }: HolderCursor, asked: number): void {
  if (orgnr !== asked) throw notThisList()
}

function notThisList(): InputError {
  return new InputError('ugyldig_parameter', 'etter', {
    norsk: 'etter hører til et annet foretak eller et annet år.',
    english: 'etter belongs to another company or another year.',
  })
}
