import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { keptBytes } from '#src/cache/kept-bytes.ts'

it('bytes that are kept hold no more memory than they are long', () => {
  for (const from of ['blåbær', Buffer.from('blåbær'), gzipSync('blåbær')]) {
    const kept = keptBytes(from)
    expect(kept.equals(Buffer.from(from))).toBe(true)
    expect(kept.buffer.byteLength).toBe(kept.length)
  }
})
