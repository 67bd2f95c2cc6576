import { foretakstilstander } from '#src/record/sections/status.ts'
import { readSearchCursor, type SearchCursor } from '#src/search/cursor.ts'
import type { Filters } from '#src/storage/search/candidates.ts'
import { PageFailure } from '../failures.ts'

/** What was typed on the page that searches. A filter that can not be read is as if it was not set, and is shown so. */
export type TypedQuery = {
  q: string
  filters: Filters
  after: SearchCursor | null
}

const Q_LENGTH_MAX = 180

/** Forms people meet; a code that is typed in an address is taken as well. */
export const forms = [
  'AS',
  'ASA',
  'ENK',
  'NUF',
  'ANS',
  'DA',
  'SA',
  'BRL',
  'FLI',
  'STI',
  'ORGL',
  'KOMM',
  'ESEK',
] as const

/** @throws PageFailure `nokkel_i_adressen` for a key where a name was asked for: an address is kept by whoever sees it pass */
export function readLookup(query: unknown): TypedQuery {
  const given = (query ?? {}) as Record<string, unknown>
  const text = (name: string) => {
    const value = given[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  for (const value of Object.values(given)) {
    if (typeof value === 'string' && isLikeKey(value)) throw new PageFailure('nokkel_i_adressen')
  }
  const shaped = (name: string, shape: RegExp) => (shape.test(text(name)) ? text(name) : null)
  const amount = (name: string) => (/^[0-9]{1,7}$/.test(text(name)) ? Number(text(name)) : null)
  const code = shaped('naeringskode', /^[0-9]{2}(?:\.[0-9]{0,3})?$/)
  return {
    q: cleanName(text('q')),
    filters: {
      organisasjonsform: shaped('organisasjonsform', /^[A-ZÆØÅ]{2,5}$/),
      kommune: shaped('kommune', /^[0-9]{4}$/),
      fylke: shaped('fylke', /^[0-9]{2}$/),
      naeringskoder: code === null ? null : [code],
      ansatteFra: amount('ansatteFra'),
      ansatteTil: amount('ansatteTil'),
      foretakstilstand: foretakstilstander.find((each) => each === text('tilstand')) ?? null,
      registrertFra: null,
      registrertTil: null,
      type: (['enhet', 'underenhet'] as const).find((each) => each === text('type')) ?? null,
    },
    after: text('etter') === '' ? null : readSearchCursor(text('etter')),
  }
}

/** Control characters have no place in a name, and lone surrogates can not be sent on; nor can what no name is as long as. */
export function cleanName(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .trim()
    .slice(0, Q_LENGTH_MAX)
    .toWellFormed()
}

export function isLikeKey(text: string): boolean {
  return /(?:^|[\s;"])bo_(?:live|test)_/i.test(text)
}
