import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { InputError } from '#src/core/errors.ts'
import type { Language } from '#src/core/language.ts'
import { beginningOf, filledIn } from '../documentation/client-code.ts'
import { type Contents, pathOf, readContents, searchContents } from '../documentation/contents.ts'
import { inFrame } from '../documentation/frame.ts'
import { renderMarkdown } from '../documentation/markdown.ts'
import type { ToldCalls } from '../documentation/operations.ts'
import { llmsText, operationMarkdown, typeMarkdown } from '../documentation/reference-markdown.ts'
import { consoleText, operationText, typeTextPage } from '../documentation/reference-pages.ts'
import { endTestKeyForm, testKeyAsked, testKeyEnded, testKeyForm } from '../documentation/test-key-form.ts'
import { formReader, mistakeOf, Typed } from '../forms.ts'
import type { PageTools } from '../page-tools.ts'
import { visitorOf } from '../visitor.ts'
import { nobodyHas } from './ukjent.ts'

type Read = { title: string; description: string; path: string; main: string; markdown: string }
type Found = (
  contents: Contents,
  language: Language,
  at: (path: string) => string,
  url: string,
) => Read | null

/**
 * What a reader needs in order to call the service: guides written by hand, and each call and each shape as the OpenAPI
 * document tells of them. Every page is there as Markdown too, under its own address with `.md`.
 */
