/**
 * A name as names are compared: composed (NFC), upper case, every run of spaces one space, none around it. Two spellings of
 * one name become the same text; two people of one name do as well, so it is never an identity alone.
 */
export function foldName(text: string): string {
  return tidyName(text).toUpperCase()
}

/** A name as it is shown: composed, every run of spaces (also non-breaking) one space, none around it. */
export function tidyName(text: string): string {
  const composed = BEYOND_LATIN.test(text) ? text.normalize('NFC') : text
  return UNTIDY.test(composed) ? composed.replace(/\s+/g, ' ').trim() : composed
}

/** Letters and marks up to here are composed already. */
const BEYOND_LATIN = /[\u0300-\uffff]/
const UNTIDY = /^\s|\s$|\s\s|[^\S ]/
