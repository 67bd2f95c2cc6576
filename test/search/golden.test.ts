import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { askedByRule } from './asked-by-rule.ts'
import { buildFrom } from './built-index.ts'
import { type GoldenQuery, givenNames, type Score, scored } from './given-names.ts'

const given = givenNames()

describe.skipIf(given === null)('the company a person means is found first', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    if (given !== null) await buildFrom(database.url, given.bulk)
  })
  afterAll(() => database.close())

  const scoreOf = (queries: readonly GoldenQuery[]) =>
    scored(queries, async (query) => {
      const place = { db: database.database, limitMs: 60_000 }
      const { hits, band } = await findAny(readQuestion(query), noFilters, place)
      return {
        orgnrs: hits.map(({ orgnr }) => orgnr),
        isCertain: band === 'sikker',
        isNone: band === 'ingen',
      }
    })

  describe.each([
    ['by what people were seen to ask', () => given?.queries ?? []],
    // A third of them; all at the register's size are the bench's.
    [
      'by names with slips and habits of every kind',
      () => (given === null ? [] : askedByRule(given.bulk)).filter((_, index) => index % 3 === 0),
    ],
  ])('%s', (_, queries) => {
    let score: Score
    beforeAll(async () => {
      score = await scoreOf(queries())
    })

    it('P77: nothing is certain and wrong', () => expect(score.certainAndWrong).toEqual([]))
    it('P77: nine of ten are first', () =>
      expect(score.first / score.queries, score.missed.join('\n')).toBeGreaterThanOrEqual(0.9))
    it('P77: 97 of a hundred are among the first three', () =>
      expect(score.firstThree / score.queries, score.missed.join('\n')).toBeGreaterThanOrEqual(0.97))
  })
})
