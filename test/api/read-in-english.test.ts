import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { eventually } from '#test/support/eventually.ts'
import { heldAnswer } from '#test/support/held-answer.ts'

const HELD = '901012121'
/** No source is waited for as long where all of them answer. */
const HANGS_MS = 600
const ASKING = 8
const key = { id: 'abc', miljo: 'test', right: 'abc', utloper: new Date('2027-06-01T00:00:00Z') } as const
const miss = { by: 'miss', isStored: false } as const
const reading = {
  outcome: 'record',
  answer: heldAnswer(HELD),
  came: miss,
  lacking: 'source',
  forced: null,
} as const

let front: PageFront
let asked = 0
let all: Promise<unknown> = Promise.resolve()

beforeAll(async () => {
  front = await startPageFront(closedPages(), {
    changes: {
      reader: {
        atHand: () => null,
        shared: () => null,
        read: async () => {
          asked += 1
          await all
          return reading
        },
        readPart: () => expect.unreachable(),
        waiting: () => 0,
      },
      verifier: { verify: () => ({ ok: true, key }), atHand: () => key },
    },
  })
})
afterAll(() => front.close())

it('P183: attack: who wants in English what waited for a source that hangs has it asked once, though others’ turns come first', async () => {
  // All are answered in the same turn of the event loop, and all but the first wait for another.
  all = eventually('all have asked', () => asked === ASKING).then(() => pause(HANGS_MS))
  const headers = { authorization: 'Bearer bo_test_key', 'accept-language': 'en' }
  const answers = await Promise.all(
    Array.from({ length: ASKING }, () => front.get(`/api/bedrift/${HELD}`, headers)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: ASKING }, () => 200))
  expect(asked).toBe(ASKING)
})
