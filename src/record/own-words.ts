import type { Words } from '#src/core/language.ts'
import { eierskap } from '#src/sources/aksjonaerregisteret/archive.ts'
import { reasonsInWords } from './provenance.ts'
import { SAME_PERSON } from './same-person.ts'

/** What the service itself says in a record, in both languages; all else in it is the registers'. */
const ownWords: readonly Words[] = [
  ...reasonsInWords,
  SAME_PERSON,
  {
    nb: eierskap.provenance.kilde,
    en: 'Computed from the shareholder register of the Norwegian Tax Administration',
  },
]

const english = new Map(ownWords.map(({ nb, en }) => [JSON.stringify(nb), JSON.stringify(en)]))

/** What the sandbox puts behind the name of a source. */
export const INVENTED = { nb: ' (oppdiktet)', en: ' (invented)' } as const

/**
 * A record's JSON with what is ours in English. Only whole values of the two fields our words stand in are looked at, and within
 * a text of a register no such field can begin: a quotation mark there is escaped.
 */
export function inEnglish(json: string): string {
  return json.replace(/"(beskrivelse|kilde)":("(?:[^"\\]|\\.)*")/g, (whole, name: string, text: string) => {
    const real = text.replace(INVENTED.nb, '')
    const own = english.get(real)
    if (own === undefined && real === text) return whole
    return `"${name}":${real === text ? own : `${(own ?? real).slice(0, -1)}${INVENTED.en}"`}`
  })
}
