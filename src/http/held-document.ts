import type { FastifyReply, FastifyRequest } from 'fastify'
import { createEtag, etagOf } from '#src/cache/answers.ts'
import { keptBytes } from '#src/cache/kept-bytes.ts'
import { createForms, type Encoding, type Forms } from '#src/core/packed.ts'
import { matchesAny } from './conditions.ts'
import { preferredEncoding } from './negotiation.ts'

/** A document that is the same for everybody: held as bytes, and in each form it is sent in. */
export type HeldDocument = { type: string; bytes: Buffer; etag: string; form: Forms }

/**
 * In memory of its own, in each form: thousands of short answers would hold fifty times their length (`keptBytes`).
 *
 * @param type pictures are packed already: only what is text is packed once more
 */
export function holdDocument(content: Buffer | string, type: string): HeldDocument {
  const bytes = keptBytes(content)
  const isText = type.startsWith('text/') || type.includes('json') || type.includes('svg')
  return {
    type,
    bytes,
    etag: createEtag(bytes),
    form: isText ? createForms(() => bytes, keptBytes) : () => null,
  }
}

export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag, form }: HeldDocument,
  vary = 'Accept-Encoding',
): Promise<FastifyReply> {
  const acceptEncoding = request.headers['accept-encoding']
  const encoding = acceptEncoding === undefined ? null : preferredEncoding(String(acceptEncoding))
  const ifNoneMatch = request.headers['if-none-match']
  const isKnownAs = (as: Encoding | null) =>
    ifNoneMatch !== undefined && matchesAny(ifNoneMatch, etagOf(etag, as))

  reply.header('vary', vary)
  if (isKnownAs(encoding)) return reply.header('etag', etagOf(etag, encoding)).code(304).send()
  const packed = encoding === null ? null : await form(encoding)
  if (packed === null || encoding === null) {
    return reply.header('etag', etag).type(type).send(bytes)
  }
  return reply
    .headers({ etag: etagOf(etag, encoding), 'content-encoding': encoding })
    .type(type)
    .send(packed)
}
