import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '#src/core/clock.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { toBods } from '#src/record/eierskap/bods.ts'
import { Eierskap } from '#src/record/eierskap/eierskap.ts'
import type { ShareReader } from '#src/record/share-reader.ts'
import { preferredType } from '../../http/negotiation.ts'
import { ofWhom } from '../of-whom.ts'
import { ownershipBounds, readOwnershipQuestion } from '../query.ts'
import { AarParameter, notModified, OrgnrParameter, problemResponses, taggedHeaders } from '../schemas.ts'
import { JSON_TYPE, sendTagged } from '../tagged.ts'
import { withoutAnswer } from './aksjonaerer.ts'

const BODS = 'application/vnd.bods+json'
/** Plain JSON for who likes both the same and names neither. */
const FORMS = ['application/json', BODS] as const

/** Who owns a company, what it owns, and how much through others; the same as statements of BODS 0.4. */
export function eierskapRoute(
  app: FastifyInstance,
  { shares, clock }: { shares: Pick<ShareReader, 'ownership'>; clock: Clock },
): void {
  app.get<{ Params: { orgnr: string } }>(
    '/api/bedrift/:orgnr/eierskap',
    {
      config: { offers: FORMS },
      schema: {
        operationId: 'hentEierskap',
        tags: ['bedrift'],
        summary: 'Eiere og eierandeler i flere ledd / owners and holdings in several levels',
        description:
          'Beregnet av aksjonærregisteret per 31. desember. Aksjer, ikke stemmer eller reelle rettighetshavere. ' +
          `Som erklæringer etter BODS 0.4 med Accept: ${BODS} eller format=bods.`,
        params: Type.Object({ orgnr: OrgnrParameter }),
        querystring: Type.Object(
          {
            aar: Type.Optional(AarParameter),
            retning: Type.Optional(
              Type.Enum(['opp', 'ned', 'begge'], {
                default: 'begge',
                description: 'opp: hvem som eier. ned: hva foretaket eier.',
              }),
            ),
            dybde: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: ownershipBounds.levelsMax,
                description: 'Ledd i hver retning. flagg.avkortet er true når det kan være flere.',
              }),
            ),
            format: Type.Optional(Type.Enum(['json', 'bods'], { description: 'Går foran Accept.' })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Eierskapet.',
            headers: taggedHeaders,
            content: {
              'application/json': { schema: Eierskap },
              [BODS]: {
                schema: Type.Array(Type.Object({}, { description: 'En erklæring etter BODS 0.4.' })),
              },
            },
          },
          304: notModified,
          ...problemResponses(400, 401, 404, 406, 410, 414, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const { format, ...question } = readOwnershipQuestion(request.query)
      const orgnr = parseOrganisasjonsnummer(request.params.orgnr)
      const answer = await shares.ownership(orgnr, question, { caller: ofWhom(request) })
      if (answer.outcome !== 'found') throw withoutAnswer(answer)
      const isBods =
        format === null ? preferredType(request.headers.accept, FORMS) === BODS : format === 'bods'
      reply.header('vary', 'Accept')
      const facts = JSON.stringify(answer.eierskap)
      if (!isBods) return sendTagged(request, reply, { body: facts, type: JSON_TYPE })
      const body = JSON.stringify(toBods(answer.eierskap, { published: clock.now() }))
      return sendTagged(request, reply, { body, type: BODS, facts: `${BODS} ${facts}` })
    },
  )
}
