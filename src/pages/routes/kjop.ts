import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { InputError } from '#src/core/errors.ts'
import { buyPage, closedPage, confirmPage } from '../buy-pages.ts'
import { formReader, mistakeOf, Typed } from '../forms.ts'
import type { PageTools } from '../page-tools.ts'
import { type Visitor, visitorOf } from '../visitor.ts'

const readAddress = formReader({ epost: Typed, skjema: Typed })
const readTyped = formReader({ epost: Typed, skjema: Type.Optional(Typed) })
const readPurchase = formReader({ epost: Typed, skjema: Typed, vilkaar: Type.Optional(Typed) })

/**
 * Buying, in two pages: the address is typed on the first and shown back on the second, with the terms. The form has a token
 * from the first page on, so that two clicks, going back and loading again all mean the same order.
 */
export function kjopRoutes(app: FastifyInstance, { sales, send, attempt }: PageTools): void {
  const PATH = '/kjop'
  const hidden = { schema: { hide: true } }

  app.get(PATH, hidden, async (request, reply) => {
    const visitor = visitorOf(request, PATH)
    const offer = sales.offer()
    if (offer === null) return send.own(reply, closedPage(visitor), visitor)
    return send.own(reply, buyPage(offer, { epost: '', form: newForm(), error: null }, visitor), visitor)
  })

  // Back to the first page with what was typed: another address, or another try at an order that came to nothing.
  app.post(`${PATH}/endre`, hidden, async (request, reply) => {
    const { epost, skjema = newForm() } = readTyped(request.body)
    return shown(request, reply, (offer, visitor) =>
      send.own(reply, buyPage(offer, { epost, form: skjema, error: null }, visitor), visitor),
    )
  })

  // Whoever loads a page again that a form led to comes to the form.
  for (const ofForm of [`${PATH}/betal`, `${PATH}/endre`]) {
    app.get(ofForm, hidden, (request, reply) =>
      reply.header('cache-control', 'no-store').redirect(visitorOf(request, PATH).at(PATH), 303),
    )
  }

  app.post(PATH, hidden, async (request, reply) => {
    const { epost, skjema } = readAddress(request.body)
    return shown(request, reply, (offer, visitor) => {
      const address = parseEmailAddress(epost)
      const page = confirmPage(offer, { epost: address, form: skjema, error: null }, visitor)
      // Kept by this browser alone, so that the way back from Vipps leads here and not to a warning.
      return send.own(reply, page, visitor, { headers: { 'cache-control': 'private, max-age=600' } })
    })
  })

  app.post(`${PATH}/betal`, hidden, async (request, reply) => {
    attempt('bestilling', request.ip)
    const { epost, skjema, vilkaar } = readPurchase(request.body)
    return shown(request, reply, async (_offer, visitor) => {
      const { ordre, redirectUrl } = await sales.placeOrder({
        epost,
        vilkaarGodtatt: vilkaar === 'ja',
        idempotensToken: skjema,
        ip: request.ip,
        sprak: visitor.chosen,
      })
      // 303: a browser that goes back does not send the form again.
      return reply
        .header('cache-control', 'no-store')
        .redirect(redirectUrl ?? visitor.at(`/ordre/${ordre}`), 303)
    })
  })

  function newForm(): string {
    return randomBytes(24).toString('base64url')
  }

  /** Shows the page the mistake was made on, with what was typed, when it was a mistake of the buyer. */
  async function shown(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (
      offer: NonNullable<ReturnType<typeof sales.offer>>,
      visitor: Visitor,
    ) => FastifyReply | Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const visitor = visitorOf(request, PATH)
    const offer = sales.offer()
    if (offer === null) return send.own(reply, closedPage(visitor), visitor, { status: 409 })
    try {
      return await work(offer, visitor)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const { epost, skjema } = readAddress(request.body)
      const typed = {
        epost,
        form: skjema,
        error: mistakeOf(error, visitor),
      }
      const isOfTerms = error.code === 'vilkaar_ikke_godtatt'
      const page = isOfTerms ? confirmPage(offer, typed, visitor) : buyPage(offer, typed, visitor)
      return send.own(reply, page, visitor, { status: 400 })
    }
  }
}
