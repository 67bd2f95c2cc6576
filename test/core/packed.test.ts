import { spawnSync } from 'node:child_process'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { packed } from '#src/core/packed.ts'

it.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
] as const)('what is packed with %s is what it was, of whatever length', async (encoding, unpack) => {
  for (const length of [0, 1, 15, 16, 17, 1008, 1009, 65_520, 65_521, 3_000_000]) {
    const bytes = Buffer.alloc(length, 'Årsregnskap og roller. ')
    const form = await packed(bytes, encoding)
    expect(form !== null && unpack(form).equals(bytes), `${length}`).toBe(true)
  }
})

it.each(['gzip', 'br', 'zstd'])('P43: three hundred at once with %s take below 100 MB in all', (encoding) => {
  // In a process of its own, whose peak is its own.
  const script = `
    import { packed } from '#src/core/packed.ts'
    const bytes = Buffer.alloc(20_000, 'one of many words ')
    await packed(bytes, '${encoding}')
    const before = process.resourceUsage().maxRSS
    await Promise.all(Array.from({ length: 300 }, () => packed(bytes, '${encoding}')))
    console.log((process.resourceUsage().maxRSS - before) / 1024)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(Number(stdout)).toBeLessThan(100)
})

it('P43: of all that is to be packed at once some is sent as it is: threads are left for keys and names', async () => {
  const bytes = Buffer.alloc(20_000, 'one of many words ')
  const asked = Array.from({ length: 40 }, () => packed(bytes, 'gzip'))
  // Two under way, and sixteen who wait for them.
  expect(asked.filter((form) => form !== null)).toHaveLength(18)
  await Promise.all(asked)
})

it('P43: one form with zstd takes what it has to pack, and no room for whatever may come', async () => {
  const script = `
    import { packed } from '#src/core/packed.ts'
    const before = process.resourceUsage().maxRSS
    await packed(Buffer.alloc(20_000, 'one of many words '), 'zstd')
    console.log((process.resourceUsage().maxRSS - before) / 1024)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  expect(Number(stdout)).toBeLessThan(20)
})
