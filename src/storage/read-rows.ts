import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Door, tellUnreadable } from '#src/core/unreadable.ts'

/** A `timestamptz` as pg gives it. */
export const Tid = Type.Refine(
  Type.Unsafe<Date>({}),
  (value) => value instanceof Date && !Number.isNaN(value.getTime()),
)

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Rows as they are read: one that is not of the shape, as another release may have written it, is counted and left out (P105). */
export function rowReader<S extends TSchema>(door: Door, schema: S) {
  const shape = Compile(schema)
  return (rows: readonly unknown[]): Static<S>[] =>
    rows.filter((row): row is Static<S> => {
      const isRead = shape.Check(row)
      if (!isRead) tellUnreadable(door)
      return isRead
    })
}
