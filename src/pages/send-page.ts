import type { FastifyReply, FastifyRequest } from 'fastify'
import { packed } from '#src/core/packed.ts'
import { type HeldDocument, holdDocument, sendDocument } from '../http/held-document.ts'
import { preferredEncoding } from '../http/negotiation.ts'
import { type Frame, type PageContent, wholePage } from './layout.ts'
import type { Visitor } from './visitor.ts'

export type SendPage = ReturnType<typeof createSendPage>

type Kept = { edition: string; document: Promise<HeldDocument> }

const HTML = 'text/html; charset=utf-8'

/** Writes pages into the frame they all have, and sends them. */
export function createSendPage(frame: Frame) {
  const kept = new Map<string, Kept>()

  return {
    /** A page of this visitor, here and now: kept nowhere, and never compressed, since there are secrets in its addresses. */
    own(
      reply: FastifyReply,
      content: PageContent,
      visitor: Visitor,
      { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
    ): FastifyReply {
      return reply
        .code(status)
        .headers({
          'cache-control': 'no-store',
          vary: 'Accept-Language',
          ...(content.isHidden === true ? { 'x-robots-tag': 'noindex, nofollow' } : {}),
          ...headers,
        })
        .type(HTML)
        .send(wholePage(content, visitor, frame))
    },

    /**
     * A page of what was asked for just now: kept nowhere, and compressed, since there is no secret in it.
     */
    async fresh(
      request: FastifyRequest,
      reply: FastifyReply,
      content: PageContent,
      visitor: Visitor,
      { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
    ): Promise<FastifyReply> {
      const bytes = Buffer.from(wholePage(content, visitor, frame))
      reply
        .code(status)
        .headers({
          'cache-control': 'private, no-store',
          vary: 'Accept-Language, Accept-Encoding, Cookie',
          ...(content.isHidden === true ? { 'x-robots-tag': 'noindex, nofollow' } : {}),
          ...headers,
        })
        .type(HTML)
      const encoding = preferredEncoding(String(request.headers['accept-encoding'] ?? ''))
      const form = encoding === null ? null : packed(bytes, encoding)
      if (encoding === null || form === null) return reply.send(bytes)
      return reply.header('content-encoding', encoding).send(await form)
    },

    /**
     * A page that is the same for everybody who reads the language: written, and compressed when somebody asks for that, once
     * for each edition of what is on it, also for those who ask while it is being written.
     *
     * @param name of the page; with the language, and whether it was chosen, it names what is kept: some hundred
     *   pages, the documentation's the most
     */
    async common(
      request: FastifyRequest,
      reply: FastifyReply,
      name: string,
      visitor: Visitor,
      { edition, content }: { edition: string; content: () => PageContent | Promise<PageContent> },
    ): Promise<FastifyReply> {
      const key = `${name} ${visitor.language} ${visitor.at('/')}`
      const before = kept.get(key)
      const page = before?.edition === edition ? before : { edition, document: write(content, visitor) }
      kept.set(key, page)
      const document = await page.document.catch((error) => {
        // Whoever comes next has it written anew.
        if (kept.get(key) === page) kept.delete(key)
        throw error
      })
      return sendDocument(
        request,
        reply.header('cache-control', 'no-cache'),
        document,
        'Accept-Language, Accept-Encoding',
      )
    },
  }

  async function write(
    content: () => PageContent | Promise<PageContent>,
    visitor: Visitor,
  ): Promise<HeldDocument> {
    return holdDocument(wholePage(await content(), visitor, frame), HTML)
  }
}
