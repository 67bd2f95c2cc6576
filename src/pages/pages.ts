import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { PublicStatus } from '#src/ops/public-status.ts'
import { securityHeaders } from '../http/plugins/security-headers.ts'
import { readAssets } from './assets.ts'
import { createAttempts } from './attempts.ts'
import type { ToldCalls } from './documentation/operations.ts'
import { createAnswerFailure, PageFailure } from './failures.ts'
import type { Frame } from './layout.ts'
import type { LookupFront } from './lookup/ports.ts'
import { isOwnForm } from './own-forms.ts'
import type { PageSales, PageSamples, PageTools } from './page-tools.ts'
import { byttNokkelRoutes } from './routes/bytt-nokkel.ts'
import { dokumentasjonRoutes } from './routes/dokumentasjon.ts'
import { driftsstatusRoute } from './routes/driftsstatus.ts'
import { eksempelRoutes } from './routes/eksempel.ts'
import { endepunkterRoutes } from './routes/endepunkter.ts'
import { feilRoute } from './routes/feil.ts'
import { foretakRoutes } from './routes/foretak.ts'
import { fornyRoutes } from './routes/forny.ts'
import { kjopRoutes } from './routes/kjop.ts'
import { listeRoutes } from './routes/liste.ts'
import { loggInnRoutes } from './routes/logg-inn.ts'
import { noklerRoutes } from './routes/nokler.ts'
import { oppslagRoutes } from './routes/oppslag.ts'
import { ordreRoutes } from './routes/ordre.ts'
import { overvakingRoutes } from './routes/overvaking.ts'
import { siderRoutes } from './routes/sider.ts'
import { statiskRoute } from './routes/statisk.ts'
import { ukjentRoute } from './routes/ukjent.ts'
import { varslingRoutes } from './routes/varsling.ts'
import { createSendPage } from './send-page.ts'

export type PagesFront = ToldCalls & {
  sales: PageSales
  samples: PageSamples
  seller: Frame['seller']
  contact: string
  /** Origins a buyer is sent to in order to pay. */
  paymentOrigins: readonly string[]
  /** Real companies, for whoever shows a key. */
  lookup: LookupFront
  publicUrl(): string
  /** How the registers answer; at hand whatever is away. */
  status(): PublicStatus
  clock: Clock
}

/** The pages for people, in a scope of their own: forms are read here and nowhere else. */
export async function pages(app: FastifyInstance, front: PagesFront): Promise<void> {
  const assets = readAssets()
  const frame: Frame = { assets, seller: front.seller, contact: front.contact }
  const send = createSendPage(frame)
  const attempts = createAttempts({ clock: front.clock, policy: policy.pages })
  const lookups = createAttempts({ clock: front.clock, policy: policy.pages.strangers })
  const tools: PageTools = {
    sales: front.sales,
    samples: front.samples,
    lookup: front.lookup,
    send,
    assets,
    frame,
    publicUrl: front.publicUrl,
    strangers: {
      take(kind, ip) {
        const retryAfterSeconds = lookups.take(kind, ip)
        if (retryAfterSeconds !== null) throw new PageFailure('for_mange', { retryAfterSeconds })
      },
    },
    attempt(kind, ip) {
      const retryAfterSeconds = attempts.take(kind, ip)
      if (retryAfterSeconds !== null) throw new PageFailure('for_mange', { retryAfterSeconds })
    },
  }
  await app.register(securityHeaders, { formsLeadTo: front.paymentOrigins })
  await app.register(formbody, { bodyLimit: policy.pages.formBytesMax })
  app.setErrorHandler(createAnswerFailure(send))
  app.addHook('onRequest', async (request) => {
    if (request.method === 'POST' && !isOwnForm(request, front.publicUrl())) throw new PageFailure('fremmed')
  })
  siderRoutes(app, tools)
  eksempelRoutes(app, tools)
  oppslagRoutes(app, tools)
  foretakRoutes(app, tools)
  loggInnRoutes(app, tools)
  endepunkterRoutes(app, tools)
  overvakingRoutes(app, tools)
  noklerRoutes(app, tools)
  await app.register(async (lists) => listeRoutes(lists, tools))
  feilRoute(app, tools)
  dokumentasjonRoutes(app, tools, front)
  driftsstatusRoute(app, tools, front.status)
  kjopRoutes(app, tools)
  ordreRoutes(app, tools)
  byttNokkelRoutes(app, tools)
  fornyRoutes(app, tools)
  await app.register(async (links) => varslingRoutes(links, tools))
  statiskRoute(app, assets)
  ukjentRoute(app)
}
