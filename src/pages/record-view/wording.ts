import { dateFormat, numberFormat } from '#src/core/formats.ts'
import type { Language } from '#src/core/language.ts'

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const

/** `21. november 2027`. A date of the register is a day in Norway and has no time. */
export function dateText(date: string, language: Language): string {
  return dateFormat(LOCALES[language], { timeZone: 'UTC', dateStyle: 'long' }).format(
    new Date(`${date.slice(0, 10)}T00:00:00Z`),
  )
}

export function numberText(value: number, language: Language, decimals = 0): string {
  return numberFormat(LOCALES[language], {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value)
}

/** At most one decimal: `36,3 %`, `66 %`. */
export function percentText(percent: number, language: Language): string {
  const number = numberFormat(LOCALES[language], { maximumFractionDigits: 1 }).format(percent)
  return language === 'nb' ? `${number}\u00a0%` : `${number}%`
}

/** `901 012 121`, as it is written. */
export function orgnrText(organisasjonsnummer: string): string {
  return organisasjonsnummer.replace(/^(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3')
}

/** The word for a code; a code that has none is shown as it is, since code lists grow. */
export function worded(words: Readonly<Record<string, string>>, code: string): string {
  return words[code] ?? code
}

export function stateText(tilstand: string, language: Language): string {
  return worded(STATES[language], tilstand)
}

const STATES = {
  nb: {
    fersk: 'Fersk',
    utdatert: 'Eldre kopi',
    utilgjengelig: 'Utilgjengelig',
    ikke_funnet: 'Ikke funnet',
    ikke_relevant: 'Ikke relevant',
    ikke_importert: 'Ikke importert',
  },
  en: {
    fersk: 'Fresh',
    utdatert: 'Older copy',
    utilgjengelig: 'Unavailable',
    ikke_funnet: 'Not found',
    ikke_relevant: 'Not applicable',
    ikke_importert: 'Not imported',
  },
}
