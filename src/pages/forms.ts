import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { InputError } from '#src/core/errors.ts'
import { PageFailure } from './failures.ts'
import type { Visitor } from './visitor.ts'

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

/** What was wrong with what was typed, as the visitor is told. */
export function mistakeOf(error: InputError, { language }: Pick<Visitor, 'language'>): string {
  return language === 'nb' ? error.norsk : error.english
}

/** The token in an address: 256 bits, as it was made. Anything else is nobody's. */
export function readToken(text: string): string {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new PageFailure('ukjent')
  return text
}
