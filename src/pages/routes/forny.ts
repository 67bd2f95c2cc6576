import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { InputError } from '#src/core/errors.ts'
import { closedPage } from '../buy-pages.ts'
import { formReader, mistakeOf, readToken, Typed } from '../forms.ts'
import type { PageTools } from '../page-tools.ts'
import { noRenewalPage, renewPage } from '../renew-page.ts'
import { visitorOf } from '../visitor.ts'

const readConsent = formReader({ vilkaar: Type.Optional(Typed) })

/** The next year of a key, by the link of a reminder. Opening the link orders nothing. */
export function fornyRoutes(app: FastifyInstance, { sales, send, attempt }: PageTools): void {
  const PATH = '/nokkel/forny/:token'
  const hidden = { schema: { hide: true } }
  type Asked = FastifyRequest<{ Params: { token: string } }>

  app.get<{ Params: { token: string } }>(PATH, hidden, (request, reply) => show(request, reply, null))

  app.post<{ Params: { token: string } }>(PATH, hidden, async (request, reply) => {
    const token = readToken(request.params.token)
    const { vilkaar } = readConsent(request.body)
    const visitor = visitorOf(request, `/nokkel/forny/${token}`)
    try {
      const renewal = await sales.renew(token, {
        vilkaarGodtatt: vilkaar === 'ja',
        sprak: visitor.chosen,
      })
      // Whoever has the link is not counted: it is in one mail, and orders one year. Whoever guesses is.
      if (renewal.utfall === 'ugyldig_lenke') attempt('fornyelse', request.ip)
      if (renewal.utfall !== 'bestilt')
        return send.own(reply, noRenewalPage(renewal.utfall, visitor), visitor, { status: 410 })
      return reply
        .header('cache-control', 'no-store')
        .redirect(renewal.redirectUrl ?? visitor.at(`/ordre/${renewal.ordre}`), 303)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return show(request, reply, error)
    }
  })

  async function show(request: Asked, reply: FastifyReply, error: InputError | null): Promise<FastifyReply> {
    const token = readToken(request.params.token)
    const visitor = visitorOf(request, `/nokkel/forny/${token}`)
    const offer = sales.offer()
    if (offer === null) return send.own(reply, closedPage(visitor), visitor)
    const renewal = await sales.readRenewal(token)
    if (renewal === null)
      return send.own(reply, noRenewalPage('ugyldig_lenke', visitor), visitor, { status: 410 })
    if (renewal.erFornyet) return send.own(reply, noRenewalPage('alt_fornyet', visitor), visitor)
    const told = error === null ? null : mistakeOf(error, visitor)
    return send.own(reply, renewPage({ token, offer, renewal, error: told }, visitor), visitor, {
      status: error === null ? 200 : 400,
    })
  }
}
