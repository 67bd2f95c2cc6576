import swagger from '@fastify/swagger'
import plugin from 'fastify-plugin'
import type { Language } from '#src/core/language.ts'
import { type HeldDocument, holdDocument, sendDocument } from '../http/held-document.ts'
import { languageOf } from '../http/negotiation.ts'
import { documentIn } from './document/document.ts'
import type { Json } from './document/shapes.ts'
import { examplesRoute, type Paths } from './examples.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The document, put together when it is first asked for and all routes are known; anew when the address is another. */
    documentIn(language: Language): Json
  }
}

/**
 * The OpenAPI 3.1 document, gathered from the routes' own schemas, at /openapi.json: in Norwegian, and in English to who asks for
 * it in the address or by Accept-Language.
 */
export const openapi = plugin<{ publicUrl: () => string; contact: string }>(
  async (app, { publicUrl, contact }) => {
    await app.register(swagger, {
      convertConstToEnum: false,
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Bedriftsoppslag',
          version: '1',
          contact: contact.includes('@') && !contact.includes('/') ? { email: contact } : { url: contact },
          // Of most of what is answered; `kilder` has each source's own.
          license: { name: 'NLOD 2.0', url: 'https://data.norge.no/nlod/no/2.0' },
        },
        servers: [{ url: '/' }],
        components: {
          securitySchemes: {
            nokkel: { type: 'http', scheme: 'bearer' },
          },
        },
        // Of every operation.
        security: [{ nokkel: [] }],
        tags: [{ name: 'bedrift' }, { name: 'endringer' }, { name: 'nokkel' }],
      },
    })
    const written = new Map<Language, { url: string; document: Json; held: HeldDocument }>()

    function writtenIn(language: Language) {
      const url = publicUrl()
      const known = written.get(language)
      if (known?.url === url) return known
      const { document } = documentIn(language, { ...app.swagger(), servers: [{ url }] })
      const held = holdDocument(JSON.stringify(document), 'application/json; charset=utf-8')
      const now = { url, document, held }
      written.set(language, now)
      return now
    }

    app.decorate('documentIn', (language: Language) => writtenIn(language).document)

    examplesRoute(app, () => app.swagger().paths as Paths)
    app.get<{ Querystring: { sprak?: unknown } }>(
      '/openapi.json',
      { schema: { hide: true } },
      async (request, reply) => {
        const { sprak } = request.query
        const language =
          sprak === 'en' || sprak === 'nb' ? sprak : languageOf(request.headers['accept-language'])
        reply.headers({
          'access-control-allow-origin': '*',
          'cache-control': 'no-cache',
          'content-language': language,
        })
        return sendDocument(request, reply, writtenIn(language).held, 'Accept-Encoding, Accept-Language')
      },
    )
  },
  { name: 'openapi' },
)
