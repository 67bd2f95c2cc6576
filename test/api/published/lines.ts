/** A published document as lines, one for each thing a client may rely on: `Bedrift.navn: null|string`. */

type Json = { [key: string]: unknown }
type Schema = Json & { properties?: Record<string, Schema>; anyOf?: Schema[]; oneOf?: Schema[] }

export type Lines = ReadonlyMap<string, string>

/** By operation its parameters, its statuses, and what each answers; by named shape its fields, however deep. */
export function linesOf(document: Json): Lines {
  const lines = new Map<string, string>()
  const { paths, components } = document as {
    paths: Record<string, Record<string, Json>>
    components: { schemas: Record<string, Schema> }
  }
  const at = (value: Json) =>
    typeof value.$ref === 'string'
      ? (value.$ref
          .split('/')
          .slice(1)
          .reduce<Json>((inner, step) => inner[step] as Json, document) as Json)
      : value
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      lines.set(name, String(operation.operationId))
      for (const parameter of ((operation.parameters ?? []) as Json[]).map(at)) {
        const type = typeOf(parameter.schema as Schema)
        lines.set(
          `${name} ${parameter.in} ${parameter.name}`,
          parameter.required === true ? `${type}, required` : type,
        )
      }
      for (const [type, { schema }] of Object.entries(contentOf((operation.requestBody ?? {}) as Json)))
        lines.set(`${name} takes ${type}`, typeOf(schema as Schema))
      for (const [status, response] of Object.entries(operation.responses as Record<string, Json>)) {
        lines.set(`${name} ${status}`, 'answer')
        const { headers = {}, ...answer } = at(response) as { headers?: Record<string, Json> }
        for (const [header, value] of Object.entries(headers))
          lines.set(`${name} ${status} ${header}`, typeOf(at(value).schema as Schema))
        for (const [type, { schema }] of Object.entries(contentOf(answer)))
          addFields(lines, `${name} ${status} ${type}`, schema as Schema)
      }
    }
  for (const [name, schema] of Object.entries(components.schemas)) addFields(lines, name, schema)
  return lines
}

function contentOf(answer: Json): Record<string, Json> {
  return (answer.content ?? {}) as Record<string, Json>
}

function addFields(lines: Map<string, string>, path: string, schema: Schema): void {
  lines.set(path, typeOf(schema))
  for (const inner of shapesIn(schema))
    for (const [field, value] of Object.entries(inner.properties ?? {}))
      addFields(lines, `${path}.${field}`, value)
}

/** What of a schema stands there itself, and is no reference: through lists and what may be null. */
function shapesIn(schema: Schema): Schema[] {
  if (Array.isArray(schema.anyOf ?? schema.oneOf))
    return (schema.anyOf ?? schema.oneOf ?? []).flatMap(shapesIn)
  if (schema.items !== undefined) return shapesIn(schema.items as Schema)
  return '$ref' in schema ? [] : [schema]
}

function typeOf(schema: Schema): string {
  return [...new Set(typesOf(schema))].sort().join('|')
}

function typesOf(schema: Schema): string[] {
  if (typeof schema.$ref === 'string') return [schema.$ref.replace(/^.*\//, '')]
  const shapes = schema.anyOf ?? schema.oneOf
  if (shapes !== undefined) return shapes.flatMap(typesOf)
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => JSON.stringify(word))
  if ('const' in schema) return [JSON.stringify(schema.const)]
  const of = (type: string) => {
    if (type === 'array') return `[${typeOf(schema.items as Schema)}]`
    if (typeof schema.additionalProperties === 'object')
      return `{${typeOf(schema.additionalProperties as Schema)}}`
    return typeof schema.format === 'string' && type === 'string' ? schema.format : type
  }
  return [schema.type].flat().map((type) => of(String(type)))
}

/**
 * What of the lines that were published a client can not rely on any more: what is gone, and what may be something it was
 * not before. What is sent may be less than before, and never has to be more.
 */
export function brokenIn(published: Lines, now: Lines): string[] {
  const broken = [...published].flatMap(([name, before]) => {
    const after = now.get(name)
    if (after === undefined) return [name]
    const [wide, narrow] = isSent(name) ? [before, after] : [after, before]
    return wordsOf(wide).every((word) => wordsOf(narrow).includes(word)) && !isNewlyRequired(before, after)
      ? []
      : [name]
  })
  const demanded = [...now].filter(([name, type]) => !published.has(name) && isNewlyRequired('', type))
  const isOld = (name: string) => [...published.keys()].some((each) => name.startsWith(`${each} `))
  return [...broken, ...demanded.map(([name]) => name).filter(isOld)]
}

/** Parameters, and bodies. */
function isSent(name: string): boolean {
  return / (?:query|path|header|takes) /.test(name)
}

function isNewlyRequired(before: string, after: string): boolean {
  return after.endsWith(', required') && !before.endsWith(', required')
}

function wordsOf(type: string): string[] {
  return type.replace(/, required$/, '').split('|')
}

export function asText(lines: Lines): string {
  const written = [...lines].map(([name, type]) => `${name}: ${type}\n`)
  return written.sort().join('')
}

export function fromText(text: string): Lines {
  const rows = text.split('\n').filter((row) => row !== '')
  return new Map(
    rows.map((row) => [row.slice(0, row.lastIndexOf(': ')), row.slice(row.lastIndexOf(': ') + 2)]),
  )
}
