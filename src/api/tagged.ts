import type { FastifyReply, FastifyRequest } from 'fastify'
import { createWeakEtag } from '#src/cache/answers.ts'
import { matchesAny } from '../http/conditions.ts'

/**
 * An answer that is not held as bytes, with a tag over its facts: 304 and nothing else to a client that has them.
 *
 * @param facts what the tag is of, where the body also says when it was made
 */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, type, facts = body }: { body: string; type: string; facts?: string },
): FastifyReply {
  const etag = createWeakEtag(facts)
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined && matchesAny(ifNoneMatch, etag)) return reply.code(304).send()
  return reply.type(type).send(body)
}

export const JSON_TYPE = 'application/json; charset=utf-8'
