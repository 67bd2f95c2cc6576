import type { Language } from '#src/core/language.ts'
import { Problem, problemBody } from '../../http/problem.ts'
import type { ProblemCode } from '../../http/problems.ts'
import { exampleOf } from '../examples.ts'
import { createBook } from './book.ts'
import { introduction } from './introduction.ts'
import { createShapes, type Json, withWords } from './shapes.ts'
import { shareAll } from './shared.ts'

/**
 * The published document in one language. Pure.
 *
 * Norwegian words stand with the shapes themselves where these need more than a name; all others, and the English ones, are in
 * words/.
 *
 * @param raw as the routes' schemas make it
 * @returns `unsaid`: what has no words, by the names words/ would have them under; `unused`: words that nothing asked for
 */
export function documentIn(
  language: Language,
  raw: Json,
): { document: Json; unsaid: string[]; unused: string[] } {
  const publicUrl = list(raw.servers).map(({ url }) => String(url))[0] ?? ''
  const book = createBook(language)
  const shapes = createShapes(book)

  function operationOf(operation: Json): Json {
    const id = String(operation.operationId)
    const [norwegian = '', english = norwegian] = String(operation.summary).split(' / ')
    const parameters = list(operation.parameters).map((parameter) => {
      const { name, description, schema, ...rest } = parameter
      const { description: inner, ...plain } = schema as Json
      const text = book.say([`${id}?${name}`, `?${name}`], (description ?? inner) as string | undefined)
      return withWords({ name, ...rest, schema: shapes.write(plain, id) }, text)
    })
    const text = book.say([`${id}()`], operation.description as string | undefined, true)
    return {
      operationId: id,
      tags: operation.tags,
      summary: language === 'nb' ? norwegian : english.charAt(0).toUpperCase() + english.slice(1),
      ...(text === '' ? {} : { description: text }),
      // Beside the answer, and not as its external value: generators would have to fetch that. What it is stands at the top.
      externalDocs: { url: publicUrl + exampleOf(id) },
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(operation.requestBody === undefined
        ? {}
        : { requestBody: bodyOf(operation.requestBody as Json, id) }),
      responses: Object.fromEntries(
        Object.entries(operation.responses as Record<string, Json>).map(([status, response]) => [
          status,
          responseOf(response, id, status),
        ]),
      ),
    }
  }

  function bodyOf({ content, ...body }: Json, id: string): Json {
    return {
      ...body,
      required: true,
      description: book.say([`${id}>`], undefined),
      content: mapped(content as Json, (type, media) => {
        const { description, ...schema } = media.schema as Json
        const text = book.say([`${id}>${type}`], description as string | undefined)
        return { ...media, schema: withWords(shapes.write(schema, id), text) }
      }),
    }
  }

  function responseOf({ description, headers, content }: Json, id: string, status: string): Json {
    const problem = /^[a-z_]+(?=,|$)/.exec(String(description))?.[0]
    const isProblem = Object.keys((content ?? {}) as Json).includes('application/problem+json')
    const text = isProblem
      ? String(description)
      : book.say([`${id}:${status}`, `:${status}`], String(description))
    return {
      description: text,
      ...(headers === undefined
        ? {}
        : { headers: mapped(headers as Json, (name, header) => headerOf(name, header, isProblem)) }),
      // What has no body is given an empty schema on its way here.
      ...(content === undefined || status === '304' || status === '204'
        ? {}
        : {
            content: mapped(content as Json, (_, media) => ({
              ...media,
              schema: shapes.write(media.schema as Json, id),
              ...(isProblem && problem !== undefined
                ? { example: problemExample(problem as ProblemCode) }
                : {}),
            })),
          }),
    }
  }

  function headerOf(name: string, header: Json, isOfProblem: boolean): Json {
    const { description: inner, ...schema } = header.schema as Json
    const text = book.say(
      [...(isOfProblem ? [`problem ${name}:`] : []), `${name}:`],
      (header.description ?? inner) as string | undefined,
    )
    return withWords({ schema: shapes.write(schema, name) }, text)
  }

  function problemExample(kode: ProblemCode): Json {
    return problemBody(new Problem(kode), {
      language,
      publicUrl,
      foresporselId: '0b5e3a52-6d0f-4f7e-9a35-3f0c1f5f2d11',
    })
  }

  const paths = mapped(raw.paths as Json, (_, methods) => mapped(methods, (_, each) => operationOf(each)))
  const { info, tags, components } = raw as { info: Json; tags: Json[]; components: Json }
  const shared = shareAll(paths)
  const document = {
    ...raw,
    info: { ...info, description: introduction(language) },
    tags: tags.map((tag) => ({ ...tag, description: book.say([`#${tag.name}`], undefined) })),
    paths: shared.paths,
    components: {
      securitySchemes: mapped(components.securitySchemes as Json, (name, scheme) => ({
        ...scheme,
        description: book.say([`!${name}`], undefined),
      })),
      ...shared.components,
      schemas: shapes.all(),
    },
  }
  return { document, unsaid: book.unsaid(), unused: book.unused() }
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

function mapped(of: Json, make: (key: string, value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(key, value as Json)]))
}
