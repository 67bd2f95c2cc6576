import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Policy } from '#config/policy.ts'
import type { KeySessions } from '#src/access/key-sessions.ts'
import type { NamedKeys } from '#src/access/named-keys.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { Answers } from '#src/cache/answers.ts'
import type { ChangeLog } from '#src/changes/change-log.ts'
import { askedBy, askerIs } from '#src/core/asker.ts'
import { createNetworkList, networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import type { CrowdedLog } from '#src/core/log.ts'
import type { Readiness } from '#src/ops/readiness.ts'
import type { EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { Batches } from '#src/record/batches.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import type { ManyReader } from '#src/record/many.ts'
import type { ShareReader } from '#src/record/share-reader.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'
import { mcpRoute } from '../api/agents/mcp.ts'
import { answerCraft } from '../api/answer-craft.ts'
import { bearer, readerKey } from '../api/bearer.ts'
import { type Deprecation, deprecated } from '../api/deprecations.ts'
import { handoutRoutes } from '../api/handouts/routes.ts'
import { createHitLane } from '../api/hit-lane.ts'
import { listBodies } from '../api/many/list-bodies.ts'
import { openapi } from '../api/openapi.ts'
import { aksjonaererRoute } from '../api/routes/aksjonaerer.ts'
import { avstemmingAddressRoute, avstemmingRoutes } from '../api/routes/avstemming.ts'
import { bedriftRoute, ownAddresses } from '../api/routes/bedrift.ts'
import { bestillingerRoute } from '../api/routes/bestillinger.ts'
import { eierskapRoute } from '../api/routes/eierskap.ts'
import { endepunkterRoute } from '../api/routes/endepunkter.ts'
import { endringerRoute } from '../api/routes/endringer.ts'
import { historikkRoute } from '../api/routes/historikk.ts'
import { oppslagRoute } from '../api/routes/oppslag.ts'
import { overvakingRoute } from '../api/routes/overvaking.ts'
import { type SearchFront, searchRoutes } from '../api/routes/sok.ts'
import { statusRoute } from '../api/routes/status.ts'
import type { ApiDocument } from '../http/api-document.ts'
import { healthRoutes } from '../http/health.ts'
import { goOnInTurn } from '../http/loop-turn.ts'
import { leaveTypeOfNothing } from '../http/plugins/no-body.ts'
import { isForOneHost } from '../http/plugins/one-host.ts'
import { hasPackedBody, packedBody } from '../http/plugins/packed-body.ts'
import { answerClientError, answerProblem, problemAnswers } from '../http/plugins/problem-answers.ts'
import { requestLog } from '../http/plugins/request-log.ts'
import { requestTrace } from '../http/plugins/request-trace.ts'
import { securityHeaders } from '../http/plugins/security-headers.ts'
import { Problem } from '../http/problem.ts'
import { createReceivedSum } from '../http/received-sum.ts'
import { createDoors } from '../http/server/at-socket.ts'
import { createIsHttps, withCommonHeaders } from '../http/server/common-headers.ts'
import { openServer } from '../http/server/open-server.ts'
import { sessionCookie } from '../pages/lookup/guest.ts'
import { type PagesFront, pages } from '../pages/pages.ts'
import { withExampleBatch } from './example-batch.ts'
import { pushOfTestKeys } from './example-endpoint.ts'
import { forTestKeys, type Sandbox, testKeyConstraint, watcherOfTestKey } from './sandbox.ts'
import { securityTxtRoute } from './security-txt.ts'
import { vippsWebhookRoute } from './vipps-webhook.ts'

export type Front = {
  version: string
  reader: Pick<CompanyReader, 'atHand' | 'shared' | 'read' | 'readPart' | 'waiting'>
  many: Pick<ManyReader, 'read' | 'turn' | 'waiting' | 'erased'>
  batches: Batches
  search: SearchFront
  sessions: Pick<KeySessions, 'begin' | 'who' | 'end' | 'rightLately'>
  namedKeys: NamedKeys
  /** Addresses of their own, for programs that can send no header. */
  reconciliation: Pick<KeySessions, 'begin' | 'who'>
  answers: Pick<Answers<Assembled>, 'encoded'>
  shares: ShareReader
  changes: PagesFront['lookup']['changes'] & { log: ChangeLog; giveUp: () => void }
  /** Where changes are sent, by a live key and by a test key of one's own. */
  push: { endpoints: Endpoints; ownerOf: (key: ValidKey) => Promise<EndpointOwner> }
  sandbox: Sandbox
  verifier: Pick<Verifier, 'verify' | 'atHand'>
  readiness(): Promise<Readiness>
  status: PagesFront['status']
  /** The process will close soon: clients are told that their connections end. */
  isEnding(): boolean
  clock: Clock
  log: CrowdedLog
  policy: Numbers<Policy['http']>
  trustProxy: readonly string[] | null
  /** Asked when an answer is written: the address may depend on the port the system chose. */
  publicUrl(): string
  /** What of the interface is on its way out. */
  deprecations: readonly Deprecation[]
  pages: Omit<PagesFront, 'lookup' | 'publicUrl' | 'status' | 'clock' | 'document' | 'tryCall'> & {
    sales: Pick<Sales, 'noteWebhook'>
    /** null: nothing is sold here, and no message of Vipps is for us. */
    webhooks: Pick<Webhooks, 'hear'> | null
  }
}

/** Others than the policy's own, too. */
type Numbers<Decided> = {
  readonly [Name in keyof Decided]: Decided[Name] extends number ? number : Numbers<Decided[Name]>
}

/** What the routes with a key are built upon: the real thing, or the sandbox. */
type Answered = Omit<Front, 'reader' | 'verifier'> & Pick<Sandbox, 'reader' | 'verifier'>

/** Builds the front and opens nothing: whoever calls `listen` opens, and `close` ends. */
export async function createApp(front: Front): Promise<FastifyInstance> {
  const { policy, publicUrl } = front
  const isHttps = createIsHttps(front.trustProxy)
  const lane = createHitLane({ ...front, isHttps })
  let isClosing = false
  const onClientError = answerClientError(publicUrl)
  const doors = createDoors((listener, isAtSocket) => {
    const ordinary = withCommonHeaders(listener, isHttps)
    return openServer(policy, {
      trustProxy: front.trustProxy,
      isAtSocket,
      listener: (request, response) => {
        const isLast = isClosing || front.isEnding()
        if (isLast) response.setHeader('connection', 'close')
        if (isLast || !lane(request, response, ordinary)) ordinary(request, response)
      },
    })
  }, onClientError)
  const app = Fastify({
    loggerInstance: front.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'foresporselId' }),
    genReqId: () => randomUUID(),
    trustProxy: front.trustProxy === null ? false : createNetworkList(front.trustProxy),
    bodyLimit: policy.bodyBytesMax,
    // Longer than any head may be: what is too long is told below, whatever the router makes of its tree.
    routerOptions: {
      maxParamLength: policy.headerBytesMax,
      ignoreTrailingSlash: true,
      constraints: { test: testKeyConstraint(front.sandbox) },
    },
    forceCloseConnections: 'idle',
    serverFactory: doors.serverFactory,
    // A request on an open connection is still answered while closing; its connection is closed with the answer.
    return503OnClosing: false,
    frameworkErrors: answerProblem(publicUrl),
    clientErrorHandler: onClientError,
  })
  app.addHook('preClose', async () => {
    isClosing = true
  })
  doors.giveTo(app)
  app.decorate(
    'receivedSum',
    createReceivedSum({
      bytesMax: policy.receivedBytesMax,
      bytesOfStrangersMax: policy.receivedOfStrangersBytesMax,
      heldMs: policy.receivedHeldMs,
    }),
  )
  // Input is read by the routes themselves and answers are written as they are; the schemas are for the document.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (body) => JSON.stringify(body))

  // Who was answered late is told as well: what was kept for them is closed with the answer.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing || front.isEnding()) reply.header('connection', 'close')
    done()
  })
  await app.register(problemAnswers, { publicUrl })
  app.addHook('onRequest', (request, reply, done) =>
    askedBy(networkOf(request.ip), () => {
      const session = sessionCookie.read(request)
      const right = session === null ? null : front.sessions.rightLately(session)
      if (right !== null) askerIs(right)
      // Where a key is shown there are the turns of that, when it is known whose it is.
      if (request.routeOptions.config.takesKey === true) done()
      else goOnInTurn(reply, done)
    }),
  )
  app.addHook('onRequest', (request, _reply, done) => {
    leaveTypeOfNothing(request.raw)
    if (!isForOneHost(request.raw)) done(new Problem('ugyldig_foresporsel'))
    else if (hasPackedBody(request.raw)) done(packedBody())
    else done(hasLongParameter(request.params) ? new Problem('for_lang_adresse') : undefined)
  })
  await app.register(requestTrace)
  await app.register(requestLog, { log: front.log })
  await app.register(openapi, { publicUrl, contact: front.pages.contact })
  await app.register(async (documented) => {
    await documented.register(securityHeaders, { formsLeadTo: [] })
    handoutRoutes(documented, { publicUrl })
  })
  await app.register(async (people) =>
    pages(people, {
      ...front.pages,
      lookup: front,
      publicUrl,
      status: front.status,
      clock: front.clock,
      document: (language) => app.documentIn(language) as ApiDocument,
      tryCall: (url, ip) => tryCall(app, url, ip),
    }),
  )
  const { webhooks, sales } = front.pages
  if (webhooks !== null) await app.register(async (vipps) => vippsWebhookRoute(vipps, { sales, webhooks }))
  const asked = async (guarded: FastifyInstance, answered: Answered, { isTest }: { isTest: boolean }) => {
    await guarded.register(deprecated, front)
    await guarded.register(answerCraft)
    await guarded.register(bearer, answered)
    listBodies(guarded)
    statusRoute(guarded, answered)
    searchRoutes(guarded, answered)
    bedriftRoute(guarded, { ...answered, isTest })
    aksjonaererRoute(guarded, answered)
    eierskapRoute(guarded, answered)
    oppslagRoute(guarded, answered)
    const batches = isTest ? withExampleBatch(front.batches, front) : front.batches
    bestillingerRoute(guarded, { ...answered, batches, isTest })
    endepunkterRoute(guarded, {
      push: isTest ? pushOfTestKeys(front) : { ...front.push, endpointsFor: () => front.push.endpoints },
    })
    endringerRoute(guarded, { ...answered, isTest })
    historikkRoute(guarded, { ...answered, isTest })
    overvakingRoute(guarded, answered)
    mcpRoute(guarded, { ...answered, isTest })
    avstemmingAddressRoute(guarded, { addresses: front.reconciliation, publicUrl, isTest, readerKey })
  }
  await app.register(async (guarded) => asked(guarded, front, { isTest: false }))
  await app.register(async (tests) => {
    forTestKeys(tests)
    const changes = { ...front.changes, watcherOf: watcherOfTestKey }
    await asked(tests, { ...front, ...front.sandbox, changes }, { isTest: true })
  })
  await app.register(async (programs) =>
    avstemmingRoutes(programs, { ...front, addresses: front.reconciliation }),
  )
  healthRoutes(app, front)
  securityTxtRoute(app, { contact: front.pages.contact, publicUrl, clock: front.clock })
  for (const url of ['/api/bedrift/oppslag', '/api/bedrift/bestillinger', '/api/avstemming-adresse', '/mcp'])
    otherMethods(app, { url, allow: 'POST' })
  for (const base of ['/api/bestillinger', '/api/bedrift/bestillinger']) {
    otherMethods(app, { url: `${base}/:id`, allow: 'GET, HEAD, DELETE' })
    readOnly(app, [`${base}/:id/resultat`])
  }
  otherMethods(app, { url: '/api/endepunkter', allow: 'GET, HEAD, POST' })
  otherMethods(app, { url: '/api/endepunkter/:endepunkt', allow: 'GET, HEAD, PUT, DELETE' })
  for (const act of ['hemmelighet', 'prove', 'igjen'])
    otherMethods(app, { url: `/api/endepunkter/:endepunkt/${act}`, allow: 'POST' })
  readOnly(app, [
    '/api/endepunkter/:endepunkt/leveringer',
    '/api/endepunkter/:endepunkt/leveringer/:levering',
  ])
  otherMethods(app, { url: '/api/overvaking', allow: 'GET, HEAD, POST' })
  otherMethods(app, { url: '/api/overvaking/:orgnr', allow: 'GET, HEAD, PUT, DELETE' })
  readOnly(app, [
    '/api/endringer',
    '/api/bedrift/:orgnr/endringer',
    '/api/bedrift/status',
    '/api/bedrift/sok',
    '/api/bedrift/forslag',
    '/api/bedrift/finn',
    '/api/bedrift/:orgnr',
    '/api/bedrift/:orgnr/aksjonaerer',
    '/api/bedrift/:orgnr/eierskap',
    ...ownAddresses.map((section) => `/api/bedrift/:orgnr/${section}`),
  ])
  for (const base of ['/api/avstemming', '/api/avstemming/:merke']) {
    otherMethods(app, { url: base, allow: 'GET, HEAD, POST' })
    readOnly(app, [`${base}/forslag`, `${base}/forslag/type`, `${base}/forslag/egenskap`, `${base}/visning`])
  }
  return app
}

