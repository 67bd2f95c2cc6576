import {
  chmod,
  lchown,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLogFile } from '#src/core/log/to-file.ts'

const BOUNDS = { bytesMax: 1e9, ageMsMax: 1e12, keptMax: 3, lookEveryMs: 0 }

describe('P44: the log’s file', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oppslag-logg-'))
    path = join(folder, 'tjeneste.log')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const open = (bounds: Partial<typeof BOUNDS> = {}) => {
    const file = openLogFile(path, {
      bounds: { ...BOUNDS, ...bounds },
      onTrouble: (code) => expect.unreachable(code),
    })
    return { ...file, write: (text: string) => file.write(Buffer.from(text)) }
  }
  const put = async () => (await readdir(folder)).filter((name) => name !== 'tjeneste.log').sort()

  it.skipIf(process.platform === 'win32')(
    'is for its owner and group, also where it was open to all',
    async () => {
      open()
      expect((await stat(path)).mode & 0o777 & ~0o640).toBe(0)
      await writeFile(path, '')
      await chmod(path, 0o666)
      open()
      expect((await stat(path)).mode & 0o777).toBe(0o640)
    },
  )

  it.runIf(process.getuid?.() === 0)(
    'attack: that another user has made a link in its place leads nowhere, and changes nothing (needs root)',
    async () => {
      const theirs = join(folder, 'annet')
      await writeFile(theirs, 'urørt', { mode: 0o644 })
      await symlink(theirs, path)
      await lchown(path, 65_534, 65_534)
      expect(open).toThrow(/LOG_FILE: .*tjeneste\.log can not be written \(ELOOP\)/)
      expect([await readFile(theirs, 'utf8'), (await stat(theirs)).mode & 0o777]).toEqual(['urørt', 0o644])
      await rm(path)
      await symlink(theirs, path)
      await open().write('vår\n')
      expect(await readFile(theirs, 'utf8')).toBe('urørtvår\n')
    },
  )

  it.runIf(process.getuid?.() === 0)(
    'P172: attack: that another user has made it, where all may write, is theirs to read and not written (needs root)',
    async () => {
      await writeFile(path, '')
      await lchown(path, 65_534, 65_534)
      await open().write('hvor mappen er en annens\n')
      await chmod(folder, 0o1777)
      expect(open).toThrow(/LOG_FILE: .*tjeneste\.log can not be written \(EACCES\)/)
      await lchown(folder, 65_534, 65_534)
      await open().write('hvor mappen er deres\n')
    },
  )

  it('that has grown large gives way to a new one, and the oldest are forgotten', async () => {
    const file = open({ bytesMax: 10 })
    for (let index = 0; index < 8; index++) {
      await file.write(`linje ${index} er lang\n`)
      // Named by the millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const names = await put()
    expect(names).toHaveLength(BOUNDS.keptMax)
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    expect(texts).toEqual([4, 5, 6].map((index) => `linje ${index} er lang\n`))
    expect(await readFile(path, 'utf8')).toBe('linje 7 er lang\n')
    expect(names[0]).toMatch(/^tjeneste\.log\.\d{4}-\d{2}-\d{2}T\d{6}\.\d{3}Z$/)
  })

  it('that has grown old gives way, whoever began it', async () => {
    await open().write('av en annen\n')
    await open({ ageMsMax: -1 }).write('ny\n')
    const [old = ''] = await put()
    expect(await readFile(join(folder, old), 'utf8')).toBe('av en annen\n')
    expect(await readFile(path, 'utf8')).toBe('ny\n')
  })

  it('that was given another name or taken away is begun anew, told or not', async () => {
    const file = open({ lookEveryMs: 1e9 })
    await file.write('1\n')
    await rename(path, `${path}.1`)
    await file.write('2\n')
    file.reopen()
    await file.write('3\n')
    expect(await readFile(`${path}.1`, 'utf8')).toBe('1\n2\n')
    expect(await readFile(path, 'utf8')).toBe('3\n')
    const watching = open()
    await rm(path)
    await watching.write('4\n')
    expect(await readFile(path, 'utf8')).toBe('4\n')
  })

  it('of two processes is put away by one, and the other follows', async () => {
    const [a, b] = [open({ bytesMax: 10 }), open({ bytesMax: 1e9 })]
    await a.write('a er lang nok\n')
    await b.write('b\n')
    await a.write('a\n')
    await b.write('b\n')
    expect(await readFile(path, 'utf8')).toBe('a\nb\n')
    expect(await put()).toHaveLength(1)
  })
})
