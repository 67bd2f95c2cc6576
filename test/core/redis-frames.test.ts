import { describe, expect, it } from 'vitest'
import { createFrameCheck } from '#src/core/redis-frames.ts'

const BYTES_MAX = 1_000_000
const check = (said: string, pieceBytes = Number.POSITIVE_INFINITY) => {
  const bytes = Buffer.from(said)
  const looksAt = createFrameCheck(BYTES_MAX)
  for (let at = 0; at < bytes.length; at += pieceBytes) looksAt(bytes.subarray(at, at + pieceBytes))
}

const answers = [
  '+OK\r\n',
  '-ERR it says "no"\r\n',
  ':-12\r\n',
  '$5\r\nhello\r\n$0\r\n\r\n$-1\r\n',
  '$6\r\n*9\r\n$*\r\n',
  '*0\r\n*-1\r\n*3\r\n:1\r\n*2\r\n$1\r\na\r\n_\r\n*0\r\n',
  '%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n#t\r\n',
  '~1\r\n,3.14\r\n>3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\ny\r\n',
  '=8\r\ntxt:info\r\n(12345678901234567890123\r\n!5\r\nERR x\r\n',
]

describe('P175: what a Redis says', () => {
  it.each([1, 2, 3, 7, 1000])(
    'is let through in pieces of %i bytes, however much of it comes',
    (pieceBytes) => {
      const all = answers.join('')
      check(all, pieceBytes)
      check(`*100\r\n${all.repeat(100)}`.repeat(20), 1000)
    },
  )

  it.each([
    ['goes back', '$*\r\nxxxxxxxx'],
    ['goes back inside a list', '*9\r\n$*\r\nxxxxxxxx'],
    ['is shorter than what stands before it', '=3\r\ntxt\r\n'],
    ['is less than none', '$-2\r\n'],
    ['is of no number', '*NaN\r\n'],
    ['ends in half of a line’s end', ':1\n'],
    ['is another’s', 'HTTP/1.1 400 Bad Request\r\n'],
    ['promises more items than there is room for', '*10000\r\n'],
    ['does so list by list', '*2000\r\n'.repeat(5)],
    ['promises more text than there is room for', '$1000001\r\n'],
    ['does so text by text', `*9\r\n${`$200000\r\n${'x'.repeat(200_000)}\r\n`.repeat(5)}`],
    ['is a word without end', `+${'x'.repeat(BYTES_MAX)}`],
    ['has answers in answers', '*1\r\n'.repeat(17)],
  ])('attack: and what %s is none of it', (_, said) => {
    expect(() => check(said)).toThrow('answer')
    expect(() => check(said, 1)).toThrow('answer')
  })
})
