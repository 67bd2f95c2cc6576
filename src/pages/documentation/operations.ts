import type { Language } from '../../http/problems.ts'
import { type Field, fieldsOf, nameOf, type Schema, told } from './schema.ts'

type Media = {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown }> | undefined
}
type Shared = { $ref?: string }
type ParameterObject = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
  examples?: Media['examples']
}
type AnswerObject = {
  description?: string
  headers?: Record<string, HeaderObject | Shared>
  content?: Record<string, Media>
}
type HeaderObject = { description?: string; schema?: Schema }
type OperationObject = {
  operationId?: string
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: readonly (ParameterObject | Shared)[]
  requestBody?: { content?: Record<string, Media> }
  responses?: Record<string, AnswerObject | Shared>
}

/** The OpenAPI document, as far as the pages tell of it. */
export type ApiDocument = {
  paths?: Record<string, Record<string, OperationObject>>
  components?: { schemas?: Record<string, Schema> } & Record<string, unknown>
}

/** What the documentation is told of the calls, and how it makes one. */
export type ToldCalls = {
  /** As the OpenAPI document has them; asked for when all are known. */
  document(language: Language): ApiDocument
  /** Makes a call with the public test key, for who reads: invented companies alone. */
  tryCall(url: string, ip: string): Promise<{ status: number; body: unknown }>
}

export type Answer = {
  status: string
  description: string
  headers: readonly Field[]
  type: string | null
  names: readonly string[]
  fields: readonly Field[]
  example: unknown
}

type Parameter = Field & { in: ParameterObject['in']; example: unknown }

export type Operation = {
  id: string
  method: string
  path: string
  title: string
  description: string
  parameters: readonly Parameter[]
  body: unknown
  answers: readonly Answer[]
}

const METHODS = ['get', 'post', 'put', 'delete']

/** Every call, in the order of the document. */
export function operationsOf(document: ApiDocument, language: Language): Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, byMethod]) =>
    METHODS.flatMap((method) => {
      const operation = byMethod[method]
      return operation?.operationId === undefined
        ? []
        : [
            {
              id: operation.operationId,
              method: method.toUpperCase(),
              path,
              title: inLanguage(operation.summary ?? operation.operationId, language),
              description: inLanguage(operation.description ?? '', language),
              parameters: (operation.parameters ?? []).map((each) =>
                parameterOf(resolved(document, each), language),
              ),
              body: exampleOf(Object.values(operation.requestBody?.content ?? {})[0] ?? {}),
              answers: Object.entries(operation.responses ?? {}).map(([status, answer]) =>
                answerOf(document, status, resolved(document, answer), language),
              ),
            },
          ]
    }),
  )
}

/** The named schemas: shapes that more than one answer has, or that are worth a page of their own. */
export function typeFields(
  document: ApiDocument,
  name: string,
): { description: string; fields: Field[]; told: string; names: readonly string[] } | null {
  const schema = document.components?.schemas?.[name]
  if (schema === undefined) return null
  const { type, names, fields } = told(schema)
  return {
    description: schema.description ?? '',
    fields: schema.items === undefined ? fieldsOf(schema) : [...fields],
    told: type,
    names,
  }
}

function parameterOf(
  { name, in: place, required, description, schema = {}, ...media }: ParameterObject,
  language: Language,
): Parameter {
  return {
    name,
    in: place,
    ...told(schema),
    isRequired: required === true,
    isDeprecated: schema.deprecated === true,
    description: inLanguage(description ?? schema.description ?? '', language),
    example: exampleOf({ ...media, schema }),
  }
}

function answerOf(
  document: ApiDocument,
  status: string,
  { description = '', headers = {}, content = {} }: AnswerObject,
  language: Language,
): Answer {
  const media = Object.values(content)[0]
  const schema = media?.schema
  const name = schema === undefined ? null : nameOf(schema)
  const own = name === null ? schema : document.components?.schemas?.[name]
  return {
    status,
    description: inLanguage(description, language),
    headers: Object.entries(headers).map(([header, object]) => {
      const { description: words, schema: of = {} } = resolved<HeaderObject>(document, object)
      return {
        name: header,
        ...told(of),
        isRequired: false,
        isDeprecated: false,
        description: inLanguage(words ?? of.description ?? '', language),
      }
    }),
    type: schema === undefined ? null : told(schema).type,
    names: schema === undefined ? [] : told(schema).names,
    fields: own === undefined ? [] : fieldsOf(own),
    example: media === undefined ? undefined : exampleOf(media),
  }
}

/** What several places of the document share stands in one, under a name. */
function resolved<T extends object>(document: ApiDocument, object: T | Shared): T {
  if (!('$ref' in object) || object.$ref === undefined) return object as T
  const path = object.$ref.split('/').slice(1)
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T
}

function exampleOf({ example, examples, schema }: Media): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? schema?.examples?.[0] ?? schema?.example
}

/** What is written in both languages has them side by side: "Ett foretak / one company". */
function inLanguage(text: string, language: Language): string {
  const [nb = '', en, ...more] = text.split(' / ')
  if (en === undefined || more.length > 0) return text
  const chosen = language === 'nb' ? nb : en
  return chosen.charAt(0).toUpperCase() + chosen.slice(1)
}
