import type { FastifyInstance } from 'fastify'
import type { ApiDocument } from '../../http/api-document.ts'
import { type HeldDocument, holdDocument, sendDocument } from '../../http/held-document.ts'
import { type HandoutOperation, operationsIn } from './operations.ts'
import { postmanCollection } from './postman.ts'
import { powerQuery } from './power-query.ts'

const HANDOUTS: Readonly<
  Record<string, { type: string; write(operations: HandoutOperation[], url: string): string }>
> = {
  '/dokumentasjon/postman.json': {
    type: 'application/json; charset=utf-8',
    write: (operations, url) => JSON.stringify(postmanCollection(operations, url), null, 2),
  },
  '/dokumentasjon/bedriftsoppslag.pq': {
    type: 'text/plain; charset=utf-8',
    write: powerQuery,
  },
}

/** What other programs take in to call this one, each made from the published document. */
export function handoutRoutes(app: FastifyInstance, { publicUrl }: { publicUrl: () => string }): void {
  for (const [path, { type, write }] of Object.entries(HANDOUTS)) {
    let held: { url: string; document: HeldDocument } | null = null
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const url = publicUrl()
      if (held?.url !== url) {
        const document = app.documentIn('nb')
        held = {
          url,
          document: holdDocument(write(operationsIn(document as ApiDocument), url), type),
        }
      }
      reply.header('cache-control', 'no-cache')
      return sendDocument(request, reply, held.document)
    })
  }
}
