import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { PageFailure } from './failures.ts'

/** Long enough for any address, and for what somebody typed in place of one. */
export const Typed = Type.String({ maxLength: 400 })

/**
 * Reads a form at the door: each field a text, at most once. Fields that are not asked for are left out.
 *
 * @throws PageFailure `skjema`, for what no page of ours sends
 */
export function formReader<P extends TProperties>(fields: P) {
  const form = Compile(Type.Object(fields))
  return (body: unknown) => {
    if (!form.Check(body)) throw new PageFailure('skjema')
    return body
  }
}

/** The token in an address: 256 bits, as it was made. Anything else is nobody's. */
export function readToken(text: string): string {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new PageFailure('ukjent')
  return text
}
