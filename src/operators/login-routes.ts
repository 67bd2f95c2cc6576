import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Log } from '#src/core/log.ts'
import type { Operators } from '#src/ops/operators.ts'
import { loginPage } from './pages/login.ts'
import { operatorRefusals } from './refusal.ts'
import { refuseOtherOrigin, sessionOf, setSession } from './session.ts'

const isLogin = Compile(Type.Object({ token: Type.String({ maxLength: 100 }) }))

/** In with a token, out with a button. The token itself goes no further than to its hash. */
export function loginRoutes(
  app: FastifyInstance,
  { operators, log, policy }: { operators: Operators; log: Log; policy: { sessionMs: number } },
): void {
  const page = async (fault: string | null) => loginPage({ areOperators: await operators.areThere(), fault })

  app.get('/inn', async (_request, reply) => reply.type(HTML).send(await page(null)))

  app.post('/inn', async (request, reply) => {
    refuseOtherOrigin(request)
    const body = request.body
    const begun = isLogin.Check(body)
      ? await operators.begin(body.token.trim(), request.ip)
      : 'ukjent_operator'
    if (typeof begun === 'string') {
      // The first few are worth a line; a flood of them is not worth the log.
      if (begun === 'ukjent_operator') log.warn('a login to the operators’ side failed')
      const { status, text } = operatorRefusals[begun]
      return reply
        .code(status)
        .type(HTML)
        .send(await page(text))
    }
    log.info({ operator: begun.operator.navn }, 'an operator logged in')
    setSession(request, reply, { value: begun.value, seconds: Math.floor(policy.sessionMs / 1000) })
    return reply.redirect('/', 303)
  })

  app.post('/ut', async (request, reply) => {
    refuseOtherOrigin(request)
    const session = sessionOf(request)
    if (session !== null) await operators.end(session)
    setSession(request, reply, null)
    return reply.redirect('/inn', 303)
  })
}

const HTML = 'text/html; charset=utf-8'
