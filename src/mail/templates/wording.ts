import { policy } from '#config/policy.ts'
import { dateFormat, numberFormat } from '#src/core/formats.ts'
import type { Language } from '#src/core/language.ts'

const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const satisfies Record<Language, string>

/** The day in Norway: `21. november 2027`, `21 November 2027`. */
export function day(date: Date, language: Language): string {
  return dateFormat(LOCALES[language], { timeZone: 'Europe/Oslo', dateStyle: 'long' }).format(date)
}

/** To the minute in Norway, and in English it says that it is Norway's: `21. november 2027 kl. 07:01`. */
export function moment(date: Date, language: Language): string {
  const text = dateFormat(LOCALES[language], {
    timeZone: 'Europe/Oslo',
    dateStyle: 'long',
    timeStyle: 'short',
  }).format(date)
  return language === 'nb' ? text : `${text} (Norwegian time)`
}

/** `499,00 kr`, `NOK 499.00`: with both decimals, as on a receipt. */
export function price(ore: number, currency: string, language: Language): string {
  return numberFormat(LOCALES[language], { style: 'currency', currency }).format(ore / 100)
}

/** `999 888 777`, and MVA behind it where it stood. */
export function organisationNumber(text: string): string {
  return text.replace(/^([0-9]{3}) ?([0-9]{3}) ?([0-9]{3}) ?/, '$1 $2 $3 ').trim()
}

/**
 * What a stranger calls something, as words that no mail program makes a link of (P151): in front of each mark that addresses are
 * made with stands a letter that shows nothing, the word joiner. Numbers are left. Of a text longer than any name or host is, the
 * beginning: a mail lists a hundred of them, and is written in one go.
 */
export function unlinked(text: string): string {
  const told = text.length > LETTERS_MAX ? `${text.slice(0, LETTERS_MAX)}…` : text
  return told.replace(/(?<!\d)[.:@\u3002\uff0e\uff1a\uff20\uff61](?=\S)|[.:@](?=[^\s\d])/gu, '\u2060$&')
}

const LETTERS_MAX = 300

/** Where whoever answers is reached: by mail, where it is a mail address. */
export function contactAddress(contact: string): string {
  return contact.includes('@') && !contact.includes('/') ? `mailto:${contact}` : contact
}

/** How long a lost key goes on working beside the one that was mailed in its place. */
export const lostKeyHours = policy.sales.lostKeyMs / 3_600_000
