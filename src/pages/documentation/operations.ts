import type { Language } from '#src/core/language.ts'
import {
  type AnswerObject,
  type ApiDocument,
  callsIn,
  type HeaderObject,
  type Media,
  type ParameterObject,
  resolved,
} from '../../http/api-document.ts'
import { type DocumentedField, schemaFields, schemaName, standardOf, told } from './schema.ts'

/** What the documentation is told of the calls, and how it makes one. */
export type ToldCalls = {
  /** As the OpenAPI document has them; asked for when all are known. */
  document(language: Language): ApiDocument
  /** Makes a call with the public test key, for who reads: invented companies alone. */
  tryCall(url: string, ip: string): Promise<{ status: number; body: unknown }>
}

export type DocumentedAnswer = {
  status: string
  description: string
  headers: readonly DocumentedField[]
  type: string | null
  names: readonly string[]
  fields: readonly DocumentedField[]
  example: unknown
}

type Parameter = DocumentedField & { in: ParameterObject['in']; example: unknown }

export type DocumentedCall = {
  id: string
  method: string
  path: string
  title: string
  description: string
  parameters: readonly Parameter[]
  answers: readonly DocumentedAnswer[]
}

/** Every call, in the order of the document. */
export function operationsOf(document: ApiDocument, language: Language): DocumentedCall[] {
  return callsIn(document).map(({ path, method, operation, parameters }) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    title: inLanguage(operation.summary ?? operation.operationId, language),
    description: inLanguage(operation.description ?? '', language),
    parameters: inPathFirst(parameters).map((each) => parameterOf(each, language)),
    answers: Object.entries(operation.responses ?? {}).map(([status, answer]) =>
      answerOf(document, status, resolved(document, answer), language),
    ),
  }))
}

/** The named schemas: shapes that more than one answer has, or that are worth a page of their own. */
export function typeFields(
  document: ApiDocument,
  name: string,
): { description: string; fields: DocumentedField[]; told: string; names: readonly string[] } | null {
  const schema = document.components?.schemas?.[name]
  if (schema === undefined) return null
  const { type, names, fields } = told(schema)
  return {
    description: schema.description ?? '',
    fields: schema.items === undefined ? schemaFields(schema) : [...fields],
    told: type,
    names,
  }
}

/** What has to be given before what may be. */
function inPathFirst(parameters: readonly ParameterObject[]): ParameterObject[] {
  const { inPath = [], others = [] } = Object.groupBy(parameters, (each) =>
    each.in === 'path' ? 'inPath' : 'others',
  )
  return [...inPath, ...others]
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
    standard: standardOf(schema),
    description: inLanguage(description ?? schema.description ?? '', language),
    example: exampleOf({ ...media, schema }),
  }
}

function answerOf(
  document: ApiDocument,
  status: string,
  { description = '', headers = {}, content = {} }: AnswerObject,
  language: Language,
): DocumentedAnswer {
  const media = Object.values(content)[0]
  const schema = media?.schema
  const name = schema === undefined ? null : schemaName(schema)
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
        standard: null,
        description: inLanguage(words ?? of.description ?? '', language),
      }
    }),
    type: schema === undefined ? null : told(schema).type,
    names: schema === undefined ? [] : told(schema).names,
    fields: own === undefined ? [] : schemaFields(own),
    example: media === undefined ? undefined : exampleOf(media),
  }
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
