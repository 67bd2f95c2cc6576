import { describe, expect, test } from 'vitest'
import { createNameBytes, isOneName, type NameBytes, nameText, takeName } from '#src/core/name-bytes.ts'
import { foldName, tidyName } from '#src/core/person-name.ts'

function nameOf(text: string): NameBytes {
  const name = createNameBytes()
  takeName(name, text)
  return name
}

/** Of every kind of letter: ASCII, Western European with and without a capital in one piece, others, marks. */
const LETTERS = [...'AaZz09 .-"\\ØøÅåÆæÿŸßẞ÷×µΜμÞþŁłİıﬁFIЖж漢', 'e\u0301', '\u00a0']

describe('P145: names compared as bytes', () => {
  test('are one where folding says so, whatever letters they have, and what is one has one hash', () => {
    const texts = LETTERS.flatMap((one) => LETTERS.map((other) => tidyName(`K${one}${other}X`)))
    let same = 0
    for (const [index, text] of texts.entries()) {
      const others = [text, text.toLowerCase(), foldName(text), texts[index + 1] ?? '', 'KX', `${text}A`]
      const name = nameOf(text)
      expect(nameText(name)).toBe(text)
      for (const other of others.map(tidyName)) {
        const isOne = foldName(text) === foldName(other)
        const isOneHere = isOneName(name, nameOf(other))
        if (isOneHere !== isOne || (isOne && name.hash !== nameOf(other).hash))
          expect.fail(`${text} and ${other}`)
        if (isOne) same++
      }
    }
    expect(same).toBeGreaterThan(2 * texts.length)
  })

  test('are nobody’s when there is nothing of them', () => {
    expect(nameText(nameOf(''))).toBe('')
    expect(isOneName(nameOf(''), nameOf('A'))).toBe(false)
  })
})
