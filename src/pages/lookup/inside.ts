import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ValidKey } from '#src/access/verify.ts'
import type { PageTools } from '../page-tools.ts'
import { type Visitor, visitorOf } from '../visitor.ts'
import { formToken } from './form-token.ts'
import { type Guest, guestOf } from './guest.ts'
import { enterPage } from './key-pages.ts'

type Tools = Pick<PageTools, 'lookup' | 'send'>
type Insider = { visitor: Visitor; guest: Guest; key: ValidKey }

/**
 * A page, or a form of one, for whoever is in. Others are shown the way in, and come back to the page: where they were, or for
 * a form to where it leads from.
 *
 * @param from the path of the page whose forms these are
 */
export function insideFrom({ lookup, send }: Tools, from: string) {
  return (
    work: (request: FastifyRequest, reply: FastifyReply, who: Insider) => Promise<FastifyReply>,
  ): ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request, reply) => {
      const isPage = request.method !== 'POST'
      const visitor = visitorOf(request, isPage ? (request.url.split('?', 1)[0] ?? from) : from)
      const guest = await guestOf(lookup.sessions, request, reply)
      const { key } = guest
      if (key !== null) return work(request, reply, { visitor, guest, key })
      return showWayIn(request, reply, {
        visitor,
        send,
        leadsTo: visitor.at(from),
        status: isPage ? 200 : 401,
      })
    }
}

/** @param leadsTo where whoever comes in is led to; a path of ours */
export function showWayIn(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    visitor,
    send,
    leadsTo,
    status,
  }: Pick<Tools, 'send'> & { visitor: Visitor; leadsTo: string; status: 200 | 401 },
): FastifyReply {
  const page = enterPage({ token: formToken(request, reply), leadsTo, fault: null, wanted: null }, visitor)
  return send.own(reply, page, visitor, { status })
}
