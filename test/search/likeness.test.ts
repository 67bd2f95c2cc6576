import fc from 'fast-check'
import { expect, it } from 'vitest'
import { typosIn } from '#src/search/likeness.ts'

const word = fc.string({ unit: fc.constantFrom(...'abcø'), maxLength: 14 })

it('letters that are wrong are counted as by the whole table of two words', () => {
  fc.assert(
    fc.property(word, word, (typed, name) => {
      const letters = Math.max(typed.length, name.length)
      const most = letters < 4 ? 0 : letters < 8 ? 1 : 2
      const wrong = wrongByTable(typed, name)
      expect(typosIn(typed, name)).toBe(wrong > most ? 0 : wrong)
    }),
    { numRuns: 20_000 },
  )
})

it('a number is another for each digit that is', () => {
  expect(typosIn('avdeling12', 'avdeling13')).toBe(0)
  expect(typosIn('avdelinger', 'avdelingen')).toBe(1)
})

/** Optimal string alignment as it is defined. */
function wrongByTable(a: string, b: string): number {
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.POSITIVE_INFINITY
  const table: number[][] = []
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= b.length; j += 1) {
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        i === 0 || j === 0
          ? i + j
          : Math.min(
              at(i - 1, j) + 1,
              at(i, j - 1) + 1,
              at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
              i > 1 && j > 1 && isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
            ),
      )
    }
  }
  return at(a.length, b.length)
}
