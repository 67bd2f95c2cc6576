import type { FastifyInstance } from 'fastify'
import { SAMPLE, type SampleName, sampleNumbers } from '#src/samples/numbers.ts'
import { examplePage, removedExamplePage } from '../example-page.ts'
import { examplesPage } from '../examples-page.ts'
import { PageFailure } from '../failures.ts'
import type { PageContent } from '../layout.ts'
import type { PageTools } from '../page-tools.ts'
import { type Visitor, visitorOf } from '../visitor.ts'
import { wholeSample } from '../whole-sample.ts'

/** The invented companies: the one with everything, all of them in a list, and each for itself. */
export function eksempelRoutes(app: FastifyInstance, { samples, send }: PageTools): void {
  const pages: Record<string, (visitor: Visitor) => Promise<PageContent>> = {
    '/eksempel': async (visitor) => examplePage(await wholeSample(samples), visitor),
    '/eksempler': async (visitor) => {
      const names = new Map<SampleName, string>()
      for (const [name, orgnr] of Object.entries(SAMPLE)) {
        const reading = await samples.read(orgnr)
        if (reading.outcome === 'record') names.set(name as SampleName, reading.record.navn ?? orgnr)
      }
      return examplesPage((name) => names.get(name) ?? null, visitor)
    },
  }
  // Addresses of their own: whatever else stands there is no example.
  for (const orgnr of sampleNumbers) {
    pages[`/eksempel/${orgnr}`] = async (visitor) => {
      const reading = await samples.read(orgnr)
      if (reading.outcome === 'record') return examplePage(reading.record, visitor)
      if (reading.outcome === 'removed') return removedExamplePage({ ...reading, orgnr }, visitor)
      throw new PageFailure('ukjent')
    }
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
}
