import type { FastifyInstance } from 'fastify'
import { sendDocument } from '../../http/held-document.ts'
import type { Assets } from '../assets.ts'

/** What pages are shown with. The address has the hash of the bytes, so it may be kept for a year and never asked for again. */
export function statiskRoute(app: FastifyInstance, assets: Assets): void {
  for (const { path, document } of Object.values(assets)) {
    app.get(path, { schema: { hide: true } }, (request, reply) =>
      sendDocument(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), document),
    )
  }
}
