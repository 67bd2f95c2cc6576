import { describe, expect, it } from 'vitest'
import { answerHead, FORMS } from '#src/api/answer-head.ts'
import { createComposedHeads } from '#src/api/composed-heads.ts'
import { headLines } from '#src/http/server/composed-response.ts'
import { heldAnswer } from '#test/support/held-answer.ts'

const HIT = { by: 'hit', tier: 'answers' } as const
const MORE = ['deprecation', '@1']
const ON_HTTPS = ['strict-transport-security', 'max-age=1']
const OLDEST = Date.parse('2026-11-21T09:59:30Z')

describe('P141: the head of a held answer is composed once a second and true in every millisecond', () => {
  it.each([
    ['as its times are', 0, 0],
    ['fetched and fresh within the same second, at other milliseconds', 333, 777],
    ['a millisecond before whole seconds', 999, 1],
  ])('%s', (_what, fetchedMs, freshMs) => {
    const answer = {
      ...heldAnswer('901012121'),
      fetchedAtOldest: OLDEST + fetchedMs,
      freshUntil: OLDEST + 2000 + freshMs,
    }
    const heads = createComposedHeads(MORE, ON_HTTPS)
    const forms = Object.values(FORMS)
    const wrong: number[] = []
    // From before it was fetched until after it has gone stale, and back again: clocks are set.
    const moments = Array.from({ length: 5000 }, (_, ms) => OLDEST - 1000 + ms)
    for (const now of [...moments, ...moments.toReversed()]) {
      for (const form of forms)
        for (const isHttps of [false, true]) {
          const { constant, own } = answerHead(answer, HIT, form, now)
          const expected = headLines([...constant, ...own, ...MORE, ...(isHttps ? ON_HTTPS : [])])
          if (heads.heldLines(answer, HIT, form, isHttps, now) !== expected) wrong.push(now)
        }
    }
    expect(wrong).toEqual([])
  })

  it('for two answers at once, however many others there were', () => {
    const heads = createComposedHeads([], [])
    const answers = Array.from({ length: 5000 }, (_, index) => ({
      ...heldAnswer('901012121'),
      etag: `W/"${index}"`,
    }))
    for (const answer of answers)
      expect(heads.heldLines(answer, HIT, FORMS.plain, false, OLDEST)).toContain(`etag: ${answer.etag}\r\n`)
    const [first] = answers
    expect(first && heads.heldLines(first, HIT, FORMS.plain, false, OLDEST)).toContain('etag: W/"0"\r\n')
  })
})
