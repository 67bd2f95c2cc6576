import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { SourceError, type SourceName } from './source.ts'

/** A checked copy of a body, and the JSON pointers (RFC 6901) of the optional parts that had the wrong shape. */
export type Believed<T> = { value: T; avvik: string[] }

/**
 * Reads bodies by a schema, once compiled. What comes back is a copy: the body itself is left as it was.
 *
 * - A property the schema does not list is left out, unless the schema's `additionalProperties` says what it may be.
 * - An optional property of the wrong shape is left out and named in `avvik`; null counts as absent and is not named.
 * - A required property or an array item is never left out: its fault moves up to the nearest optional property around it.
 *   So a list is either whole or missing, never shorter than what the register sent.
 * - A fault with no optional property around it, or nesting deeper than 64, and the body is not believed.
 * - The keys that could reach a prototype are dropped wherever they stand.
 *
 * @throws SourceError `ugyldig_svar` when the body is not believed
 */
export function createBelief<S extends TSchema>(
  schema: S,
): (source: SourceName, body: unknown) => Believed<Static<S>> {
  const whole = Compile(schema)
  const read = readerOf(schema)
  return (source, body) => {
    const avvik: string[] = []
    const value = read(body, { path: '', depth: 0, avvik })
    if (value === WRONG || !whole.Check(value)) {
      throw new SourceError(source, 'ugyldig_svar', 'the answer does not have the shape this register gives')
    }
    return { value: value as Static<S>, avvik }
  }
}

/** The keys through which a copied object could reach a prototype. */
const DANGEROUS_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Appends one reference token to a JSON pointer. */
export function pointer(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const WRONG = Symbol('wrong shape')
const DEPTH_MAX = 64

type Place = { path: string; depth: number; avvik: string[] }
type Reader = (value: unknown, place: Place) => unknown

function readerOf(schema: TSchema): Reader {
  if (Type.IsObject(schema)) return objectReader(schema)
  if (Type.IsArray(schema)) return arrayReader(schema)
  return leafReader(schema)
}

function objectReader(schema: Type.TObject): Reader {
  const required = new Set<string>(schema.required)
  const readers = new Map(Object.entries(schema.properties).map(([key, part]) => [key, readerOf(part)]))
  const other = 'additionalProperties' in schema ? schema.additionalProperties : undefined
  const unlisted = isRecord(other) ? readerOf(other) : undefined

  return (value, place) => {
    if (!isRecord(value) || place.depth >= DEPTH_MAX) return WRONG
    const copy: Record<string, unknown> = {}
    for (const [key, part] of Object.entries(value)) {
      const read = DANGEROUS_KEYS.has(key) ? undefined : (readers.get(key) ?? unlisted)
      if (read === undefined) continue
      const path = pointer(place.path, key)
      const avvikBefore = place.avvik.length
      const believed = read(part, { path, depth: place.depth + 1, avvik: place.avvik })
      if (believed !== WRONG) {
        copy[key] = believed
        continue
      }
      if (required.has(key)) return WRONG
      // The whole part is left out, so what was found wrong inside it is no longer worth a line of its own.
      place.avvik.length = avvikBefore
      if (part !== null) place.avvik.push(path)
    }
    for (const key of required) if (!Object.hasOwn(copy, key)) return WRONG
    return copy
  }
}

function arrayReader(schema: Type.TArray): Reader {
  const read = readerOf(schema.items)
  return (value, place) => {
    if (!Array.isArray(value) || place.depth >= DEPTH_MAX) return WRONG
    const copy: unknown[] = []
    for (const [index, item] of value.entries()) {
      const path = pointer(place.path, index)
      const believed = read(item, { path, depth: place.depth + 1, avvik: place.avvik })
      if (believed === WRONG) return WRONG
      copy.push(believed)
    }
    return copy
  }
}

function leafReader(schema: TSchema): Reader {
  const leaf = Compile(schema)
  return (value, place) => (leaf.Check(value) ? plainCopy(value, place.depth) : WRONG)
}

/** A copy of any JSON value without the dangerous keys; WRONG when it is nested too deep to be walked safely. */
function plainCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return WRONG
  if (Array.isArray(value)) {
    const items = value.map((item) => plainCopy(item, depth + 1))
    return items.includes(WRONG) ? WRONG : items
  }
  const copy: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    if (DANGEROUS_KEYS.has(key)) continue
    const believed = plainCopy(part, depth + 1)
    if (believed === WRONG) return WRONG
    copy[key] = believed
  }
  return copy
}