export function dokumentasjonRoutes(
  app: FastifyInstance,
  {
    send,
    publicUrl,
    sales,
    attempt,
    lookup,
  }: Pick<PageTools, 'send' | 'publicUrl' | 'sales' | 'attempt' | 'lookup'>,
  { document, tryCall }: ToldCalls,
): void {
  const kept = new Map<Language, { url: string; contents: Contents }>()

  /** As soon as all routes are known; anew when the address has been found out since. */
  function contentsIn(language: Language): Contents {
    const url = publicUrl()
    const before = kept.get(language)
    if (before?.url === url) return before.contents
    const contents = readContents(document(language), language, url)
    kept.set(language, { url, contents })
    return contents
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    find: Found,
  ): Promise<FastifyReply> {
    const visitor = visitorOf(request, path)
    const { language, at } = visitor
    const contents = contentsIn(language)
    const read = find(contents, language, at, publicUrl())
    if (read === null) return nobodyHas(request, reply)
    return send.common(request, reply, read.path, visitor, {
      edition: publicUrl(),
      content: () => inFrame(read, contents, read.path, visitor),
    })
  }

  function markdown(request: FastifyRequest, reply: FastifyReply, path: string, find: Found): FastifyReply {
    const { language, at } = visitorOf(request, path)
    const read = find(contentsIn(language), language, at, publicUrl())
    if (read === null) return nobodyHas(request, reply)
    return sendText(reply, 'text/markdown; charset=utf-8', read.markdown)
  }

  function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
    return reply.headers({ 'cache-control': 'no-cache', vary: 'Accept-Language' }).type(type).send(text)
  }

  /** The page and its Markdown, under one name. */
  function pageAndMarkdown(path: string, findOf: (name: string) => Found): void {
    app.get<{ Params: { navn: string } }>(path, { schema: { hide: true } }, async (request, reply) => {
      const { navn } = request.params
      const isMarkdown = navn.endsWith('.md')
      const name = isMarkdown ? navn.slice(0, -3) : navn
      const at = path.replace(':navn', name)
      return isMarkdown
        ? markdown(request, reply, at, findOf(name))
        : answer(request, reply, at, findOf(name))
    })
  }

  app.get('/dokumentasjon', { schema: { hide: true } }, (request, reply) =>
    answer(request, reply, '/dokumentasjon', guide('kom-i-gang')),
  )
  pageAndMarkdown('/dokumentasjon/:navn', guide)
  app.post(SANDBOX, { schema: { hide: true } }, async (request, reply) => {
    attempt('testnokkel', request.ip)
    const visitor = visitorOf(request, SANDBOX)
    const { epost } = readWish(request.body)
    try {
      await sales.requestTestKey(epost, request.ip)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const { language, at } = visitor
      const contents = contentsIn(language)
      const form = testKeyForm(language, at, { epost, error: mistakeOf(error, visitor) })
      const read = guideWith('sandkasse', form)(contents, language, at, publicUrl())
      if (read === null) return nobodyHas(request, reply)
      return send.own(reply, inFrame({ ...read, isHidden: true }, contents, read.path, visitor), visitor, {
        status: 400,
      })
    }
    return reply.header('cache-control', 'no-store').redirect(visitor.at(`${SANDBOX}/sendt`), 303)
  })
  app.get(`${SANDBOX}/sendt`, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request, `${SANDBOX}/sendt`)
    const { language, at } = visitor
    const said = { ...testKeyAsked(language, at), description: null, isHidden: true }
    return send.own(reply, inFrame(said, contentsIn(language), SANDBOX, visitor), visitor)
  })
  const END = `${SANDBOX}/avslutt`
  app.get(END, { schema: { hide: true } }, async (request, reply) => aboutEnd(request, reply, endTestKeyForm))
  app.post(END, { schema: { hide: true } }, async (request, reply) => {
    const isEnded = await lookup.sandbox.endOwn(readEnd(request.body).nokkel.trim())
    // Whoever has the key is not counted. Whoever guesses is.
    if (!isEnded) {
      attempt('testnokkelslutt', request.ip)
      return aboutEnd(request, reply.code(400), (language, at) =>
        endTestKeyForm(language, at, { isUnknown: true }),
      )
    }
    return reply.header('cache-control', 'no-store').redirect(visitorOf(request, END).at(`${END}/gjort`), 303)
  })
  app.get(`${END}/gjort`, { schema: { hide: true } }, async (request, reply) =>
    aboutEnd(request, reply, testKeyEnded),
  )

  function aboutEnd(
    request: FastifyRequest,
    reply: FastifyReply,
    write: (language: Language, at: (path: string) => string) => { title: string; main: string },
  ): FastifyReply {
    const visitor = visitorOf(request, END)
    const { language, at } = visitor
    const said = { ...write(language, at), description: null, isHidden: true }
    return send.own(reply, inFrame(said, contentsIn(language), SANDBOX, visitor), visitor, {
      status: reply.statusCode,
    })
  }

  app.get('/dokumentasjon/typer', { schema: { hide: true } }, (request, reply) =>
    answer(request, reply, pathOf.types, allTypes),
  )
  app.get('/dokumentasjon/konsoll', { schema: { hide: true } }, (request, reply) =>
    answer(request, reply, pathOf.console, everyCall),
  )
  pageAndMarkdown('/dokumentasjon/kall/:navn', call)
  pageAndMarkdown('/dokumentasjon/typer/:navn', type)

  app.get<{ Params: { navn: string }; Querystring: Record<string, unknown> }>(
    '/dokumentasjon/prov/:navn',
    { schema: { hide: true } },
    async (request, reply) => {
      const visitor = visitorOf(request, pathOf.operation(request.params.navn))
      const { language, at } = visitor
      const contents = contentsIn(language)
      const operation = contents.operations.find(({ id }) => id === request.params.navn)
      if (operation === undefined || operation.method !== 'GET') return nobodyHas(request, reply)
      const address = filledIn(operation, request.query)
      const tried = { address, ...(await tryCall(address, request.ip)) }
      const main = operationText(operation, { language, at, url: publicUrl(), tried })
      const title = `${operation.method} ${operation.path}`
      const page = inFrame(
        { title, description: null, main, isHidden: true },
        contents,
        visitor.inOtherLanguage.url,
        visitor,
      )
      return send.own(reply, page, visitor)
    },
  )

  app.get<{ Querystring: { q?: unknown } }>(
    '/dokumentasjon/sok',
    { schema: { hide: true } },
    async (request, reply) => {
      const { q } = request.query
      const question = typeof q === 'string' ? beginningOf(q) : ''
      const visitor = visitorOf(request, `/dokumentasjon/sok?q=${encodeURIComponent(question)}`)
      const contents = contentsIn(visitor.language)
      const content = inFrame(
        {
          ...searchText(contents, question, visitor.language, visitor.at),
          description: null,
          isHidden: true,
        },
        contents,
        '/dokumentasjon/sok',
        visitor,
      )
      return send.own(reply, content, visitor)
    },
  )

  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) => {
    const { language } = visitorOf(request, '/llms.txt')
    return sendText(reply, 'text/plain; charset=utf-8', llmsText(contentsIn(language), language, publicUrl()))
  })
}

