import { InputError } from '#src/core/errors.ts'
import { changeTypes } from './change-types.ts'

/**
 * Which types somebody wants: each one of the list or the beginning of some, `foretak`, `foretak.*` or `foretak.konkurs.apnet`.
 * One that no change can ever be of is a slip, and is told.
 *
 * @returns each once, as they are stored; null where there is none: all are wanted
 * @throws InputError `ugyldig_parameter`
 */
export function readTypeFilter(given: readonly string[], parameter: string): string[] | null {
  const wanted = new Set<string>()
  for (const each of given) {
    const type = each.trim().replace(/\.\*$/, '')
    if (type === '' || type === '*') continue
    const isKnown = changeTypes.some((known) => known.type === type || known.type.startsWith(`${type}.`))
    if (!isKnown) throw unknownType(parameter)
    wanted.add(type)
  }
  return wanted.size === 0 ? null : [...wanted]
}

function unknownType(parameter: string): InputError {
  const some = 'foretak, foretak.konkurs, roller.styre.endret'
  return new InputError('ugyldig_parameter', parameter, {
    norsk: `${parameter} er endringstyper, hele eller bare begynnelsen: ${some}. Alle står i dokumentasjonen.`,
    english: `${parameter} is types of changes, whole or their beginning alone: ${some}. All are in the documentation.`,
  })
}
