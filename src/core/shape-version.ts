import { createHash } from 'node:crypto'

/**
 * A number for what is read by these schemas (JSON Schema) and whatever else decides how it is read: another one as soon as a
 * shape is another, the same one however it is written down. The order of properties and of choices, and the words for
 * people, are no shape; nor is a check that is a function, which refuses what is new and says nothing of what is kept. Any other
 * word of a schema counts: where a meaning changes and its shape does not, one that nobody reads makes it another (`utgave: 2`).
 *
 * @returns 31 bits, and the highest of 32 always set: numbers that were counted up by hand were small
 */
export function shapeVersion(shapes: Readonly<Record<string, object | string | number>>): number {
  const text = JSON.stringify(ordered(shapes).map(([name, shape]) => [name, canonical(shape)]))
  return (createHash('sha256').update(text).digest().readUInt32BE(0) | 0x8000_0000) >>> 0
}

/** Told to people, or true of the schema and not of what it describes. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'example',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])
/** Beneath these stand names that are ours, whatever they are called. */
const OF_NAMES: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])
const UNORDERED: ReadonlySet<string> = new Set(['required', 'enum', 'anyOf', 'oneOf', 'allOf'])

function canonical(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(canonical)
  if (typeof schema !== 'object' || schema === null) return schema
  return ordered(schema)
    .filter(([word]) => !ANNOTATIONS.has(word) && !word.startsWith('~'))
    .map(([word, value]) => [word, canonicalOf(word, value)])
}

function canonicalOf(word: string, value: unknown): unknown {
  if (OF_NAMES.has(word) && typeof value === 'object' && value !== null)
    return ordered(value).map(([name, schema]) => [name, canonical(schema)])
  if (UNORDERED.has(word) && Array.isArray(value))
    return value.map((each) => JSON.stringify(canonical(each))).sort()
  return canonical(value)
}

function ordered(object: object): [string, unknown][] {
  return Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))
}
