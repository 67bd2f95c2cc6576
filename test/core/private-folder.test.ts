import { chmod, lchown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { ConfigurationError } from '#src/core/errors.ts'
import { closeToOthers, refusePlanted, refusePlantedOnTheWay } from '#src/core/private-folder.ts'
import { journalIn, noteHiding } from '#src/storage/shareholders/hiding-journal.ts'
import { opening } from '#src/wiring/opening.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase } from '#test/support/database.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

it.runIf(isRoot)(
  'P172: attack: a folder, a file or a link that another user has put in the place of ours, where all may write (needs root)',
  async () => {
    const shared = await mkdtemp(join(tmpdir(), 'oppslag-delt-'))
    try {
      await chmod(shared, 0o1777)
      await mkdir(join(shared, 'mail'))
      await mkdir(join(shared, 'sikkerhetskopier'))
      await writeFile(journalIn(shared), '')
      await symlink('/etc', join(shared, 'avslutninger'))
      const planted = ['mail', 'sikkerhetskopier', 'avslutninger'].map((name) => join(shared, name))
      for (const path of [...planted, journalIn(shared)]) {
        await refusePlanted(path)
        await lchown(path, NOBODY, NOBODY)
        await expect(refusePlanted(path)).rejects.toThrow(ConfigurationError)
      }
      const environment = readEnvironment({ DATA_DIR: shared, LOG_FILE: join(shared, 'logg') })
      const asStarted = () => opening(environment, [], undefined, async () => ({}))
      for (const path of [...planted.filter((each) => !each.endsWith('kopier')), journalIn(shared)]) {
        for (const each of [...planted, journalIn(shared)]) await lchown(each, each === path ? NOBODY : 0, 0)
        await expect(asStarted()).rejects.toThrow(`${path} was made by another user`)
      }
      for (const path of [...planted, journalIn(shared)]) await lchown(path, NOBODY, NOBODY)
      const hidden = noteHiding(shared, 'skjul', { navn: 'KARI', fodselsaar: 1970, orgnr: null }, new Date())
      await expect(hidden).rejects.toThrow('was made by another user')
      const backup = await runCommand({ DATA_DIR: shared }, ['sikkerhetskopi', '--hvorfor', 'en prøve'])
      expect(backup).toMatchObject({ code: 1, err: expect.stringContaining('was made by another user') })
      // Of whoever owns the folder: root runs a command beside a service that is another's.
      await lchown(shared, NOBODY, NOBODY)
      for (const path of planted) await refusePlanted(path)
    } finally {
      await rm(shared, { recursive: true })
    }
  },
)

it.runIf(isRoot)(
  'P172: attack: DATA_DIR itself, made by another user where all may write, or a link of theirs to a folder of ours (needs root)',
  async () => {
    const shared = await mkdtemp(join(tmpdir(), 'oppslag-delt-'))
    try {
      const [made, linked, ours] = ['laget', 'lenket', 'vår'].map((name) => join(shared, name)) as [
        string,
        string,
        string,
      ]
      await mkdir(made)
      await mkdir(ours, { mode: 0o755 })
      await symlink(ours, linked)
      for (const path of [made, linked]) await lchown(path, NOBODY, NOBODY)
      // A service's own folder, which root comes to beside it.
      for (const path of [made, linked]) await closeToOthers(path)
      await chmod(ours, 0o755)
      await chmod(shared, 0o1777)
      for (const path of [made, linked]) {
        await expect(closeToOthers(path)).rejects.toThrow(/was made by another user/)
        const told = await runCommand({ DATA_DIR: path }, ['nokkel', 'liste'])
        expect(told).toMatchObject({ code: 1, err: expect.stringContaining('was made by another user') })
      }
      expect((await stat(ours)).mode & 0o777).toBe(0o755)
    } finally {
      await rm(shared, { recursive: true })
    }
  },
)

it.runIf(isRoot)(
  'P172: attack: the folder a backup is to go to, or one it lies in, made by another user where all may write, gets none (needs root)',
  async () => {
    const shared = await mkdtemp(join(tmpdir(), 'oppslag-delt-'))
    const { url, close } = await createTestDatabase()
    try {
      await chmod(shared, 0o1777)
      const [made, linked, theirs, data] = ['laget', 'lenket', 'deres', 'data'].map((name) =>
        join(shared, name),
      ) as [string, string, string, string]
      await mkdir(made)
      await mkdir(theirs)
      await symlink(theirs, linked)
      for (const path of [made, linked, theirs]) await lchown(path, NOBODY, NOBODY)
      const inside = join(made, 'hver', 'natt')
      for (const folder of [made, linked, inside]) {
        const told = await runCommand({ DATABASE_URL: url, DATA_DIR: data }, [
          'sikkerhetskopi',
          ...['--til', folder, '--hvorfor', 'en prøve'],
        ])
        expect(told).toMatchObject({ code: 1, err: expect.stringContaining('was made by another user') })
        expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('.gz'))
      }
      for (const path of [made, linked]) await expect(closeToOthers(join(path, 'data'))).rejects.toThrow(path)
      // Where not all may make one it is their choice whose it is.
      await chmod(shared, 0o755)
      await refusePlantedOnTheWay(inside)
    } finally {
      await close()
      await rm(shared, { recursive: true })
    }
  },
)

it.runIf(process.platform === 'linux')(
  'P172: DATA_DIR that is open to others and can not be closed, as on a disk that is only read, is told of in one line',
  async () => {
    // This process's own, which not even root may close.
    const closing = closeToOthers('/proc/self')
    await expect(closing).rejects.toThrow(ConfigurationError)
    await expect(closing).rejects.toThrow(/^\S+ is open to others, .* can not be closed \(EPERM\)\. .*$/)
  },
)
