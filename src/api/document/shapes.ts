import type { Book } from './book.ts'
import { named } from './names.ts'

export type Json = { [key: string]: unknown }

/**
 * Writes schemas as the document has them: a shape with a name is referred to, a section is one of two shapes told apart by
 * `tilstand`, what may be null has null among its types, and every field has its words.
 */
export function createShapes(book: Book) {
  const written = new Map<string, Json>()

  function refer(name: string, make: () => Json): Json {
    if (!written.has(name)) {
      // Before it is made: a shape may have itself within it.
      written.set(name, {})
      written.set(name, make())
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** @param of the named shape this stands in, for its words */
  function write(schema: Json, of: string): Json {
    const name = nameOf(schema)
    if (name !== undefined)
      return refer(name, () => withWords(body(schema, name), book.say([name], textOf(schema))))
    const section = sectionOf(schema)
    return section === null ? body(schema, of) : referToSection(section)
  }

  function referToSection({ withData, without }: { withData: Json; without: Json }): Json {
    const name = nameOf(propertiesOf(withData).data ?? {}) ?? 'Data'
    const isPlain = Object.keys(propertiesOf(without)).length === 2
    const both = {
      [`${name}MedData`]: withData,
      [isPlain ? 'UtenData' : `${name}UtenData`]: without,
    }
    return refer(`${name}Seksjon`, () => {
      const shapes = Object.entries(both).map(([half, shape]) =>
        refer(half, () =>
          withWords(body(shape, half), book.say([shape === withData ? 'MedData' : 'UtenData'], undefined)),
        ),
      )
      return { oneOf: shapes }
    })
  }

  function body(schema: Json, of: string): Json {
    const { description: _, ...rest } = schema
    if (Array.isArray(rest.anyOf)) return unionOf(rest.anyOf as Json[], of)
    if (Array.isArray(rest.enum)) return { type: 'string', enum: rest.enum }
    if (rest.type === 'array') return { ...rest, items: write(rest.items as Json, of) }
    if (typeof rest.additionalProperties === 'object')
      return { ...rest, additionalProperties: write(rest.additionalProperties as Json, of) }
    if (rest.properties === undefined) return rest
    const properties = Object.entries(propertiesOf(rest)).map(([key, value]) => {
      const shape = write(value, of)
      const isReference = '$ref' in shape || nullable(shape)
      const text = book.say([`${of}.${key}`, key], fieldTextOf(value), isReference)
      return [key, withWords(shape, text)]
    })
    return { ...rest, properties: Object.fromEntries(properties) }
  }

  function unionOf(shapes: readonly Json[], of: string): Json {
    const [first, second, ...more] = shapes.map((shape) => write(shape, of))
    if (first === undefined || second?.type !== 'null' || more.length > 0)
      return { anyOf: [first, second, ...more] }
    if (typeof first.type !== 'string') return { anyOf: [first, { type: 'null' }] }
    return {
      ...first,
      type: [first.type, 'null'],
      ...(Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {}),
    }
  }

  return {
    write,
    all: (): Json => Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

// A record's schema comes with its properties' pattern from one side, and as additional properties from the other.
const alike = (schema: unknown) =>
  JSON.stringify(schema, (_key, value) =>
    typeof value === 'object' && value !== null && 'patternProperties' in value
      ? {
          ...value,
          patternProperties: undefined,
          additionalProperties: Object.values(value.patternProperties)[0],
        }
      : value,
  )

const names = new Map(Object.entries(named).map(([name, shape]) => [alike(shape), name]))

function nameOf(schema: Json): string | undefined {
  return names.get(alike(schema))
}

function propertiesOf(schema: Json): Record<string, Json> {
  return (schema.properties ?? {}) as Record<string, Json>
}

/** One of two shapes, with data and without. */
function sectionOf({ anyOf }: Json): { withData: Json; without: Json } | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [withData, without] = anyOf as [Json, Json]
  const isSection = [withData, without].every((shape) => {
    const keys = Object.keys(propertiesOf(shape))
    return keys.includes('tilstand') && keys.includes('data')
  })
  return isSection ? { withData, without } : null
}

function nullable({ anyOf }: Json): boolean {
  return Array.isArray(anyOf) && anyOf.length === 2 && '$ref' in anyOf[0]
}

/** What stands with the shape itself. That a day or a moment is ISO 8601 is said by its format. */
function textOf({ description }: Json): string | undefined {
  return typeof description === 'string' && !/^(?:ÅÅÅÅ-MM-DD$|ISO 8601)/.test(description)
    ? description
    : undefined
}

/** A field's words stand with it, or with what is there when it is not null; a named shape's are its own. */
function fieldTextOf(schema: Json): string | undefined {
  if (nameOf(schema) !== undefined) return undefined
  const own = textOf(schema)
  const [first, second] = (Array.isArray(schema.anyOf) ? schema.anyOf : []) as Json[]
  if (own !== undefined || first === undefined || second?.type !== 'null') return own
  return nameOf(first) === undefined ? textOf(first) : undefined
}

export function withWords(shape: Json, text: string): Json {
  return text === '' ? shape : { ...shape, description: text }
}
