import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readLines } from '#src/imports/accounts/read-lines.ts'

const lines = (...chunks: (string | Buffer)[]) =>
  Array.fromAsync(readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))))
const text = 'orgnr;navn\r\n\r\n1;Ærlig Øl\n   \n2;å'

describe('the lines of a file', () => {
  const expected = [
    { number: 1, text: 'orgnr;navn' },
    { number: 3, text: '1;Ærlig Øl' },
    { number: 5, text: '2;å' },
  ]

  it('come with their numbers, without blank ones, byte order mark and line ends', async () => {
    expect(await lines(text)).toEqual(expected)
    expect(await lines(`\ufeff${text}\n`)).toEqual(expected)
    expect(await lines()).toEqual([])
    expect(await lines('', '\n\n')).toEqual([])
  })

  it('are the same however the bytes are cut, and packed or not', async () => {
    for (const bytes of [Buffer.from(text), gzipSync(text)]) {
      for (let size = 1; size <= bytes.length; size++) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        expect(await lines(...chunks), `${size}`).toEqual(expected)
      }
    }
  })

  it('one that is not UTF-8, or longer than any answer, costs itself alone', async () => {
    const long = Buffer.alloc(1024 * 1024, 'a')
    expect(await lines('a\n', Buffer.from([0xe6, 0x0a]), ...Array<Buffer>(5).fill(long), '\nb\n')).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: null, why: 'ikke_utf8' },
      { number: 3, text: null, why: 'for_lang' },
      { number: 4, text: 'b' },
    ])
  })

  it('a packed file that is cut off, and a stream that fails, are errors and not an end', async () => {
    const packed = gzipSync(text)
    await expect(lines(packed.subarray(0, packed.length - 8))).rejects.toMatchObject({ code: 'uleselig_fil' })
    const failing = new Readable({
      read() {
        this.destroy(new Error('disk'))
      },
    })
    await expect(Array.fromAsync(readLines(failing))).rejects.toMatchObject({ code: 'uleselig_fil' })
  })
})
