import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import type { Log } from '#src/core/log.ts'
import { rest } from '#src/core/wait.ts'
import type { Operators } from '#src/ops/operators.ts'
import type { Overview } from '#src/ops/overview.ts'
import { layout } from './pages/layout.ts'
import { overviewBody } from './pages/overview.ts'
import { OpsRefusal } from './refusal.ts'
import { findOperator, operatorOf } from './session.ts'

/** The overview as a page, as JSON, and as a stream for a page that is open. */
export function overviewRoutes(
  app: FastifyInstance,
  {
    overview,
    operators,
    log,
    policy,
  }: {
    overview: () => Promise<Overview>
    operators: Operators
    log: Log
    policy: { liveEveryMs: number; liveForMs: number; livesMax: number }
  },
): void {
  let lives = 0

  app.get('/', async (request, reply) => {
    const body = html`<p id="forbindelse" role="status"></p><div id="levende">!${overviewBody(await overview())}</div>`
    const page = layout({ title: 'Oversikt', operator: operatorOf(request), path: '/', live: true }, body)
    return reply.type('text/html; charset=utf-8').send(page)
  })

  app.get('/oversikt.json', async () => overview())

  // Without HEAD: what goes on for ever has no head to look at by itself.
  app.get('/strom', { exposeHeadRoute: false }, async (request, reply) => {
    if (lives >= policy.livesMax) throw new OpsRefusal('for_mange_folger')
    lives += 1
    const gone = new AbortController()
    const stop = () => gone.abort()
    request.raw.once('close', stop)
    const until = AbortSignal.any([gone.signal, AbortSignal.timeout(policy.liveForMs)])
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
    })
    try {
      while (!until.aborted && (await mayFollow(request))) {
        // JSON, so that no line break in it ends the event.
        const body = await overview().then(overviewBody, () => null)
        if (body !== null) raw.write(`event: oversikt\ndata: ${JSON.stringify(body)}\n\n`)
        await rest(policy.liveEveryMs, until)
      }
    } catch (error) {
      log.warn({ err: error }, 'an open overview could not be kept up to date')
    } finally {
      lives -= 1
      request.raw.off('close', stop)
      raw.end()
    }
  })

  /** Whoever was removed, or has logged out, follows no longer. That nobody can tell now is what the overview is looked at for. */
  async function mayFollow(request: FastifyRequest): Promise<boolean> {
    try {
      await findOperator(operators, request)
      return true
    } catch (error) {
      return !(error instanceof OpsRefusal)
    }
  }
}
