import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { UIConfig } from '@bull-board/api/dist/types.js'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { DeedEnding } from '#src/ops/deeds.ts'
import { queueName } from '#src/queue/backend.ts'
import { lanes } from '#src/queue/jobs.ts'
import { OpsRefusal, refusalCodeOf, refusalStatusOf, refusalTextOf, refuse } from './refusal.ts'
import { operatorOf } from './session.ts'

export type Board = {
  /** BullMQ's queues. @throws QueueUnavailableError, QueueMayEvictError */
  queues(): Promise<readonly object[]>
  /** Each worker has a connection of its own, by which it is found. Otherwise nothing is said of them: not that there are none. */
  hasFindableWorkers: boolean
  /** What the board asks of them, for so long as an operator waits. @throws QueueUnavailableError when they fail or are silent */
  asked<T>(work: Promise<T>): Promise<T>
  /** An operator changes a job or a queue. In the trail before it is done, and how it ended after it, whoever waits for the answer. */
  change<T>(hvem: string, what: string, act: () => Promise<T>, endOf: () => DeedEnding): Promise<T>
}

/**
 * Every queue and its jobs: to look at for all operators, and to change for those who may, at an address of its own. Payloads
 * are numbers of companies, orders and keys' chains; no job holds a key or anything of a person.
 */
export async function boardRoutes(app: FastifyInstance, { board }: { board: Board }): Promise<void> {
  app.get('/jobber', async (request, reply) =>
    reply.redirect(operatorOf(request).rolle === 'skrive' ? '/jobber/styr/' : '/jobber/se/', 303),
  )
  await app.register(async (scope) => {
    // The board refuses it for each queue, but not what is for all of them.
    scope.addHook('onRequest', async ({ method }) => {
      if (method !== 'GET' && method !== 'HEAD') throw new OpsRefusal('bare_se')
    })
    askInTime(scope, board)
    await mount(scope, board, '/jobber/se', { isReadOnly: true })
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (operatorOf(request).rolle !== 'skrive') return refuse(request, reply, new OpsRefusal('bare_lese'))
    })
    // Before it is written down: how a deed ended is what its operator is told.
    askInTime(scope, board)
    scope.addHook('onRoute', (route) => {
      const { handler, url } = route
      // The board's files are of two methods at once.
      if ([route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return
      if (!DEED.test(url)) {
        route.handler = async () => {
          throw new OpsRefusal('ikke_her')
        }
        return
      }
      route.handler = function (request, reply) {
        // The route's pattern and the queue: which job it was is in the board.
        const { queueName: name = '' } = request.params as { queueName?: string }
        // What somebody makes of the address stands in no trail.
        if (name !== '' && !QUEUES.has(name)) throw new OpsRefusal('ukjent_adresse')
        return board.change(
          operatorOf(request).navn,
          `${request.method} ${url} ${name}`,
          async () => handler.call(this, request, reply),
          () => (reply.statusCode < 400 ? {} : { utfall: 'avvist' }),
        )
      }
    })
    await mount(scope, board, '/jobber/styr', { isReadOnly: false })
  })
}

/**
 * What is done here: a lane is stopped and let go on, its jobs are tried again, brought forward and taken away. All else a board can do
 * goes past what keeps the service: a lane's pace has bounds and a reason, and one that is given here would outlast every process and be
 * told by nobody; jobs are made by what they follow from, and say what that says.
 */
const DEED =
  /\/api\/queues\/(?:pause|resume|:queueName\/(?:pause|resume|promote|empty|obliterate|(?:retry|clean)\/:queueStatus|:jobId\/(?:retry|clean|promote)))$/

const QUEUES: ReadonlySet<string> = new Set(lanes.map(queueName))

/** BullMQ waits for a server that is silent as long as that likes, and fails with its client's words when it is away. */
function askInTime(scope: FastifyInstance, board: Pick<Board, 'asked'>): void {
  scope.addHook('onRoute', (route) => {
    const { handler, url } = route
    if (!url.includes('/api/')) return
    route.handler = function (request, reply) {
      return board.asked(
        Promise.try(() => handler.call(this, request, reply)).catch((error) => {
          throw isOfTheJob(error) ? new OpsRefusal('annen_tilstand') : error
        }),
      )
    }
  })
}

/** BullMQ numbers what it refuses downwards from nought: the job is not there any more, or not where it was seen. */
function isOfTheJob(error: Error & { code?: unknown }): boolean {
  return typeof error.code === 'number' && error.code < 0
}

async function mount(
  scope: FastifyInstance,
  board: Board,
  prefix: string,
  { isReadOnly }: { isReadOnly: boolean },
): Promise<void> {
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(prefix)
  const { setQueues } = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { ...uiConfig, showWorkers: board.hasFindableWorkers } },
  })
  // Its own would answer our refusals as faults, and repeat the text of any error.
  serverAdapter.setErrorHandler((error) => ({
    status: refusalStatusOf(error) as 500,
    body: { error: refusalCodeOf(error), message: refusalTextOf(error), details: '' },
  }))
  let shown: readonly object[] = []
  scope.addHook('onRequest', async () => {
    const queues = await board.queues()
    // A queue that failed is made anew.
    if (queues.length === shown.length && queues.every((queue, index) => queue === shown[index])) return
    shown = queues
    setQueues(
      queues.map(
        (queue) => new BullMQAdapter(queue as never, { readOnlyMode: isReadOnly, allowRetries: !isReadOnly }),
      ),
    )
  })
  // Its own would ask the queue for what neither Redis nor PostgreSQL can count to, and have us at fault for it.
  scope.addHook('onRequest', async ({ query, url }) => {
    if (!isPage.Check(query) || url.includes('%00')) throw new OpsRefusal('ingen_side')
  })
  scope.addHook('onSend', async (_request, reply, payload) => {
    // Its pages style themselves as they go.
    reply.header('content-security-policy', BOARD_POLICY)
    if (typeof payload !== 'string') return payload
    return (
      payload
        // Nothing is loaded from elsewhere, so it is not asked for either.
        .replace(/<link href="https:\/\/fonts\.[^>]*>/, '')
        .replace('</head>', '<script src="/stil/tavle.js" defer></script></head>')
    )
  })
  await scope.register(serverAdapter.registerPlugin(), { prefix })
}

/** Of a lane a thousand jobs that are over are kept at most. */
const isPage = Compile(
  Type.Object({
    activeQueue: Type.Optional(Type.String({ pattern: '^[\\w-]{0,100}$' })),
    page: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$' })),
    jobsPerPage: Type.Optional(Type.String({ pattern: '^([0-9]{1,3}|1000)$' })),
  }),
)

const uiConfig: UIConfig = {
  boardTitle: 'Jobber',
  miscLinks: [{ text: 'Oversikt', url: '/' }],
  // Of the languages it has, the one whose times are written as here.
  locale: { lng: 'en-GB' },
  hideRedisDetails: true,
  hideDocsLink: true,
  // Its own are too weak: the grey behind the shortcut of the search field, and the name of the queue one looks at.
  theme: {
    light: {
      'muted-foreground': '#515c66',
      'sidebar-state-selected-foreground': '#0a4f47',
      'state-selected-foreground': '#0a4f47',
    },
    dark: { 'muted-foreground': '#9ba6b5' },
  },
}

const BOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