const SANDBOX = '/dokumentasjon/sandkasse'
const readWish = formReader({ epost: Typed })
const readEnd = formReader({ nokkel: Typed })

function guide(slug: string): Found {
  if (slug !== 'sandkasse') return guideWith(slug, '')
  return (contents, language, at, url) =>
    guideWith(slug, testKeyForm(language, at))(contents, language, at, url)
}

/** @param form what stands below the text, for those who read it as a page */
function guideWith(slug: string, form: string): Found {
  return ({ guides }, _language, at) => {
    const found = guides.find((each) => each.slug === slug)
    if (found === undefined) return null
    const { title, markdown } = found
    const opening = markdown.split('\n\n')[1] ?? title
    return {
      title,
      description: opening,
      path: pathOf.guide(slug),
      main: renderMarkdown(markdown, at) + form,
      markdown,
    }
  }
}

function call(id: string): Found {
  return ({ operations }, language, at, url) => {
    const operation = operations.find((each) => each.id === id)
    if (operation === undefined) return null
    return {
      title: `${operation.method} ${operation.path}`,
      description: operation.title,
      path: pathOf.operation(id),
      main: operationText(operation, { language, at, url, tried: null }),
      markdown: operationMarkdown(operation, url),
    }
  }
}

function type(name: string): Found {
  return ({ types }, language, at) => {
    const found = types.find((each) => each.name === name)
    if (found === undefined) return null
    return {
      title: name,
      description: found.description === '' ? name : found.description,
      path: pathOf.type(name),
      main: typeTextPage(found, language, at),
      markdown: typeMarkdown(found),
    }
  }
}

function allTypes({ types }: Contents, language: Language, at: (path: string) => string): Read {
  const title = words[language].types
  const item = ({ name, description }: Contents['types'][number]) =>
    html`<li><a class="ds-link" href="${at(pathOf.type(name))}"><code>${name}</code></a> ${description}</li>`
  const main = html`<h1 class="ds-heading" data-size="lg">${title}</h1><ul class="ds-list">!${types.map(item)}</ul>`
  const markdown = `# ${title}\n\n${types.map(({ name }) => `- [${name}](${pathOf.type(name)}.md)`).join('\n')}\n`
  return { title, description: title, path: pathOf.types, main, markdown }
}

function everyCall({ operations }: Contents, language: Language, at: (path: string) => string): Read {
  const title = words[language].console
  const main = consoleText(operations, { language, at })
  const markdown = `# ${title}\n\n${operations.map(({ id, title: name }) => `- [${name}](${pathOf.operation(id)}.md)`).join('\n')}\n`
  return { title, description: title, path: pathOf.console, main, markdown }
}

function searchText(contents: Contents, question: string, language: Language, at: (path: string) => string) {
  const t = words[language]
  const hits = searchContents(contents, question)
  return {
    title: t.title,
    main: html`<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph" role="status">${question === '' ? t.nothingAsked : t.found(hits.length, question)}</p>
<ol class="dok__treff">!${hits.map(
      ({ path, title, heading, text }) =>
        html`<li><a class="ds-link" href="${at(path)}">${title === heading ? title : `${title}: ${heading}`}</a><p class="ds-paragraph" data-size="sm">${text.slice(0, 200)}</p></li>`,
    )}</ol>`,
  }
}

const words = {
  nb: {
    types: 'Alle typer',
    console: 'Prøv alle kall',
    title: 'Søk i dokumentasjonen',
    nothingAsked: 'Skriv det du leter etter: et felt, en feilkode, et ord.',
    found: (count: number, question: string) => `${count === 0 ? 'Ingen' : count} treff på «${question}».`,
  },
  en: {
    types: 'All types',
    console: 'Try every call',
    title: 'Search the documentation',
    nothingAsked: 'Type what you look for: a field, a problem code, a word.',
    found: (count: number, question: string) => `${count === 0 ? 'No' : count} hits for “${question}”.`,
  },
}
