import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InputError } from '#src/core/errors.ts'
import { PageFailure } from '../failures.ts'
import { formReader, mistakeOf, readToken, Typed } from '../forms.ts'
import { orderPage } from '../order-page.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'
import { wholeSample } from '../whole-sample.ts'

const readAddress = formReader({ epost: Typed })

/** The buyer's page. It reads the truth each time it is asked for, so it is the same in any browser. */
export function ordreRoutes(
  app: FastifyInstance,
  { sales, samples, send, assets, frame, publicUrl, attempt }: PageTools,
): void {
  app.get<{ Params: { token: string } }>('/ordre/:token', { schema: { hide: true } }, (request, reply) =>
    show(request, reply, readToken(request.params.token)),
  )

  app.get<{ Params: { token: string } }>('/ordre/:token/adresse', { schema: { hide: true } }, back)

  app.post<{ Params: { token: string } }>(
    '/ordre/:token/adresse',
    { schema: { hide: true } },
    async (request, reply) => {
      const token = readToken(request.params.token)
      const { epost } = readAddress(request.body)
      try {
        // Whether it was possible is told by the page, as it is by now. Whoever has the page's address is not counted, as by a link.
        const outcome = await sales.giveOtherAddress(token, epost)
        if (outcome === 'ikke_mulig') attempt('adresse', request.ip)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        return show(request, reply, token, { epost, error })
      }
      const visitor = visitorOf(request, '/')
      return reply.header('cache-control', 'no-store').redirect(visitor.at(`/ordre/${token}`), 303)
    },
  )

  app.get<{ Params: { token: string } }>('/ordre/:token/igjen', { schema: { hide: true } }, back)

  app.post<{ Params: { token: string } }>(
    '/ordre/:token/igjen',
    { schema: { hide: true } },
    async (request, reply) => {
      attempt('bestilling', request.ip)
      const visitor = visitorOf(request, '/')
      const placed = await sales.orderAgain(readToken(request.params.token), {
        ip: request.ip,
        sprak: visitor.chosen,
      })
      const to =
        placed === null ? visitor.at('/kjop') : (placed.redirectUrl ?? visitor.at(`/ordre/${placed.ordre}`))
      return reply.header('cache-control', 'no-store').redirect(to, 303)
    },
  )

  /** Whoever loads a page again that a form led to comes to the form. */
  function back(request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply): FastifyReply {
    const token = readToken(request.params.token)
    return reply
      .header('cache-control', 'no-store')
      .redirect(visitorOf(request, '/').at(`/ordre/${token}`), 303)
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    refused: { epost: string; error: InputError } | null = null,
  ): Promise<FastifyReply> {
    const order = await sales.readOrder(token)
    if (order === null) throw new PageFailure('ukjent')
    const visitor = visitorOf(request, `/ordre/${token}`)
    const shown = {
      order,
      offer: sales.offer(),
      token,
      publicUrl: publicUrl(),
      contact: frame.contact,
      script: assets.orderScript.path,
      sample: await wholeSample(samples),
    }
    const { epost, error } = refused ?? {}
    const typed =
      epost === undefined || error === undefined ? null : { epost, error: mistakeOf(error, visitor) }
    return send.own(reply, orderPage(shown, visitor, typed), visitor, {
      status: typed === null ? 200 : 400,
    })
  }
}
