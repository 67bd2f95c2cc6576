import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { inChunks, inOnePiece, streamOf, streamOfChunks } from '#src/api/many/chunks.ts'

const BYTES_MAX = 64 * 1024
const record = (fill: string) => Buffer.alloc(24_000, fill)
const short = (text: string) => Buffer.from(text)

async function* given(runs: Buffer[][]): AsyncGenerator<Buffer[]> {
  yield* runs
}

describe('P142: what a list holds is sent as it lies in memory', () => {
  it('a record is passed on and not copied, and what stands between two of them is one piece', async () => {
    const [first, second] = [record('a'), record('b')]
    const lines = given([[short('{1'), first, short('}\n'), short('{2'), second, short('}\n')]])
    const pieces = (await Array.fromAsync(inChunks(lines, BYTES_MAX))).flat()
    expect(pieces.map((piece) => (piece.length > 100 ? '…' : piece.toString()))).toEqual([
      '{1',
      '…',
      '}\n{2',
      '…',
      '}\n',
    ])
    expect(pieces[1]).toBe(first)
    expect(pieces[3]).toBe(second)
  })

  it('in chunks of so many bytes, of which the last may be shorter', async () => {
    const runs = Array.from({ length: 20 }, (_, run) => [record(String(run % 10)), short(`${run}\n`)])
    const chunks = await Array.fromAsync(inChunks(given(runs), BYTES_MAX))
    const sizes = chunks.map((pieces) => Buffer.concat(pieces).length)
    expect(sizes.slice(0, -1).every((size) => size >= BYTES_MAX && size < BYTES_MAX + 24_100)).toBe(true)
    expect(Buffer.concat(chunks.flat())).toEqual(Buffer.concat(runs.flat()))
  })

  it.each([
    ['plain', false],
    ['for who packs it', true],
  ])('byte for byte, in its order, whatever the lengths: %s', async (_what, isOnePiece) => {
    const lengths = [0, 1, 4096, 4097, 70_000, 5, 200_000, 4095, 12_000]
    const runs = lengths.map((length, index) => [Buffer.alloc(length, index), short('|')])
    const chunks = inChunks(given(runs), BYTES_MAX)
    const stream = streamOf(isOnePiece ? inOnePiece(chunks) : chunks, BYTES_MAX)
    expect(await buffer(stream)).toEqual(Buffer.concat(runs.flat()))
  })

  it('to whoever takes the pieces of a chunk together they are handed so', async () => {
    const runs = [[record('a'), record('b'), record('c')], [short('}\n')]]
    const chunks = await Array.fromAsync<Buffer[]>(streamOfChunks(inChunks(given(runs), BYTES_MAX)))
    expect(chunks.map((pieces) => pieces.length)).toEqual([3, 1])
    expect(Buffer.concat(chunks.flat())).toEqual(Buffer.concat(runs.flat()))
  })

  it.each([
    ['pieces', (chunks: AsyncGenerator<Buffer[]>) => streamOf(chunks, BYTES_MAX)],
    ['chunks', streamOfChunks],
  ])(
    'no more %s are made while nobody takes them, and none after who took them left',
    async (_what, begin) => {
      let made = 0
      let isOver = false
      async function* endless(): AsyncGenerator<Buffer[]> {
        try {
          while (true) {
            made += 1
            yield [record('x')]
          }
        } finally {
          isOver = true
        }
      }
      const stream = begin(inChunks(endless(), BYTES_MAX))
      await new Promise((resolve) => stream.once('readable', resolve))
      for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
      expect(made).toBeLessThan(12)
      await new Promise((resolve) => stream.once('close', resolve).destroy())
      expect(isOver).toBe(true)
    },
  )

  it('a fault in the middle breaks the stream', async () => {
    async function* faulty(): AsyncGenerator<Buffer[]> {
      yield [record('x')]
      throw new Error('no more')
    }
    await expect(buffer(streamOf(inChunks(faulty(), BYTES_MAX), BYTES_MAX))).rejects.toThrow('no more')
  })
})