/** What whoever has nothing but the public test key is answered, from the very routes. */
async function tryCall(
  app: FastifyInstance,
  url: string,
  ip: string,
): Promise<{ status: number; body: unknown }> {
  const { statusCode, headers, body } = await app.inject({
    url,
    remoteAddress: ip,
    headers: { authorization: `Bearer ${PUBLIC_TEST_KEY}` },
  })
  const isLines = String(headers['content-type']).startsWith('application/x-ndjson')
  const lines = isLines ? body.trimEnd().split('\n') : [body]
  const told = lines.map((line) => JSON.parse(line))
  return { status: statusCode, body: isLines ? told : told[0] }
}

function hasLongParameter(parameters: unknown): boolean {
  return Object.values(parameters ?? {}).some((each) => String(each).length > PARAMETER_LETTERS_MAX)
}

const PARAMETER_LETTERS_MAX = 200

/** Other methods on an address that exists are told so (RFC 9110, 15.5.6); no key is needed to learn it. */
function readOnly(app: FastifyInstance, urls: readonly string[]): void {
  for (const url of urls) otherMethods(app, { url, allow: 'GET, HEAD' })
}

function otherMethods(app: FastifyInstance, { url, allow }: { url: string; allow: string }): void {
  const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'].filter(
    (each) => !allow.includes(each),
  )
  app.route({
    method,
    url,
    schema: { hide: true },
    // Whoever sends QUERY is told before anybody looks for what it brings.
    onRequest: async ({ method }) => {
      if (method === 'QUERY') throw notAllowed(allow)
    },
    handler: async () => {
      throw notAllowed(allow)
    },
  })
}

function notAllowed(allow: string): Problem {
  return new Problem('metode_ikke_tillatt', { headers: { allow } })
}
