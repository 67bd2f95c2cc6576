import type { FastifyRequest } from 'fastify'
import type { Language } from '#src/core/language.ts'
import { languageOf } from '../http/negotiation.ts'

/** Whom a page is written for. */
export type Visitor = {
  language: Language
  /** The same when it was chosen on a page; null when the browser asked for it. */
  chosen: Language | null
  /** The address of another page of ours, in the language that was chosen on the page. */
  at(path: string): string
  /** This page in the other language. */
  inOtherLanguage: { language: Language; url: string }
}

/** What was chosen on the page goes before what the browser asks for. A choice is in the address: nothing is stored. */
export function visitorOf(request: FastifyRequest, path: string): Visitor {
  const { lang } = request.query as { lang?: unknown }
  const chosen = lang === 'nb' || lang === 'en' ? lang : null
  const language = chosen ?? languageOf(request.headers['accept-language'])
  const other = language === 'nb' ? 'en' : 'nb'
  return {
    language,
    chosen,
    at: (to) => (chosen === null ? to : withLanguage(to, chosen)),
    inOtherLanguage: { language: other, url: withLanguage(path, other) },
  }
}

function withLanguage(path: string, language: Language): string {
  const [before = '', fragment] = path.split('#', 2)
  return `${before}${before.includes('?') ? '&' : '?'}lang=${language}${fragment === undefined ? '' : `#${fragment}`}`
}
