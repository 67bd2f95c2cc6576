import type { FastifyInstance } from 'fastify'
import { changesPage } from '../changes-page.ts'
import { frontPage } from '../front-page.ts'
import type { PageContent } from '../layout.ts'
import type { PageTools } from '../page-tools.ts'
import { privacyPage } from '../privacy-page.ts'
import { termsPage } from '../terms-page.ts'
import { type Visitor, visitorOf } from '../visitor.ts'
import { wholeSample } from '../whole-sample.ts'

/** The pages that are the same for everybody. */
export function siderRoutes(
  app: FastifyInstance,
  { sales, samples, send, frame, publicUrl }: PageTools,
): void {
  const pages: Record<string, (visitor: Visitor) => PageContent | Promise<PageContent>> = {
    '/': async (visitor) =>
      frontPage(
        { offer: sales.offer(), sample: await wholeSample(samples), publicUrl: publicUrl() },
        visitor,
      ),
    '/vilkar': (visitor) => termsPage(sales.offer(), frame, visitor),
    '/personvern': (visitor) => privacyPage(frame, visitor),
    '/dokumentasjon/endringer': changesPage,
  }
  for (const [path, page] of Object.entries(pages)) {
    app.get(path, { schema: { hide: true } }, (request, reply) => {
      const visitor = visitorOf(request, path)
      return send.common(request, reply, path, visitor, {
        edition: samples.edition(),
        content: () => page(visitor),
      })
    })
  }
  // What is somebody's own is nobody else's to find.
  app.get('/robots.txt', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send('User-agent: *\nDisallow: /api/\nDisallow: /ordre/\nDisallow: /nokkel/\n'),
  )
}
