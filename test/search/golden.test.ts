import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { buildFrom } from './built-index.ts'
import { givenNames, type Score, scored } from './given-names.ts'

const given = givenNames()

describe.skipIf(given === null)('the company a person means is found first', () => {
  let database: TestDatabase
  let score: Score
  beforeAll(async () => {
    database = await createTestDatabase()
    if (given === null) return
    await buildFrom(database.url, given.bulk)
    score = await scored(given.queries, async (query) => {
      const { hits, band } = await findAny(readQuestion(query), noFilters, {
        db: database.database,
        limitMs: 60_000,
      })
      return {
        orgnrs: hits.map(({ orgnr }) => orgnr),
        isCertain: band === 'sikker',
        isNone: band === 'ingen',
      }
    })
  })
  afterAll(() => database.close())

  it('nothing is certain and wrong', () => expect(score.certainAndWrong).toEqual([]))
  it('nine of ten are first', () => expect(score.first / score.queries).toBeGreaterThanOrEqual(0.9))
  it('97 of a hundred are among the first three', () =>
    expect(score.firstThree / score.queries).toBeGreaterThanOrEqual(0.97))
})
