import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'
import { readFileName } from '#src/sources/aksjonaerregisteret/file-name.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aksjonaer-'))
})
afterAll(() => rm(folder, { recursive: true }))

const TEXT = Array.from({ length: 40_000 }, (_, line) => `linje ${line} med æøå`).join('\n')

async function put(name: string, bytes: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

/** All of it, after making sure that it comes in whole lines. */
async function read(source: string | Readable): Promise<string> {
  const file = await openRegisterFile(source)
  try {
    const texts: string[] = []
    for (let time = 0; time < 2; time++) {
      const blocks: string[] = []
      for await (const block of file.blocks()) blocks.push(block.toString())
      expect(blocks.length).toBeGreaterThan(1)
      for (const block of blocks.slice(0, -1)) expect(block.endsWith('\n')).toBe(true)
      texts.push(blocks.join(''))
    }
    expect(texts[0]).toBe(texts[1])
    return texts[0] ?? ''
  } finally {
    await file.close()
  }
}

describe('a file', () => {
  test('is read whole and in whole lines, as often as asked: plain, packed, and from a stream', async () => {
    expect(await read(await put('a.csv', TEXT))).toBe(TEXT)
    expect(await read(await put('navnet-sier-ikke-gz', gzipSync(TEXT)))).toBe(TEXT)
    expect(await read(Readable.from([Buffer.from(TEXT)]))).toBe(TEXT)
    expect(await read(Readable.from([gzipSync(TEXT)]))).toBe(TEXT)
  })

  test('that is packed and cut off is refused', async () => {
    const packed = gzipSync(TEXT)
    await expect(read(await put('b.gz', packed.subarray(0, packed.length - 20)))).rejects.toMatchObject({
      code: 'fil_avkortet',
    })
  })

  test('that is a spreadsheet, a folder, not there, or has no lines is refused', async () => {
    await expect(read(await put('c.xlsx', 'PK\x03\x04…'))).rejects.toMatchObject({ code: 'fil_ikke_tekst' })
    await expect(read(folder)).rejects.toMatchObject({ code: 'fil_uleselig' })
    await expect(read(join(folder, 'nei'))).rejects.toMatchObject({ code: 'fil_uleselig' })
    await expect(read(await put('d', 'x'.repeat(300_000)))).rejects.toMatchObject({ code: 'fil_ikke_tekst' })
  })

  test.runIf(process.getuid?.() === 0)(
    'P161: attack: that comes by standard input, and is larger than the disk it is put on, is refused for that (needs root, who may mount)',
    async (context) => {
      const small = join(folder, 'liten')
      await mkdir(small)
      const run = promisify(execFile)
      const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', small]).catch(() => null)
      if (mounted === null) return context.skip('this root may not mount')
      vi.stubEnv('TMPDIR', small)
      try {
        const opened = openRegisterFile(Readable.from([Buffer.from(TEXT)]))
        await expect(opened).rejects.toThrow(`legges i ${small} (ENOSPC)`)
        expect(await readdir(small)).toEqual([])
      } finally {
        vi.unstubAllEnvs()
        await run('umount', [small])
      }
    },
  )

  test('that is given up in the middle is let go of', async () => {
    const file = await openRegisterFile(await put('e.csv', gzipSync(TEXT)))
    const given = new AbortController()
    const reading = async () => {
      for await (const _ of file.blocks({ signal: given.signal })) given.abort()
    }
    await expect(reading()).rejects.toMatchObject({ name: 'AbortError' })
    await file.close()
  })
})

test.each([
  ['/x/aksjeeiebok__2024_07052025.csv.gz', { aar: 2024, uttrekksdato: '2025-05-07' }],
  ['aksjeeiebok_2025.csv', { aar: 2025, uttrekksdato: null }],
  ['Aksjeeierbok__2019_04052020.csv', { aar: 2019, uttrekksdato: '2020-05-04' }],
  ['aksjeeiebok__2021_99992020.csv', { aar: 2021, uttrekksdato: null }],
  ['register-2021.csv', { aar: null, uttrekksdato: null }],
  ['-', { aar: null, uttrekksdato: null }],
])('the name of a file says its year and date: %s', (name, expected) => {
  expect(readFileName(name)).toEqual(expected)
})
