import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { VippsAnswerError } from './errors.ts'

export const ShortText = Type.String({ minLength: 1, maxLength: 200 })

/** Vipps sends a field that has nothing as null, or leaves it out. */
export const nullish = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

/** The error says what was expected and never what was found: an answer may hold a token or a secret. */
export function shape<S extends TSchema>(schema: S, what: string): (body: unknown) => Static<S> {
  const check = Compile(schema)
  return (body) => {
    if (!check.Check(body)) throw new VippsAnswerError(`the answer does not have the shape of ${what}`)
    return body as Static<S>
  }
}
