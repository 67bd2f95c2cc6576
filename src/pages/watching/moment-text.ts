import { dateFormat } from '#src/core/formats.ts'
import type { Language } from '#src/core/language.ts'

/** A moment of Norwegian time. */
export function momentText(at: Date, language: Language): string {
  return dateFormat(LOCALES[language], {
    timeZone: 'Europe/Oslo',
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(at)
}

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const
