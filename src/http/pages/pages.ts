import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { PublicStatus } from '#src/ops/public-status.ts'
import type { Reading } from '#src/record/read-record.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { SampleNumber } from '#src/samples/numbers.ts'
import { createAttempts } from '../plugins/attempts.ts'
import { isOwnForm } from '../plugins/own-forms.ts'
import { securityHeaders } from '../plugins/security-headers.ts'
import { byttNokkelRoutes } from '../routes/bytt-nokkel.ts'
import { driftsstatusRoute } from '../routes/driftsstatus.ts'
import { eksempelRoutes } from '../routes/eksempel.ts'
import { feilRoute } from '../routes/feil.ts'
import { fornyRoutes } from '../routes/forny.ts'
import { kjopRoutes } from '../routes/kjop.ts'
import { ordreRoutes } from '../routes/ordre.ts'
import { siderRoutes } from '../routes/sider.ts'
import { statiskRoute } from '../routes/statisk.ts'
import { ukjentRoute } from '../routes/ukjent.ts'
import { type Assets, readAssets } from './assets.ts'
import { createAnswerFailure, PageFailure } from './failures.ts'
import type { Frame } from './layout.ts'
import { createSendPage, type SendPage } from './send-page.ts'

/** What the pages ask of the sale. */
export type PageSales = Pick<
  Sales,
  | 'offer'
  | 'placeOrder'
  | 'orderAgain'
  | 'readOrder'
  | 'giveOtherAddress'
  | 'requestReplacement'
  | 'readReplacement'
  | 'confirmReplacement'
  | 'readRenewal'
  | 'renew'
>

/** The records of invented companies, as the service would answer. */
export type PageSamples = {
  /** Another one: they may have changed. */
  edition(): string
  read(orgnr: SampleNumber): Promise<Reading>
}

export type PagesFront = {
  sales: PageSales
  samples: PageSamples
  seller: Frame['seller']
  contact: string
  /** Origins a buyer is sent to in order to pay. */
  paymentOrigins: readonly string[]
  publicUrl(): string
  /** How the registers answer; at hand whatever is away. */
  status(): PublicStatus
  clock: Clock
}

/** What every route of a page is made with. */
export type PageTools = {
  sales: PageSales
  samples: PageSamples
  send: SendPage
  assets: Assets
  frame: Frame
  publicUrl(): string
  /** @throws PageFailure when this network has tried this too often */
  attempt(kind: string, ip: string): void
}

/** The pages for people, in a scope of their own: forms are read here and nowhere else. */
export async function pages(app: FastifyInstance, front: PagesFront): Promise<void> {
  const assets = readAssets()
  const frame: Frame = { assets, seller: front.seller, contact: front.contact }
  const send = createSendPage(frame)
  const attempts = createAttempts({ clock: front.clock, policy: policy.pages })
  const tools: PageTools = {
    sales: front.sales,
    samples: front.samples,
    send,
    assets,
    frame,
    publicUrl: front.publicUrl,
    attempt(kind, ip) {
      const retryAfterSeconds = attempts.take(kind, ip)
      if (retryAfterSeconds !== null) throw new PageFailure('for_mange', { retryAfterSeconds })
    },
  }
  await app.register(securityHeaders, { allowsStyleAttributes: false, formsLeadTo: front.paymentOrigins })
  await app.register(formbody, { bodyLimit: policy.pages.formBytesMax })
  app.setErrorHandler(createAnswerFailure(send))
  app.addHook('onRequest', async (request) => {
    if (request.method === 'POST' && !isOwnForm(request, front.publicUrl())) throw new PageFailure('fremmed')
  })
  siderRoutes(app, tools)
  eksempelRoutes(app, tools)
  feilRoute(app, tools)
  driftsstatusRoute(app, tools, front.status)
  kjopRoutes(app, tools)
  ordreRoutes(app, tools)
  byttNokkelRoutes(app, tools)
  fornyRoutes(app, tools)
  statiskRoute(app, assets)
  ukjentRoute(app)
}
