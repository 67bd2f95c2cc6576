import type { Language } from '#src/core/language.ts'
import { documentWords } from './words.ts'

export type Book = ReturnType<typeof createBook>

/**
 * What the document says of each thing, in one language. Who asks gives the names it may stand under, the narrowest first, and
 * the Norwegian words that stand with the shape itself, if there are any; words/ has the English for those.
 */
export function createBook(language: Language) {
  const unsaid = new Set<string>()
  const used = new Set<string>()

  return {
    /** Empty when there are no words for it; that is noted, unless it may go without. */
    say(names: readonly string[], norwegian: string | undefined, mayBeSilent = false): string {
      const name = names.find(
        (each) => typeof documentWords[each] === (norwegian === undefined ? 'object' : 'string'),
      )
      const entry = name === undefined ? undefined : documentWords[name]
      if (name === undefined || entry === undefined) {
        if (!mayBeSilent || norwegian !== undefined) unsaid.add(names.join(', '))
        return language === 'nb' ? (norwegian ?? '') : ''
      }
      used.add(name)
      if (typeof entry !== 'string') return entry[language === 'nb' ? 0 : 1]
      return language === 'nb' ? (norwegian ?? '') : entry
    },
    unsaid: () => [...unsaid],
    unused: () => Object.keys(documentWords).filter((name) => !used.has(name)),
  }
}
