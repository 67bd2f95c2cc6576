import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { beginStep, type TracedStep } from '#src/core/trace.ts'
import type { ProblemCode } from '../problems.ts'
import { fetchedOf } from './request-log.ts'

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
    app.addHook('onResponse', (request, reply, done) => {
      const { statusCode } = reply
      const failure = statusCode >= 500 ? String(statusCode) : null
      steps.get(request)?.end(
        {
          'http.response.status_code': statusCode,
          ...(request.came !== null && { fetched: fetchedOf(request.came) }),
          ...(request.problem !== null && { 'problem.code': request.problem }),
        },
        failure,
      )
      done()
    })
  },
  { name: 'request-trace' },
)
