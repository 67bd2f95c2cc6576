import { expect, it } from 'vitest'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { suggest } from '#src/search/suggest.ts'
import type { Queryable } from '#src/storage/database.ts'
import { turnsMeanwhile } from '../support/turns-meanwhile.ts'

const WORDS = 'fjordsild bruvinter tangskog nordlys havgrunn lyngheia steinrot'.split(' ')
const wrong = WORDS.map((word) => `${word.slice(0, 2)}q${word.slice(3)}`).join(' ')

/** Each step finds as many names as it may, of nearly these words; no word is known. */
const fullOfNames: Queryable = {
  query: async <Row>(text: string) =>
    (text.includes('from sok_navn')
      ? Array.from({ length: 300 }, (_, at) => ({
          orgnr: 810_000_000 + at,
          overordnet: at % 2 === 0 ? 820_000_000 + (at % 7) : null,
          art: 'navn',
          navn: `${WORDS.map((_, place) => WORDS[(place * at) % WORDS.length]).join(' ')} ${at}`,
          tyngde: 0,
          rang: 0,
          opphort: false,
          fra: null,
          til: null,
        }))
      : []) as Row[],
}

it.each([
  ['searches', (q: string) => findAny(readQuestion(q), noFilters, { db: fullOfNames, limitMs: 60_000 })],
  ['suggestions', (q: string) => suggest(q, 20, { db: fullOfNames, limitMs: 60_000 })],
] as const)(
  'P183: attack: %s of many words with a letter wrong in each, a hundred at once, let others in between',
  async (_, ask) => {
    const had = await turnsMeanwhile(() =>
      Promise.all(Array.from({ length: 100 }, (_, at) => ask(`${wrong} ${at}`))),
    )
    expect(had).toBeGreaterThan(10)
  },
)
