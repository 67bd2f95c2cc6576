import { describe, expect, it } from 'vitest'
import { createTagger } from '#src/access/text-tag.ts'

const KEY = Uint8Array.from({ length: 16 }, (_, index) => index)

/** The tag's bytes, in the order the algorithm gives them. */
function hex(tag: string): string {
  const bytes = [...tag].flatMap((letter) => [letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8])
  return Buffer.from(bytes).toString('hex')
}

describe('P128: the tag of a text', () => {
  it.each([
    [0, 'a3817f04ba25a8e66df67214c7550293'],
    [1, 'da87c1d86b99af44347659119b22fc45'],
    [15, '5493e99933b0a8117e08ec0f97cfc3d9'],
    [63, '5150d1772f50834a503e069a973fbd7c'],
  ])('is SipHash-2-4-128 as its authors publish it: of %i bytes', (length, tag) => {
    const text = String.fromCharCode(...Array.from({ length }, (_, index) => index))
    expect(hex(createTagger(KEY)(text))).toBe(tag)
  })

  it('is another for another text of the same length, wherever they differ, and under another key', () => {
    const tagOf = createTagger(KEY)
    const text = `bo_live_${'A'.repeat(62)}`
    const others = Array.from(text, (letter, index) =>
      tagOf(text.slice(0, index) + (letter === 'A' ? 'B' : 'A') + text.slice(index + 1)),
    )
    const all = [tagOf(text), ...others, createTagger(KEY.toReversed())(text)]
    expect(new Set(all).size).toBe(text.length + 2)
    expect(tagOf(text)).toBe(all[0])
  })
})
