import { expect, it } from 'vitest'
import { holdDocument } from '#src/http/held-document.ts'

const FORMS = ['br', 'gzip', 'zstd'] as const

it('P148: attack: hundreds of short answers that are held, in all their forms, hold no more memory than they are long', async () => {
  const held: Buffer[] = []
  for (let nr = 0; nr < 300; nr += 1) {
    // What is read to make it.
    Buffer.from(`${nr} `.repeat(4000))
    const { bytes, form } = holdDocument(Buffer.from(JSON.stringify({ nr, treff: [] })), 'application/json')
    held.push(bytes)
    for (const encoding of FORMS) held.push((await form(encoding)) ?? expect.unreachable())
  }
  const memory = new Set(held.map(({ buffer }) => buffer))
  const bytesOf = (some: Iterable<{ byteLength: number }>) =>
    [...some].reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(bytesOf(memory)).toBe(bytesOf(held))
})
