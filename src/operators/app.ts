import type { Socket } from 'node:net'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { askedBy } from '#src/core/asker.ts'
import { createNetworkList } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { oneForAll } from '#src/core/one-for-all.ts'
import type { Operators } from '#src/ops/operators.ts'
import type { Overview } from '#src/ops/overview.ts'
import type { Readiness } from '#src/ops/readiness.ts'
import type { SearchIndexSeen } from '#src/ops/search-index.ts'
import type { Steering } from '#src/ops/steering.ts'
import { healthRoutes } from '../http/health.ts'
import { turnOfLoop } from '../http/loop-turn.ts'
import { leaveTypeOfNothing } from '../http/plugins/no-body.ts'
import { isForOneHost } from '../http/plugins/one-host.ts'
import { answerSocket } from '../http/server/answer-socket.ts'
import { createDoors } from '../http/server/at-socket.ts'
import { createIsHttps, withCommonHeaders } from '../http/server/common-headers.ts'
import { openServer, type ServerBounds } from '../http/server/open-server.ts'
import { type Board, boardRoutes } from './board.ts'
import { type CanaryView, canaryRoute } from './canary-route.ts'
import { type CompanyView, companyRoutes } from './company-routes.ts'
import { type KeyView, keyRoutes } from './key-routes.ts'
import { createIsKnownHost } from './known-host.ts'
import { type LifetimeView, lifetimeRoutes } from './lifetime-routes.ts'
import { loginRoutes } from './login-routes.ts'
import { type OrderReader, orderRoutes } from './order-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { answerRefusal, isToBeLogged, OpsRefusal } from './refusal.ts'
import { searchRoute } from './search-route.ts'
import { operatorSession } from './session.ts'
import { styleRoutes } from './style-routes.ts'
import { trailRoute } from './trail-route.ts'

export type OpsSide = {
  version: string
  readiness(): Promise<Readiness>
  metrics: { contentType: string; write(): Promise<string> }
  operators: Operators
  overview(): Promise<Overview>
  canary: CanaryView
  searchIndex: () => Promise<SearchIndexSeen>
  steering: Steering
  lifetimes: LifetimeView
  companies: CompanyView
  keys: KeyView
  orders: OrderReader
  board: Board
  trustProxy: readonly string[] | null
  /** Names it is reached by, besides addresses and names without a dot. */
  names: readonly string[]
  clock: Clock
  log: Log
  policy: {
    sessionMs: number
    bodyBytesMax: number
    liveEveryMs: number
    liveForMs: number
    livesMax: number
    server: ServerBounds
  }
}

/**
 * The operators' side, on a port of its own. Health and metrics are open to whoever reaches the port; everything else is for
 * operators, and as long as there are none there is nothing else. Opens nothing until `listen`.
 */
export async function createOpsApp(side: OpsSide): Promise<FastifyInstance> {
  const doors = createDoors(
    (listener, isAtSocket) =>
      openServer(side.policy.server, {
        trustProxy: side.trustProxy,
        isAtSocket,
        listener: withCommonHeaders(listener, createIsHttps(side.trustProxy)),
      }),
    refuseSocket,
  )
  const app = Fastify({
    loggerInstance: side.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Behind a proxy with TLS the session's cookie is for https alone.
    trustProxy: side.trustProxy === null ? false : createNetworkList(side.trustProxy),
    bodyLimit: side.policy.bodyBytesMax,
    serverFactory: doors.serverFactory,
    frameworkErrors: (error, request, reply) => answerRefusal(request, reply.headers(HEADERS), error),
    clientErrorHandler: refuseSocket,
    // An open overview would otherwise hold the end of the process up.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
  })
  doors.giveTo(app)
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    if (isToBeLogged(error)) side.log.error({ err: error }, 'fault on the operators’ side')
    return answerRefusal(request, reply, error)
  })
  app.setNotFoundHandler(() => {
    throw new OpsRefusal('ukjent_adresse')
  })
  app.addHook('onRequest', (_request, _reply, done) => askedBy('driftssiden', done))
  const isKnownHost = createIsKnownHost(side.names)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    leaveTypeOfNothing(request.raw)
    if (!isForOneHost(request.raw)) throw new OpsRefusal('ikke_ett_navn')
    if (!isKnownHost(request.raw)) throw new OpsRefusal('fremmed_navn')
  })
  await app.register(formbody, { bodyLimit: side.policy.bodyBytesMax })
  healthRoutes(app, side)
  // As bytes: a text would be encoded anew for each of the answers, and held beside each until that is read.
  const metrics = oneForAll(async () => Buffer.from(await side.metrics.write()))
  app.get('/metrics', async (_request, reply) => {
    const bytes = await metrics()
    // Hundreds waited for the same, and would all be answered in one turn of the event loop.
    await turnOfLoop(reply)
    return reply.type(side.metrics.contentType).send(bytes)
  })
  styleRoutes(app)
  loginRoutes(app, side)
  await app.register(async (inside) => {
    await inside.register(operatorSession, { operators: side.operators })
    overviewRoutes(inside, side)
    lifetimeRoutes(inside, side)
    companyRoutes(inside, side)
    keyRoutes(inside, side)
    orderRoutes(inside, side)
    trailRoute(inside, side)
    canaryRoute(inside, side)
    searchRoute(inside, side)
    await boardRoutes(inside, side)
  })
  return app
}

/**
 * Nothing is loaded from elsewhere, or into a page of others, no script stands in a page, no page that opened one of these holds on to it,
 * and nothing is kept by the browser or a proxy.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Broken HTTP, too large headers, too slow: whatever it is, it is the caller's. */
function refuseSocket({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  answerSocket(socket, {
    status: code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400,
    headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ kode: 'feil', tekst: 'Forespørselen kan ikke leses.' }),
  })
}
