import type { FastifyInstance } from 'fastify'
import { InputError } from '#src/core/errors.ts'
import { abortAfter } from '#src/core/wait.ts'
import { languageOf } from '../../http/negotiation.ts'
import { Problem } from '../../http/problem.ts'
import { whenOver } from '../../http/when-over.ts'
import { ofWhom } from '../of-whom.ts'
import { crowded } from '../routes/bedrift.ts'
import type { Asking, ToolSide } from './tool-server.ts'

/**
 * The tools of agents (Model Context Protocol, streamable HTTP): the same answers in the same turns as the addresses give, cut
 * to what a reader with little room needs. Each request stands alone, of one message: there is no session, nothing is told
 * unasked, and nothing of a request is left when it has been answered or its time is over (P98).
 */
export function mcpRoute(
  app: FastifyInstance,
  {
    publicUrl,
    policy,
    ...side
  }: ToolSide & { publicUrl: () => string; policy: { connectionTimeoutMs: number } },
): void {
  let opening: ReturnType<typeof open> | undefined

  /** Loaded by the first who asks: most processes never serve it, and a tenth of their start would be for it. */
  async function open() {
    const { createToolServer } = await import('./tool-server.ts')
    return createToolServer(side)
  }

  app.post('/mcp', { schema: { hide: true } }, async (request, reply) => {
    const { origin } = request.headers
    // A page of a stranger that has a browser ask (DNS rebinding): agents send no Origin.
    if (origin !== undefined && origin !== new URL(publicUrl()).origin) throw new Problem('fremmed_opphav')
    if (Array.isArray(request.body)) throw oneMessage()
    const headers = new Headers()
    for (const name of ASKED_WITH) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const asking: Asking = {
      caller: ofWhom(request),
      language: languageOf(request.headers['accept-language']),
    }
    const over = new AbortController()
    whenOver(reply, () => over.abort())
    // Whoever waits longer has lost the connection by then.
    const answered = abortAfter(policy.connectionTimeoutMs, over)
    let fault: unknown = null
    opening ??= open()
    const serve = await opening
    const handler = serve(asking, (error) => {
      fault = error
    })
    try {
      const answer = await handler.fetch(
        new Request(`${publicUrl()}/mcp`, { method: 'POST', headers, signal: over.signal }),
        { parsedBody: request.body },
      )
      const text = await answer.text()
      if (over.signal.aborted) throw crowded()
      if (answer.status >= 500) side.log.error({ err: fault }, 'fault while answering an agent')
      const type = answer.headers.get('content-type')
      reply.code(answer.status).header('cache-control', 'no-store')
      if (type !== null) reply.type(type)
      return reply.send(text)
    } finally {
      answered()
      over.abort()
      await handler.close()
    }
  })
}

/** A list of messages is of a revision that has ended, and would be a hundred questions for one. */
function oneMessage(): InputError {
  return new InputError('ugyldig_parameter', 'body', {
    norsk: 'Send én melding i hver forespørsel.',
    english: 'Send one message in each request.',
  })
}

/** What the protocol says in the head; the key stays here. */
const ASKED_WITH = [
  'content-type',
  'accept',
  'accept-language',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'traceparent',
] as const
