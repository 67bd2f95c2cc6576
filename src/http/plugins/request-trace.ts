import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { beginStep, type TracedStep } from '#src/core/trace.ts'
import type { ProblemCode } from '../problems.ts'
import { fetchedOf } from './request-log.ts'
import { whenTold } from './when-told.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer says is wrong; null when nothing is. */
    problem: ProblemCode | null
  }
}

/**
 * The step the caller's request is of, where it says so (W3C Trace Context): ours goes on from it. Whether the caller keeps its
 * own trace does not decide what is kept here.
 */
export function callersStep(traceparent: IncomingHttpHeaders[string]): string | null {
  return typeof traceparent === 'string' ? traceparent.replace(/-[0-9a-f]{2}$/, '-01') : null
}

/** A request as a step, with its route's pattern and never its address; in the caller's trace, where there is one. */
export const requestTrace = plugin(
  async (app) => {
    app.decorateRequest('problem', null)
    const steps = new WeakMap<FastifyRequest, TracedStep>()
    app.addHook('onRequest', (request, _reply, done) => {
      const route = request.routeOptions.url ?? 'none'
      const step = beginStep(
        'answering',
        `${request.method} ${route}`,
        {
          'http.route': route,
          'request.id': request.id,
        },
        callersStep(request.headers.traceparent),
      )
      if (step === null) {
        done()
        return
      }
      steps.set(request, step)
      step.run(done)
    })
    whenTold(app, (request, _reply, status) => {
      const failure = status >= 500 ? String(status) : null
      steps.get(request)?.end(
        {
          'http.response.status_code': status,
          ...(request.came !== null && { fetched: fetchedOf(request.came) }),
          ...(request.problem !== null && { 'problem.code': request.problem }),
        },
        failure,
      )
    })
  },
  { name: 'request-trace' },
)
