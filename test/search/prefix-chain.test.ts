import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { suggest } from '#src/search/suggest.ts'
import { inventUnits } from '#test/bench/search/bulk-files.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { buildFrom } from './built-index.ts'

const invented = inventUnits({ units: 1500, subUnits: 700, seed: 7 })
const JOINED = '810999992'
const bulk = {
  ...invented,
  enheter: [
    ...invented.enheter,
    { ...(invented.enheter[0] as object), organisasjonsnummer: JOINED, navn: 'LYNGHEI OG ANDBU AS' },
  ],
}
const names = (bulk.enheter as { navn: string }[]).map(({ navn }) => navn)
/** Names that begin as many do, and others. */
const some = names.filter((_, index) => index % 60 === 0).map((name) => name.toLowerCase())

describe('an index of invented names', () => {
  let storage: TestDatabase
  const place = () => ({ db: storage.database, limitMs: 60_000 })
  beforeAll(async () => {
    storage = await createTestDatabase()
    await buildFrom(storage.url, bulk)
  })
  afterAll(() => storage.close())

  it('P78: whoever is suggested for a beginning is suggested for every longer one that the name still begins with', async () => {
    const nameOf = new Map(
      (bulk.enheter as { organisasjonsnummer: string; navn: string }[]).map(
        ({ organisasjonsnummer, navn }) => [Number(organisasjonsnummer), keyOf(navn)],
      ),
    )
    const lost: string[] = []
    for (const name of some) {
      let before: number[] = []
      for (let length = 2; length <= name.length; length += 1) {
        const typed = name.slice(0, length)
        const { hits } = await suggest(typed, 8, place())
        const shown = hits.map(({ orgnr }) => orgnr)
        const stillBegin = before.filter((orgnr) => nameOf.get(orgnr)?.startsWith(keyOf(typed)))
        lost.push(
          ...stillBegin.filter((orgnr) => !shown.includes(orgnr)).map((orgnr) => `${typed}: ${orgnr}`),
        )
        before = shown
      }
    }
    expect(lost).toEqual([])
  })

  it.each(['lynghei og andbu', 'lynghei & andbu', 'lynghei andbu'])(
    'P78: what joins two words may be typed or not, and is none before it is whole: %s',
    async (name) => {
      for (let length = 2; length <= name.length; length += 1) {
        const { hits } = await suggest(name.slice(0, length), 8, place())
        expect(
          hits.map(({ orgnr }) => String(orgnr)),
          name.slice(0, length),
        ).toContain(JOINED)
      }
    },
  )

  it('P78: the same hits come in the same order, in whatever order the rows came', async () => {
    const asked = [
      ...some,
      ...some.map((name) => name.slice(0, 4)),
      ...some.map((name) => `${name.slice(1)} as`),
    ]
    const before = await Promise.all(asked.map(hitsOf))
    const turned = { enheter: bulk.enheter.toReversed(), underenheter: bulk.underenheter.toReversed() }
    await buildFrom(storage.url, turned)
    expect(await Promise.all(asked.map(hitsOf))).toEqual(before)
    expect(before.filter((hits) => hits.length > 0).length).toBeGreaterThan(asked.length / 2)
  })

  async function hitsOf(q: string): Promise<string[]> {
    const found = await findAny(readQuestion(q), noFilters, place())
    const suggested = await suggest(q, 8, place())
    return [...found.hits, ...suggested.hits].map(
      ({ orgnr, points, why }) => `${orgnr} ${points} ${why.name}`,
    )
  }
})

/** A key by a measure of its own: letters and numbers of a name, its form apart. */
function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/ (?:as|asa|sa|da|ans|nuf|iks|kf|brl|ba)$/, '')
    .replaceAll(/æ/g, 'ae')
    .replaceAll(/ø|oe+/g, 'o')
    .replaceAll(/å|aa+/g, 'a')
    .replaceAll(/&/g, '')
    .replaceAll(/[^a-z0-9]/g, '')
}
