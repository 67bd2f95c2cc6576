import { expect, it } from 'vitest'
import { readNumbers } from '#src/api/many/numbers.ts'
import { toldList } from '#src/api/watches/told-list.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { turnsMeanwhile } from '#test/support/turns-meanwhile.ts'

const COUNT = 10_000
const about = { language: 'nb', publicUrl: 'https://oppslag.example', foresporselId: 'en' } as const

it('P122: attack: lists of thousands that are no numbers, four at once, let others in between', async () => {
  const wrong = Array.from({ length: COUNT }, (_, at) => `x${at}`).join()
  const { asked, doubles } = await readNumbers(wrong, 'text', COUNT)
  const loop = createLoopTurns(0.2)
  const one = (of: string) =>
    toldList(asked, {
      doubles,
      settInnen: null,
      outcomeOf: () => expect.unreachable(),
      about,
      turn: () => (loop.isOver() ? loop.next(of) : null),
    })
  const told: string[] = []
  const others = await turnsMeanwhile(async () => {
    told.push(...(await Promise.all(['a', 'b', 'c', 'd'].map(one))))
  })
  expect(others).toBeGreaterThan(40)
  const lines = told[0]?.split('\n') ?? []
  expect(lines).toHaveLength(COUNT + 2)
  expect(JSON.parse(lines[COUNT] ?? '')).toMatchObject({
    oppsummering: { linjer: COUNT, feil: COUNT, nye: 0 },
  })
})
