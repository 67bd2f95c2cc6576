/**
 * The paths of a body and what stands at each, without any value: `{ "/navn": ["string"], "/roller/[]/person": ["object"] }`.
 * All items of a list are one path. A key that does not look like a field's name is written as `?`: it may be data.
 */
export type SeenShape = Record<string, string[]>

const PATHS_MAX = 2000
const NODES_MAX = 50_000
const DEPTH_MAX = 32
const FIELD = /^[A-Za-zÆØÅæøå_@$][\w.@$ÆØÅæøå-]{0,63}$/

export function seenShapeOf(body: unknown): SeenShape {
  const shape = new Map<string, Set<string>>()
  let nodes = 0

  function walk(value: unknown, path: string, depth: number): void {
    nodes += 1
    if (nodes > NODES_MAX || depth > DEPTH_MAX || shape.size >= PATHS_MAX) return
    const types = shape.get(path) ?? new Set()
    shape.set(path, types.add(typeOf(value)))
    if (Array.isArray(value)) for (const item of value) walk(item, `${path}/[]`, depth + 1)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value))
        walk(part, `${path}/${FIELD.test(key) ? key : '?'}`, depth + 1)
    }
  }

  walk(body, '', 0)
  return Object.fromEntries([...shape].map(([path, types]) => [path, [...types].sort()]))
}

/** The shape of several answers to one question. */
export function joined(shapes: readonly SeenShape[]): SeenShape {
  const all: SeenShape = {}
  for (const [path, types] of shapes.flatMap((shape) => Object.entries(shape))) {
    all[path] = [...new Set([...(all[path] ?? []), ...types])].sort()
  }
  return all
}

/** A schema as far as a shape can be held against it. */
type Expected = Map<string, { types: Set<string>; isAlways: boolean }>
type Schema = {
  type?: string
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  always?: boolean
}

export type Difference = { nye: string[]; mangler: string[]; endret: string[] }

/**
 * - `nye`: fields the schema does not know; the topmost alone of those that are new together
 * - `mangler`: fields every answer has by the schema, where what they are fields of is there
 * - `endret`: fields of another type than the schema has, as `path: found`
 */
export function differences(shape: SeenShape, schema: object): Difference {
  const expected: Expected = new Map()
  expect(schema as Schema, '', true, expected)
  const seen = Object.keys(shape)
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
  return {
    nye: seen.filter((path) => !expected.has(path) && expected.has(parentOf(path))).sort(),
    mangler: [...expected]
      .filter(([path, { isAlways }]) => isAlways && !(path in shape) && isThere(shape, parentOf(path)))
      .map(([path]) => path)
      .sort(),
    endret: seen
      .flatMap((path) => {
        const types = expected.get(path)?.types
        const others = types === undefined ? [] : (shape[path] ?? []).filter((type) => !fits(type, types))
        return others.length === 0 ? [] : [`${path}: ${others.join(', ')}`]
      })
      .sort(),
  }
}

/** What came and went between two shapes; the topmost alone of what came or went together. */
export function since(
  before: SeenShape,
  now: SeenShape,
): { nye: string[]; borte: string[]; endret: string[] } {
  const only = (a: SeenShape, b: SeenShape) =>
    Object.keys(a).filter((path) => !(path in b) && path.slice(0, path.lastIndexOf('/')) in b)
  const both = Object.keys(now).filter((path) => path in before)
  return {
    nye: only(now, before).sort(),
    borte: only(before, now).sort(),
    endret: both
      .filter((path) => String(now[path]) !== String(before[path]))
      .map((path) => `${path}: ${before[path]?.join('|')} → ${now[path]?.join('|')}`)
      .sort(),
  }
}

function isThere(shape: SeenShape, path: string): boolean {
  return shape[path]?.some((type) => type === 'object' || type === 'array') ?? false
}

function fits(type: string, types: ReadonlySet<string>): boolean {
  return type === 'null' || types.has(type) || types.has('any')
}

function expect(schema: Schema, path: string, isAlways: boolean, all: Expected): void {
  if (schema.anyOf !== undefined) {
    for (const each of schema.anyOf) expect(each, path, isAlways || schema.always === true, all)
    return
  }
  const known = all.get(path) ?? { types: new Set(), isAlways }
  known.isAlways &&= isAlways
  known.types.add(typeIn(schema))
  all.set(path, known)
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) === true || part.always === true
    expect(part, `${path}/${name}`, isRequired, all)
  }
  if (schema.items !== undefined) expect(schema.items, `${path}/[]`, false, all)
}

function typeIn({ type, const: constant }: Schema): string {
  if (type === undefined) return constant === undefined ? 'any' : typeOf(constant)
  return type === 'integer' ? 'number' : type
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
