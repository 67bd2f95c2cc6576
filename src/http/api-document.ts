/** The OpenAPI document, as far as pages and handouts read it. */
export type ApiDocument = {
  paths?: Record<string, Record<string, OperationObject>>
  components?: { schemas?: Record<string, JsonSchema> } & Record<string, unknown>
}

export type Media = {
  schema?: JsonSchema
  example?: unknown
  examples?: Record<string, { value?: unknown }> | undefined
}
type Shared = { $ref?: string }
export type ParameterObject = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: JsonSchema
  example?: unknown
  examples?: Media['examples']
}
export type AnswerObject = {
  description?: string
  headers?: Record<string, HeaderObject | Shared>
  content?: Record<string, Media>
}
export type HeaderObject = { description?: string; schema?: JsonSchema }
type OperationObject = {
  operationId?: string
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: readonly (ParameterObject | Shared)[]
  requestBody?: { content?: Record<string, Media> }
  responses?: Record<string, AnswerObject | Shared>
}

/** As much of JSON Schema as the document uses. */
export type JsonSchema = {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  title?: string
  description?: string
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  allOf?: readonly JsonSchema[]
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  default?: unknown
  additionalProperties?: boolean | JsonSchema
  examples?: readonly unknown[]
  example?: unknown
  deprecated?: boolean
}

type Call = {
  path: string
  method: Method
  operation: OperationObject & { operationId: string }
  parameters: ParameterObject[]
}

const METHODS = ['get', 'post', 'put', 'delete'] as const
type Method = (typeof METHODS)[number]

/** Every call that has a name, in the order of the document, with what it shares with others in its place. */
export function callsIn(document: ApiDocument): Call[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, byMethod]) =>
    METHODS.flatMap((method) => {
      const operation = byMethod[method]
      if (operation?.operationId === undefined) return []
      const { operationId } = operation
      const parameters = (operation.parameters ?? []).map((each) => resolved(document, each))
      return [{ path, method, operation: { ...operation, operationId }, parameters }]
    }),
  )
}

/** What several places of the document share stands in one, under a name. */
export function resolved<T extends object>(document: ApiDocument, object: T | Shared): T {
  if (!('$ref' in object) || object.$ref === undefined) return object as T
  const path = object.$ref.split('/').slice(1)
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T
}
