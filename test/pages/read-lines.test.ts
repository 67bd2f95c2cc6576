import { describe, expect, it } from 'vitest'
import { readTypedLines } from '#src/pages/list/read-lines.ts'

const given = (text: string, most = 500) => {
  const { lines, leftOut } = readTypedLines(text, most)
  return [lines.map(({ given, place }) => [given, place]), leftOut]
}

describe('the lines of a list', () => {
  it('are numbers, or names with their places, without heading and empty lines', () => {
    const text = '\ufeffNavn;Sted\r\n\r\n"Å AS";Oslo\r\n ; \r\nKunde\t901 012 121\tB\r\nNavn\n'
    expect(given(text)).toEqual([
      [
        ['Å AS', 'Oslo'],
        ['901 012 121', null],
        ['Navn', null],
      ],
      0,
    ])
  })

  it('P99, P148: beyond what is looked up are counted, and nothing is made of them', () => {
    expect(given('a\r\nb\n \n\nc\rd', 2)).toEqual([
      [
        ['a', null],
        ['b', null],
      ],
      2,
    ])
    const { lines, leftOut } = readTypedLines('a\n'.repeat(250_000), 500)
    expect([lines.length, leftOut]).toEqual([500, 249_500])
    expect(given('\n'.repeat(500_000))).toEqual([[], 0])
    // Nor is it looked for behind ten thousand lines with nothing in them.
    expect(given(`a\n${' \n'.repeat(200_000)}b\nc`)).toEqual([[['a', null]], 2])
    // More columns than anybody has: the number behind them is not looked for.
    expect(given(`x;${';'.repeat(500_000)}901012121`)).toEqual([[['x', null]], 0])
  })
})
