import { execFile } from 'node:child_process'
import {
  appendFile,
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { ConfigurationError } from '#src/core/errors.ts'
import {
  hidePerson,
  listHiddenPersons,
  replayHidings,
  showPerson,
} from '#src/storage/shareholders/hidden-persons.ts'
import { journalIn, noteHiding, readHidings } from '#src/storage/shareholders/hiding-journal.ts'
import { openService } from '#src/wiring/service.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const KARI = { navn: 'KARI ØST', fodselsaar: 1970, orgnr: null }
const OLA = { navn: 'OLA VEST', fodselsaar: 1980, orgnr: '910000004' }

let storage: TestDatabase
let folder: string
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oppslag-journal-'))
  await storage.database.query('truncate skjult_person')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const variables = () => ({ DATABASE_URL: storage.url, DATA_DIR: folder })
const person = (verb: string, { navn, fodselsaar }: { navn: string; fodselsaar: number }) =>
  runCommand(variables(), [
    ...['person', verb, '--navn', navn, '--fodselsaar', String(fodselsaar), '--hvorfor', 'en prøve'],
  ])
const hidden = async () => (await listHiddenPersons(storage.database, 10)).map(({ navn }) => navn)
/** As if the database had been restored from before anything was hidden. */
const restore = () => storage.database.query('truncate skjult_person')

describe('a database that was restored from before a person was hidden', () => {
  it('P59: hides her again when the service starts, before anybody is answered; who was shown again is shown', async () => {
    expect((await person('skjul', KARI)).code).toBe(0)
    expect((await person('skjul', { ...OLA })).code).toBe(0)
    expect((await person('opphev', { ...OLA })).code).toBe(0)
    await restore()
    expect(await hidden()).toEqual([])
    const environment = readEnvironment({
      ...variables(),
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'silent',
      REGISTER_URL: 'http://127.0.0.1:1',
    })
    const service = await openService(environment, { workers: false, clock: systemClock })
    await service.close()
    expect(await hidden()).toEqual([KARI.navn])
  })

  it('P59: the journal is written before the command says so, is closed to others, and outlives a crash in its middle', async () => {
    await person('skjul', KARI)
    const path = journalIn(folder)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    // What a crash cut off, and a day that no month has.
    await appendFile(path, '{"at":"2026-11-22T08:0')
    await appendFile(path, `\n${JSON.stringify({ ...KARI, hva: 'vis', at: '2026-99-99T99:99:99.999Z' })}`)
    await person('skjul', OLA)
    const { hidings, unreadable } = await readHidings(path)
    expect([hidings.map(({ navn }) => navn), unreadable]).toEqual([[KARI.navn, OLA.navn], 2])
    // Hidden before, shown when she was not: nothing was done, and nothing is written.
    const before = await readFile(path, 'utf8')
    await person('skjul', KARI)
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  it('P59: journals of several machines come to the same in any order, and change nothing the database knows', async () => {
    const { database } = storage
    const other = await mkdtemp(join(folder, 'annen-'))
    await hidePerson(database, KARI, (at) => noteHiding(folder, 'skjul', KARI, at))
    await hidePerson(database, OLA, (at) => noteHiding(folder, 'skjul', OLA, at))
    await showPerson(database, KARI, (at) => noteHiding(other, 'vis', KARI, at))
    const [here, there] = await Promise.all(
      [folder, other].map(async (each) => (await readHidings(journalIn(each))).hidings),
    )
    for (const each of [here, there]) expect(await replayHidings(database, each ?? [])).toBe(0)
    expect(await hidden()).toEqual([OLA.navn])
    for (const order of [
      [here, there],
      [there, here],
    ]) {
      await restore()
      for (const each of order) await replayHidings(database, each ?? [])
      expect(await hidden()).toEqual([OLA.navn])
    }
  })

  it('P59: attack: lines of the journal that PostgreSQL can not read are left out, and keep nobody from starting', async () => {
    const path = journalIn(folder)
    const lines = [
      { ...OLA, hva: 'skjul', at: '0000-01-01T00:00:00.000Z' },
      { ...OLA, hva: 'skjul', at: '2026-11-22T08:00:00.000Z', navn: ' ' },
      { ...KARI, hva: 'skjul', at: '2026-11-22T08:00:00.000Z' },
    ]
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { hidings, unreadable } = await readHidings(path)
    expect(await replayHidings(storage.database, hidings)).toBe(1)
    expect([await hidden(), unreadable]).toEqual([[KARI.navn], 2])
  })

  it('P59: a journal that can not be read is told in one line, of what to do', async () => {
    await mkdir(journalIn(folder))
    await expect(readHidings(journalIn(folder))).rejects.toMatchObject({
      code: 'ugyldig_konfigurasjon',
      message: expect.stringMatching(/^.*skjulte-personer\.jsonl, .* \(EISDIR\)\. .*$/),
    })
  })

  it.runIf(process.getuid?.() === 0)(
    'P59: attack: a person hidden by root keeps the service, which is another user’s, from no start (needs root)',
    async () => {
      await chown(folder, 65_534, 65_534)
      expect((await person('skjul', KARI)).code).toBe(0)
      const { uid, gid, mode } = await stat(journalIn(folder))
      expect([uid, gid, mode & 0o777]).toEqual([65_534, 65_534, 0o600])
      process.seteuid?.(65_534)
      const read = await readHidings(journalIn(folder)).finally(() => process.seteuid?.(0))
      expect(read.hidings).toHaveLength(1)
    },
  )

  it.runIf(process.getuid?.() === 0)(
    'P59: attack: what a link in the place of the journal leads to is given to nobody (needs root)',
    async () => {
      const roots = join(folder, 'roots')
      await writeFile(roots, '')
      await symlink(roots, journalIn(folder))
      await lchown(journalIn(folder), 65_534, 65_534)
      await chown(folder, 65_534, 65_534)
      await person('skjul', KARI)
      expect((await stat(roots)).uid).toBe(0)
    },
  )

  it.each([
    ['a named pipe', (path: string) => promisify(execFile)('mkfifo', [path])],
    ['what has no end', (path: string) => symlink('/dev/zero', path)],
    ['a folder', (path: string) => mkdir(path)],
  ])('P59: attack: %s in the place of the journal keeps nobody waiting', async (_, plant) => {
    await plant(journalIn(folder))
    await expect(readHidings(journalIn(folder))).rejects.toBeInstanceOf(ConfigurationError)
    await expect(noteHiding(folder, 'skjul', KARI, new Date())).rejects.toThrow()
  })

  it('P59: what can not be written down is not done', async () => {
    const refused = hidePerson(storage.database, KARI, async () => {
      throw new Error('no space left')
    })
    await expect(refused).rejects.toThrow('no space left')
    expect(await hidden()).toEqual([])
  })
})
