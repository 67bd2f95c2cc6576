import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isJsonObject } from '#src/core/json-object.ts'
import { SourceError } from './source.ts'

/** A checked copy of a body, and the JSON pointers (RFC 6901) of what was sent and could not be read. */
export type Believed<T> = { value: T; avvik: string[] }

/**
 * A property that need not be there. In a believed value absent says "not stated"; null says "stated, and not to be read",
 * which is never the same as none, no or zero.
 */
export const optional = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

/** The same for what every answer has: its absence is a deviation too, and is null and named. */
export const always = <S extends TSchema>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()], { always: true }))

/** A list whose items stand for themselves: one that can not be read is null in its place, and costs no other. */
export const listOf = <S extends TSchema>(item: S) => Type.Array(Type.Union([item, Type.Null()]))

/** The items that could be read; null when there is no list, or nothing in it could be: an empty list says "none". */
export function readable<T>(list: readonly (T | null)[] | null | undefined): T[] | null {
  if (list === undefined || list === null) return null
  const items = list.filter((item) => item !== null)
  return items.length === 0 && list.length > 0 ? null : items
}

/**
 * Reads bodies by a schema, once compiled. What comes back is a copy: the body itself is left as it was.
 *
 * - A property the schema does not list is left out, unless the schema's `additionalProperties` says what it may be.
 * - What is `optional` or an item of `listOf` and has the wrong shape is null, and named in `avvik` by the place where its
 *   shape is wrong. A property that is null, or a null among texts, counts as absent and is not named.
 * - Anything else is never left out: its fault moves up to the nearest part around it that may be.
 * - A fault with no such part around it, or nesting deeper than 64, and the body is not believed.
 * - The keys that could reach a prototype are dropped wherever they stand.
 *
 * @throws SourceError `ugyldig_svar` when the body is not believed, with the place
 */
export function createBelief<S extends TSchema>(
  schema: S,
): (source: string, body: unknown) => Believed<Static<S>> {
  const whole = isHeldByReading(schema) ? null : Compile(schema)
  const read = readerOf(schema)
  return (source, body) => {
    const avvik: string[] = []
    const value = read(body, { path: '', depth: 0, avvik })
    if (value instanceof Fault || whole?.Check(value) === false) {
      const field = value instanceof Fault ? value.path : ''
      throw new SourceError(source, 'ugyldig_svar', NOT_THE_SHAPE, { field })
    }
    return { value: value as Static<S>, avvik }
  }
}

const NOT_THE_SHAPE = 'the answer does not have the shape this register gives'

/** The keys through which a copied object could reach a prototype. */
const DANGEROUS_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Appends one reference token to a JSON pointer. */
export function pointer(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Where a part has the wrong shape. */
class Fault {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }
}

const DEPTH_MAX = 64

type Place = { path: string; depth: number; avvik: string[] }
type Reader = (value: unknown, place: Place) => unknown

function readerOf(schema: TSchema): Reader {
  if (withoutNull(schema) !== null) return readerOf(stated(schema))
  if (Type.IsObject(schema)) return objectReader(schema)
  if (Type.IsArray(schema)) return arrayReader(schema)
  return leafReader(schema)
}

/** The schema of what is stated, where it may be. */
export function stated(schema: TSchema): TSchema {
  return withoutNull(schema) ?? schema
}

/** What `optional`, `always` and `listOf` were given; null for any other schema. */
function withoutNull(schema: TSchema): TSchema | null {
  if (!Type.IsUnion(schema)) return null
  const [stated, other, ...more] = schema.anyOf
  return stated !== undefined && other !== undefined && Type.IsNull(other) && more.length === 0
    ? stated
    : null
}

/**
 * Whether what the readers below put together is of the schema by that: they look at each leaf, and at nothing else that a schema
 * may say of an object or a list. Looking at all of it again costs about as much as reading it.
 */
function isHeldByReading(schema: TSchema): boolean {
  const stated = withoutNull(schema)
  if (stated !== null) return says(schema, ['anyOf']) && isHeldByReading(stated)
  if (Type.IsObject(schema)) {
    const other = 'additionalProperties' in schema ? schema.additionalProperties : undefined
    const parts: TSchema[] = Object.values(schema.properties)
    if (isJsonObject(other)) parts.push(other)
    return says(schema, ['properties', 'required', 'additionalProperties']) && parts.every(isHeldByReading)
  }
  return Type.IsArray(schema) ? says(schema, ['items']) && isHeldByReading(schema.items) : true
}

