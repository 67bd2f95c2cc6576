import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { linesOf } from '#src/api/many/lines.ts'
import { askedAgain } from '#src/api/many/numbers.ts'
import { systemClock } from '#src/core/clock.ts'
import type { InputError } from '#src/core/errors.ts'
import { createManyReader } from '#src/record/many.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { turnsMeanwhile } from '#test/support/turns-meanwhile.ts'

const COUNT = 1000
const many = createManyReader({
  reader: {
    held: () => expect.unreachable(),
    atHand: () => expect.unreachable(),
    read: () => expect.unreachable(),
    readPart: () => expect.unreachable(),
  },
  erased: () => '',
  clock: systemClock,
  policy: { ...policy.many, turnMs: 1 },
})
const wish = { fields: null, caller: 'en', signal: new AbortController().signal }

/** As a list's lines are when it is taken home. */
function noNumbers() {
  const wrongs = new Map<string, InputError>()
  return Array.from({ length: COUNT }, (_, at) => askedAgain({ orgnr: null, given: `x${at}` }, wrongs))
}

it.each([1, 8])(
  'P99: attack: whole lists of what is no number, %i at once, let others in between',
  async (lists) => {
    const asked = noNumbers()
    const others = await turnsMeanwhile(() =>
      Promise.all(
        Array.from({ length: lists }, async () => {
          let count = 0
          for await (const lines of linesOf(asked, many, wish)) {
            count += lines.length
            // What writing and packing them takes.
            beBusyFor(2)
          }
          expect(count).toBe(COUNT)
        }),
      ),
    )
    expect(others).toBeGreaterThan(8 * lists)
  },
)

it('P99: attack: what is wrong with many lines in the same way is made into one problem', async () => {
  const asked = noNumbers()
  const lines = (await Array.fromAsync(linesOf(asked, many, wish))).flat()
  expect(lines.map(({ number }) => number)).toEqual(asked.map((_, at) => at + 1))
  expect(new Set(lines.map(({ problem }) => problem)).size).toBe(1)
  expect(lines[0]?.problem?.kode).toBe('ugyldig_organisasjonsnummer')
})
