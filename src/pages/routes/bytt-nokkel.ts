import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { InputError } from '#src/core/errors.ts'
import { formReader, mistakeOf, readToken, Typed } from '../forms.ts'
import type { PageTools } from '../page-tools.ts'
import {
  askForReplacementPage,
  confirmReplacementPage,
  replacementAskedPage,
  replacementResultPage,
} from '../replace-pages.ts'
import { visitorOf } from '../visitor.ts'

const readRequest = formReader({ epost: Typed, grunn: Type.Enum(['tapt', 'lekket']) })
const resultStatus = { sendes: 200, alt_byttet: 200, ugyldig_lenke: 410, for_mange: 429 }

/**
 * A key is replaced: an address leads to a mail, its link to a page with a button, the button to a new key by mail. Whoever
 * knows the address alone gets the same answer for every address (P35), and opening a link does nothing.
 */
export function byttNokkelRoutes(app: FastifyInstance, { sales, send, attempt }: PageTools): void {
  const PATH = '/bytt-nokkel'
  const hidden = { schema: { hide: true } }

  app.get(PATH, hidden, async (request, reply) => {
    const visitor = visitorOf(request, PATH)
    return send.own(reply, askForReplacementPage(visitor), visitor)
  })

  app.post(PATH, hidden, async (request, reply) => {
    attempt('bytte', request.ip)
    const visitor = visitorOf(request, PATH)
    const { epost, grunn } = readRequest(request.body)
    try {
      await sales.requestReplacement(epost, grunn)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const typed = {
        epost,
        isLeaked: grunn === 'lekket',
        error: mistakeOf(error, visitor),
      }
      return send.own(reply, askForReplacementPage(visitor, typed), visitor, { status: 400 })
    }
    return reply.header('cache-control', 'no-store').redirect(visitor.at(`${PATH}/sendt`), 303)
  })

  app.get(`${PATH}/sendt`, hidden, async (request, reply) => {
    const visitor = visitorOf(request, `${PATH}/sendt`)
    return send.own(reply, replacementAskedPage(visitor), visitor)
  })

  app.get<{ Params: { token: string } }>('/nokkel/erstatt/:token', hidden, async (request, reply) => {
    const token = readToken(request.params.token)
    const visitor = visitorOf(request, `/nokkel/erstatt/${token}`)
    const found = await sales.readReplacement(token)
    if (found.utfall === 'kan_byttes') return send.own(reply, confirmReplacementPage(token, visitor), visitor)
    return send.own(reply, replacementResultPage(found, visitor), visitor, {
      status: resultStatus[found.utfall],
    })
  })

  app.post<{ Params: { token: string } }>('/nokkel/erstatt/:token', hidden, async (request, reply) => {
    const token = readToken(request.params.token)
    const visitor = visitorOf(request, `/nokkel/erstatt/${token}`)
    const outcome = await sales.confirmReplacement(token)
    // Whoever has the link is not counted: nobody behind the same address keeps them from ending a key that leaked. Whoever guesses is.
    if (outcome.utfall === 'ugyldig_lenke') attempt('erstatt', request.ip)
    return send.own(reply, replacementResultPage(outcome, visitor), visitor, {
      status: resultStatus[outcome.utfall],
    })
  })
}
