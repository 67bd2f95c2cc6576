import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** Checks an answer against the shape that is promised, and that it has nothing that nobody was told of. */
export function compilePromised(schema: TSchema) {
  return Compile(closed(schema) as TSchema)
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]))
  return 'properties' in schema ? { additionalProperties: false, ...parts } : parts
}
