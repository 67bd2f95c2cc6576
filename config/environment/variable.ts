import { ConfigurationError } from '#src/core/errors.ts'
import { givenText } from './from-file.ts'
import { NotUnderstood } from './kinds.ts'

/** One environment variable: what it means, what it is when it is not set, and how its text is understood. */
type Variable = {
  readonly meaning: string
  readonly standard: string
  readonly read: (text: string) => unknown
}

/** Where variables are set: a process' environment. */
export type Given = Readonly<Record<string, string | undefined>>

/**
 * The values of a table's variables, each read when it is asked for.
 *
 * The function given throws ConfigurationError: one line with the variable, what was found and what was expected.
 */
export function valuesOf<Table extends { readonly [Name in keyof Table]: Variable }>(
  table: Table,
  env: Given,
) {
  return <Name extends keyof Table & string>(name: Name): ReturnType<Table[Name]['read']> => {
    const { meaning, standard, read }: Variable = table[name]
    const found = givenText(name, env) || standard
    try {
      return read(found) as ReturnType<Table[Name]['read']>
    } catch (error) {
      const expected = error instanceof NotUnderstood ? error.message : String(error)
      throw new ConfigurationError(`${name}: expected ${expected}. (${meaning})`)
    }
  }
}

/**
 * What is of use only together: all of it, or null when none of it is set.
 *
 * @param why the end of the line that names what is missing
 * @throws ConfigurationError when a part is missing
 */
export function allOrNone<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  why: string,
): { [Name in keyof Values]: NonNullable<Values[Name]> } | null {
  const missing = Object.keys(values).filter((name) => values[name] === null)
  if (missing.length === 0) return values as { [Name in keyof Values]: NonNullable<Values[Name]> }
  if (missing.length === Object.keys(values).length) return null
  throw new ConfigurationError(`${missing.join(', ')}: expected a value, ${why}`)
}
