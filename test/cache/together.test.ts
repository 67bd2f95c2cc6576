import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTogether } from '#src/cache/together.ts'
import { gate, untilTrue } from './one-process.ts'

/** What was asked, question by question; each is answered when its gate is opened. */
function asking(behindMs: number) {
  const questions: { of: readonly number[]; answer: () => void }[] = []
  const { ask } = createTogether<number, string>(
    async (of) => {
      const answered = gate()
      questions.push({ of, answer: answered.open })
      await answered.promise
      return of.map((each) => `answer ${each}`)
    },
    { atMost: 3, behindMs },
  )
  return { ask, questions, asked: () => questions.map(({ of }) => of) }
}

const HOUR = 3_600_000

it('P143: what comes while a question is under way waits for its answer, and goes with the next', async () => {
  const { ask, questions, asked } = asking(HOUR)
  const first = ask(1)
  await nextTurn()
  expect(asked()).toEqual([[1]])
  const others: Promise<string | null>[] = []
  for (const each of [2, 3, 4, 5]) {
    others.push(ask(each))
    await nextTurn()
  }
  expect(asked()).toEqual([[1]])
  questions[0]?.answer()
  expect(await first).toBe('answer 1')
  await untilTrue(() => questions.length === 3)
  expect(asked()).toEqual([[1], [2, 3, 4], [5]])
  for (const { answer } of questions) answer()
  expect(await Promise.all(others)).toEqual([2, 3, 4, 5].map((each) => `answer ${each}`))
  // With none under way nobody waits.
  void ask(6)
  await nextTurn()
  expect(asked().at(-1)).toEqual([6])
})

it('P143: and waits no longer than that for one that is not answered', async () => {
  const { ask, asked } = asking(1)
  void ask(1)
  await nextTurn()
  void ask(2)
  await untilTrue(() => asked().length === 2)
})
