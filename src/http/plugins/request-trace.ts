import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { beginStep, type Step } from '#src/core/trace.ts'
import type { ProblemCode } from '../problems.ts'
import { fetchedOf } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer says is wrong; null when nothing is. */
    problem: ProblemCode | null
  }
}

/**
 * A request as a step, with its route's pattern and never its address. What a caller sends of traces of its own is not
 * taken up: it would decide what is traced here.
 */
export const requestTrace = plugin(
  async (app) => {
    app.decorateRequest('problem', null)
    const steps = new WeakMap<FastifyRequest, Step>()
    app.addHook('onRequest', (request, _reply, done) => {
      const route = request.routeOptions.url ?? 'none'
      const step = beginStep('answering', `${request.method} ${route}`, {
        'http.route': route,
        'request.id': request.id,
      })
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