/** That alone, and what says nothing of a value. Also what a schema has without showing it, as a check of its own. */
function says(schema: TSchema, keywords: readonly string[]): boolean {
  return Object.getOwnPropertyNames(schema).every((name) => keywords.includes(name) || SAYS_NOTHING.has(name))
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'always',
  '~kind',
  '~optional',
])

function objectReader(schema: Type.TObject): Reader {
  const parts = Object.entries<TSchema>(schema.properties)
  const required = new Set<string>(schema.required)
  // With their step of the path: a night's file has forty million of them.
  const readers = new Map(parts.map(([key, part]) => [key, { read: readerOf(part), step: pointer('', key) }]))
  const nullable = new Set(parts.flatMap(([key, part]) => (withoutNull(part) === null ? [] : [key])))
  const expected = parts.flatMap(([key, part]) => ('always' in part ? [key] : []))
  const other = 'additionalProperties' in schema ? schema.additionalProperties : undefined
  const unlisted = isJsonObject(other) ? readerOf(other) : undefined

  return (value, place) => {
    if (!isJsonObject(value) || place.depth >= DEPTH_MAX) return new Fault(place.path)
    const copy: Record<string, unknown> = {}
    for (const [key, part] of Object.entries(value)) {
      const listed = readers.get(key)
      const read = listed?.read ?? (DANGEROUS_KEYS.has(key) ? undefined : unlisted)
      if (read === undefined) continue
      const avvikBefore = place.avvik.length
      const path = listed === undefined ? pointer(place.path, key) : place.path + listed.step
      const believed = read(part, { path, depth: place.depth + 1, avvik: place.avvik })
      if (!(believed instanceof Fault)) {
        copy[key] = believed
        continue
      }
      if (required.has(key)) return believed
      if (part === null) continue
      // The whole part is left out, so what was found wrong inside it before is no longer worth a line of its own.
      place.avvik.length = avvikBefore
      place.avvik.push(believed.path)
      if (nullable.has(key)) copy[key] = null
    }
    for (const key of required) if (!Object.hasOwn(copy, key)) return new Fault(pointer(place.path, key))
    for (const key of expected) {
      if (Object.hasOwn(copy, key)) continue
      copy[key] = null
      place.avvik.push(pointer(place.path, key))
    }
    return copy
  }
}

function arrayReader(schema: Type.TArray): Reader {
  const read = readerOf(schema.items)
  const mayBeUnread = withoutNull(schema.items) !== null
  const isOfTexts = mayBeUnread && Type.IsString(stated(schema.items))
  return (value, place) => {
    if (!Array.isArray(value) || place.depth >= DEPTH_MAX) return new Fault(place.path)
    const copy: unknown[] = []
    for (const [index, item] of value.entries()) {
      if (item === null && isOfTexts) continue
      const avvikBefore = place.avvik.length
      const path = pointer(place.path, index)
      const believed = read(item, { path, depth: place.depth + 1, avvik: place.avvik })
      if (!(believed instanceof Fault)) {
        copy.push(believed)
        continue
      }
      if (!mayBeUnread) return believed
      place.avvik.length = avvikBefore
      place.avvik.push(believed.path)
      copy.push(null)
    }
    return copy
  }
}

function leafReader(schema: TSchema): Reader {
  // Most leaves.
  if (Type.IsString(schema) && says(schema, []))
    return (value, { path }) => (typeof value === 'string' ? value : new Fault(path))
  const leaf = Compile(schema)
  return (value, place) =>
    leaf.Check(value) ? plainCopy(value, place.depth, place.path) : new Fault(place.path)
}

/** A copy of any JSON value without the dangerous keys; a fault when it is nested too deep to be walked safely. */
function plainCopy(value: unknown, depth: number, path: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return new Fault(path)
  if (Array.isArray(value)) {
    const items = value.map((item) => plainCopy(item, depth + 1, path))
    return items.find((item) => item instanceof Fault) ?? items
  }
  const copy: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    if (DANGEROUS_KEYS.has(key)) continue
    const believed = plainCopy(part, depth + 1, path)
    if (believed instanceof Fault) return believed
    copy[key] = believed
  }
  return copy
}
