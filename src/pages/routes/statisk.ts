import type { FastifyInstance } from 'fastify'
import type { Assets } from '../assets.ts'
import { encodingFor } from '../compress.ts'

/** What pages are shown with. The address has the hash of the bytes, so it may be kept for a year and never asked for again. */
export function statiskRoute(app: FastifyInstance, assets: Assets): void {
  for (const asset of Object.values(assets)) {
    app.get(asset.path, { schema: { hide: true } }, async (request, reply) => {
      const encoding = encodingFor(request.headers['accept-encoding'])
      reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' })
        .type(asset.type)
      if (encoding === null) return reply.send(asset.bytes)
      return reply.header('content-encoding', encoding).send((await asset.encoded())[encoding])
    })
  }
}
