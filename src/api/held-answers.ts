import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createWeakEtag } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import { type HeldDocument, holdDocument, sendDocument } from '../http/held-document.ts'
import { nextPage } from './answer-craft.ts'

/** `next`: where the next page begins; null on the last, and where there are none. */
type Held = { document: HeldDocument; orgnrs: readonly number[]; next: string | null; until: number }

/**
 * Answers to what many ask within seconds, as bytes and in each form they are sent in. None that names a removed company is
 * given again.
 */
export function createHeldAnswers({
  clock,
  mayShow,
  policy,
}: {
  clock: Clock
  mayShow: (orgnrs: readonly number[]) => boolean
  policy: { searchHeldMs: number; searchHeldBytesMax: number }
}) {
  const held = new LRUCache<string, Held>({
    maxSize: policy.searchHeldBytesMax,
    // As plain and in the forms it is sent in.
    sizeCalculation: ({ document }, key) => 2 * document.bytes.length + key.length + BESIDE_BYTES,
  })

  return {
    /** @param essence what of the answer tells it from another: not when it was asked for */
    async send(
      request: FastifyRequest,
      reply: FastifyReply,
      key: string,
      make: () => Promise<{
        answer: object & { neste?: string | null }
        essence: object
        orgnrs: readonly number[]
      }>,
    ): Promise<FastifyReply> {
      const now = clock.now().getTime()
      const found = held.get(key)
      if (found !== undefined && found.until > now && mayShow(found.orgnrs)) {
        const ttl = Math.ceil((found.until - now) / 1000)
        reply.headers({ ...HEADERS, 'cache-status': `bedriftsoppslag; hit; ttl=${ttl}` })
        nextPage(reply, request.url, found.next)
        return sendDocument(request, reply, found.document)
      }
      const { answer, essence, orgnrs } = await make()
      const document = {
        ...holdDocument(JSON.stringify(answer), 'application/json; charset=utf-8'),
        etag: createWeakEtag(JSON.stringify(essence)),
      }
      const next = answer.neste ?? null
      nextPage(reply, request.url, next)
      held.set(key, { document, orgnrs, next, until: now + policy.searchHeldMs })
      reply.headers({
        ...HEADERS,
        'cache-status': `bedriftsoppslag; fwd=miss; stored; ttl=${policy.searchHeldMs / 1000}`,
      })
      return sendDocument(request, reply, document)
    },
  }
}

/** What one takes beside its bytes, in four forms: 1.9 kB were measured, and of the shortest it is nearly all. */
const BESIDE_BYTES = 2000

/** Held by the caller and asked about before it is used again. */
const HEADERS = { 'cache-control': 'private, no-cache' }
