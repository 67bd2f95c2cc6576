import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Policy } from '#config/policy.ts'
import type { Verifier } from '#src/access/verify.ts'
import type { Answers } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Readiness } from '#src/ops/readiness.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import type { ShareReader } from '#src/record/share-reader.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'
import { createHitLane } from './hit-lane.ts'
import { type PagesFront, pages } from './pages/pages.ts'
import { bearer } from './plugins/bearer.ts'
import { hasTwoHosts } from './plugins/one-host.ts'
import { openapi } from './plugins/openapi.ts'
import { answerClientError, answerProblem, problemAnswers } from './plugins/problem-answers.ts'
import { reference } from './plugins/reference.ts'
import { requestLog } from './plugins/request-log.ts'
import { requestTrace } from './plugins/request-trace.ts'
import { securityHeaders } from './plugins/security-headers.ts'
import { Problem } from './problems.ts'
import { aksjonaererRoute } from './routes/aksjonaerer.ts'
import { bedriftRoute } from './routes/bedrift.ts'
import { eierskapRoute } from './routes/eierskap.ts'
import { healthRoutes } from './routes/health.ts'
import { securityTxtRoute } from './routes/security-txt.ts'
import { type SearchFront, searchRoutes } from './routes/sok.ts'
import { statusRoute } from './routes/status.ts'
import { vippsWebhookRoute } from './routes/vipps-webhook.ts'
import { createIsHttps, withCommonHeaders } from './server/common-headers.ts'
import { openServer } from './server/open-server.ts'

export type Front = {
  version: string
  reader: Pick<CompanyReader, 'held' | 'read'>
  search: SearchFront
  answers: Pick<Answers<Assembled>, 'encoded'>
  shares: ShareReader
  verifier: Pick<Verifier, 'verify' | 'atHand'>
  readiness(): Promise<Readiness>
  status: PagesFront['status']
  /** The process will close soon: clients are told that their connections end. */
  isEnding(): boolean
  clock: Clock
  log: Log
  policy: { [Bound in keyof Policy['http']]: number }
  trustProxy: readonly string[] | null
  /** Asked when an answer is written: the address may depend on the port the system chose. */
  publicUrl(): string
  pages: Omit<PagesFront, 'publicUrl' | 'status' | 'clock'> & {
    sales: Pick<Sales, 'noteWebhook'>
    /** null: nothing is sold here, and no message of Vipps is for us. */
    webhooks: Pick<Webhooks, 'hear'> | null
  }
}

/** Builds the front and opens nothing: whoever calls `listen` opens, and `close` ends. */
export async function createApp(front: Front): Promise<FastifyInstance> {
  const { policy, publicUrl } = front
  const isHttps = createIsHttps(front.trustProxy)
  const lane = createHitLane({ ...front, isHttps })
  let isClosing = false
  const app = Fastify({
    loggerInstance: front.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'foresporselId' }),
    genReqId: () => randomUUID(),
    trustProxy: front.trustProxy === null ? false : [...front.trustProxy],
    bodyLimit: policy.bodyBytesMax,
    // Longer than any head may be: what is too long is told below, whatever the router makes of its tree.
    routerOptions: { maxParamLength: policy.headerBytesMax, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    serverFactory: (listener) => {
      const ordinary = withCommonHeaders(listener, isHttps)
      return openServer(policy, {
        trustProxy: front.trustProxy,
        listener: (request, response) => {
          const isLast = isClosing || front.isEnding()
          if (isLast) response.setHeader('connection', 'close')
          if (isLast || !lane(request, response)) ordinary(request, response)
        },
      })
    },
    // A request on an open connection is still answered while closing; its connection is closed with the answer.
    return503OnClosing: false,
    frameworkErrors: answerProblem(publicUrl),
    clientErrorHandler: answerClientError(publicUrl),
  })
  app.addHook('preClose', async () => {
    isClosing = true
  })
  // Input is read by the routes themselves and answers are written as they are; the schemas are for the document.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))

  await app.register(problemAnswers, { publicUrl })
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasTwoHosts(request.raw)) done(new Problem('ugyldig_foresporsel'))
    else done(hasLongParameter(request.params) ? new Problem('for_lang_adresse') : undefined)
  })
  await app.register(requestTrace)
  await app.register(requestLog, { log: front.log })
  await app.register(openapi, { publicUrl })
  await app.register(async (documented) => {
    await documented.register(securityHeaders, { allowsStyleAttributes: true, formsLeadTo: [] })
    await documented.register(reference)
  })
  await app.register(async (people) =>
    pages(people, { ...front.pages, publicUrl, status: front.status, clock: front.clock }),
  )
  const { webhooks, sales } = front.pages
  if (webhooks !== null) await app.register(async (vipps) => vippsWebhookRoute(vipps, { sales, webhooks }))
  await app.register(async (guarded) => {
    await guarded.register(bearer, front)
    statusRoute(guarded, front)
    searchRoutes(guarded, front)
    bedriftRoute(guarded, front)
    aksjonaererRoute(guarded, front)
    eierskapRoute(guarded, front)
  })
  healthRoutes(app, front)
  securityTxtRoute(app, { contact: front.pages.contact, publicUrl, clock: front.clock })
  readOnly(app, [
    '/api/bedrift/status',
    '/api/bedrift/sok',
    '/api/bedrift/forslag',
    '/api/bedrift/finn',
    '/api/bedrift/:orgnr',
    '/api/bedrift/:orgnr/aksjonaerer',
    '/api/bedrift/:orgnr/eierskap',
  ])
  return app
}

function hasLongParameter(parameters: unknown): boolean {
  return Object.values(parameters ?? {}).some((each) => String(each).length > PARAMETER_LETTERS_MAX)
}

const PARAMETER_LETTERS_MAX = 200

/** Other methods on an address that exists are told so (RFC 9110, 15.5.6); no key is needed to learn it. */
function readOnly(app: FastifyInstance, urls: readonly string[]): void {
  for (const url of urls) {
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      schema: { hide: true },
      handler: async () => {
        throw new Problem('metode_ikke_tillatt', { headers: { allow: 'GET, HEAD' } })
      },
    })
  }
}
