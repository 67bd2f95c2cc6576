import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { CompanyReader } from '#src/record/company-reader.ts'
import { Sok } from '#src/record/search.ts'
import { readerKey } from '../plugins/bearer.ts'
import { readSearch, searchBounds } from '../query.ts'
import { keyHeaders, notModified, problemResponses } from '../schemas.ts'
import { JSON_TYPE, sendTagged } from '../tagged.ts'

/** Companies by name or number. A number leads straight to its company. */
export function sokRoute(app: FastifyInstance, { reader }: { reader: Pick<CompanyReader, 'search'> }): void {
  app.get(
    '/api/bedrift/sok',
    {
      schema: {
        operationId: 'sok',
        tags: ['bedrift'],
        summary: 'Søk etter navn eller organisasjonsnummer / search by name or number',
        security: [{ nokkel: [] }],
        querystring: Type.Object(
          {
            q: Type.String({ minLength: 1, maxLength: searchBounds.qLengthMax }),
            size: Type.Optional(
              Type.Integer({ minimum: 1, maximum: searchBounds.sizeMax, default: searchBounds.sizeStandard }),
            ),
          },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'Treff, de beste først.',
            headers: keyHeaders,
            content: { 'application/json': { schema: Sok } },
          },
          304: notModified,
          ...problemResponses(400, 401, 429, 503),
        },
      },
    },
    async (request, reply) => {
      const found = await reader.search(readSearch(request.query), { caller: readerKey(request).id })
      const { hentet: _, ...kilde } = found.kilde
      return sendTagged(request, reply, {
        body: JSON.stringify(found),
        type: JSON_TYPE,
        facts: JSON.stringify({ ...found, kilde }),
      })
    },
  )
}
