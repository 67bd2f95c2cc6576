import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Operator, Operators } from '#src/ops/operators.ts'
import { createSessionCookie } from '../http/session-cookie.ts'
import { OpsRefusal, refuse } from './refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A question that is sent as a form, so that what is asked for stands in no address: whoever may read may ask it. */
    changesNothing?: boolean
  }
  interface FastifyRequest {
    /** Who asks; set on every route behind the login. */
    operator: Operator | null
  }
}

/**
 * Lets operators in: programs with `Authorization: Bearer`, people with a session in a cookie that no script can read and no
 * other site can make the browser send. What changes something is taken from this origin alone, and from operators who may.
 */
export const operatorSession = plugin<{ operators: Credentials }>(
  async (app, { operators }) => {
    app.decorateRequest('operator', null)
    app.addHook('onRequest', atTheDoor)
    // What is sent along takes as long as its sender likes: who was removed meanwhile changes nothing.
    app.addHook('preHandler', async (request, reply) =>
      isLooking(request) ? undefined : atTheDoor(request, reply),
    )

    async function atTheDoor(
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply | undefined> {
      try {
        await letIn(request)
        return undefined
      } catch (error) {
        if (error instanceof OpsRefusal) return refuse(request, reply, error)
        throw error
      }
    }

    async function letIn(request: FastifyRequest): Promise<void> {
      request.operator = await findOperator(operators, request)
      if (isLooking(request)) return
      if (bearerOf(request) === null) refuseOtherOrigin(request)
      if (request.routeOptions.config.changesNothing === true) return
      if (request.operator.rolle !== 'skrive') throw new OpsRefusal('bare_lese')
    }
  },
  { name: 'operator-session' },
)

function isLooking({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

type Credentials = Pick<Operators, 'byToken' | 'bySession'>

/** Whose token or session comes with it, as of now. @throws OpsRefusal */
export async function findOperator(operators: Credentials, request: FastifyRequest): Promise<Operator> {
  const token = bearerOf(request)
  if (token !== null) {
    const operator = await operators.byToken(token, request.ip)
    if (typeof operator === 'string') throw new OpsRefusal(operator)
    return operator
  }
  const session = sessionOf(request)
  const operator = session === null ? null : await operators.bySession(session)
  if (operator === null) throw new OpsRefusal('logg_inn')
  return operator
}

/** Whoever is behind the login; asking elsewhere is a fault of ours. */
export function operatorOf(request: FastifyRequest): Operator {
  if (request.operator === null) throw new Error('a route behind the login ran without an operator')
  return request.operator
}

/**
 * A browser tells where a form was sent from (Fetch Standard, origin header): another site's is refused, and so is none. Where a proxy
 * that is trusted says that this came by https, what the same name shows by http is another's: whoever is on the way has made it.
 */
export function refuseOtherOrigin({ headers, host, protocol }: FastifyRequest): void {
  const from = headers.origin === undefined ? null : URL.parse(headers.origin)
  const isOurs = from?.host === host && (protocol !== 'https' || from.protocol === 'https:')
  if (!isOurs) throw new OpsRefusal('fremmed_opphav')
}

const cookie = createSessionCookie('bedriftsdrift')
export const { read: sessionOf, set: setSession } = cookie

function bearerOf(request: FastifyRequest): string | null {
  const match = /^bearer +(\S{1,200})$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}
