import type { JsonSchema } from '../../http/api-document.ts'

/** A field, a parameter or a header, as it is told of. */
export type DocumentedField = {
  name: string
  /** What it holds, in the words of JSON, with its bounds. */
  type: string
  /** Named schemas it is made of, which have pages of their own. */
  names: readonly string[]
  isRequired: boolean
  isNullable: boolean
  isDeprecated: boolean
  /** What holds when it is left out, as it would be written; null: that is not one value. */
  standard: string | null
  description: string
  fields: readonly DocumentedField[]
}

type Told = Pick<DocumentedField, 'type' | 'names' | 'isNullable' | 'fields'>

/** The fields of an object, or of each of a list. What has a name of its own is not opened. */
export function schemaFields(schema: JsonSchema, depth = 0): DocumentedField[] {
  const { properties, required = [] } = merged(schema)
  return Object.entries(properties ?? {}).map(([name, of]) => ({
    name,
    ...told(of, depth),
    isRequired: required.includes(name),
    isDeprecated: of.deprecated === true,
    standard: standardOf(of),
    description: of.description ?? '',
  }))
}

/** @returns what it holds, and the fields within; deeper than `DEPTH_MAX` they are in the document alone */
export function told(schema: JsonSchema, depth = 0): Told {
  const named = schemaName(schema)
  if (named !== null) return { type: named, names: [named], isNullable: false, fields: [] }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return toldOfChoices(choices, depth)
  const types = typesOf(schema)
  const isNullable = types.includes('null')
  if (schema.enum !== undefined) {
    return {
      type: schema.enum.map((each) => JSON.stringify(each)).join(' | '),
      names: [],
      isNullable,
      fields: [],
    }
  }
  if (schema.const !== undefined) {
    return { type: JSON.stringify(schema.const), names: [], isNullable, fields: [] }
  }
  if (schema.items !== undefined) {
    const of = told(schema.items, depth)
    return { ...of, type: `${of.type}[]`, isNullable }
  }
  const rest = types.filter((type) => type !== 'null').join(' | ')
  if (schema.properties !== undefined || schema.allOf !== undefined) {
    return {
      type: 'object',
      names: [],
      isNullable,
      fields: depth < DEPTH_MAX ? schemaFields(schema, depth + 1) : [],
    }
  }
  return {
    type: [rest, boundsOf(schema), schema.format === undefined ? '' : `(${schema.format})`]
      .filter((part) => part !== '')
      .join(' '),
    names: [],
    isNullable,
    fields: [],
  }
}

/** What holds when it is left out; null: that is not one value. */
export function standardOf({ default: standard }: JsonSchema): string | null {
  return standard === undefined ? null : String(standard)
}

function boundsOf({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? '' : `≤ ${maximum}`
  return maximum === undefined ? `≥ ${minimum}` : `${minimum}–${maximum}`
}

function toldOfChoices(choices: readonly JsonSchema[], depth: number): Told {
  const all = choices.map((each) => told(each, depth))
  const real = all.filter(({ type }) => type !== '' && type !== 'null')
  return {
    type: [...new Set(real.map(({ type }) => type))].join(' | '),
    names: [...new Set(real.flatMap(({ names }) => names))],
    isNullable: all.some(({ type, isNullable }) => isNullable || type === '' || type === 'null'),
    fields: real.find(({ fields }) => fields.length > 0)?.fields ?? [],
  }
}

function merged(schema: JsonSchema): JsonSchema {
  const parts = [schema, ...(schema.allOf ?? [])]
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})),
    required: parts.flatMap(({ required }) => required ?? []),
  }
}

export function schemaName({ $ref }: JsonSchema): string | null {
  return $ref?.split('/').at(-1) ?? null
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}

const DEPTH_MAX = 1
