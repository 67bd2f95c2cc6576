import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { urlOf } from '#src/embedded/address.ts'
import { binariesIn, findBinaries } from '#src/embedded/binaries.ts'
import { clusterVersion, findCluster } from '#src/embedded/cluster.ts'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { MAJOR, OWNER } from '#src/embedded/names.ts'
import { enterAlone } from '#src/embedded/presence.ts'
import { startCluster, stopCluster } from '#src/embedded/running.ts'
import { migrate } from '#src/storage/migrate.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { hidePerson, listHiddenPersons } from '#src/storage/shareholders/hidden-persons.ts'
import { runCommand } from '#test/support/command.ts'
import { onServer } from '#test/support/database-server.ts'
import {
  makeOlderCluster,
  OLDER_POSTGRES_COMMAND,
  olderPostgres,
} from '#test/support/embedded/older-postgres.ts'
import { openTestPool } from '#test/support/test-pool.ts'

const programs = olderPostgres() ?? ''
const KARI = { navn: 'KARI NORDMANN', fodselsaar: 1970, orgnr: null }

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'oppslag-upgrade-'))
  // PostgreSQL may run as another user, who has to get through.
  await chmod(dataDir, 0o755)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe.skipIf(programs === '')(
  `P67: a DATA_DIR of an older PostgreSQL (needs one: ${OLDER_POSTGRES_COMMAND})`,
  () => {
    test('is told of in one line and left alone, and is taken along by one command', async () => {
      const from = await fill()
      const left = await readdir(dataDir)
      const refused = await openEmbeddedDatabase({ dataDir }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(ConfigurationError)
      expect((refused as Error).message).toMatch(
        new RegExp(`^\\S+ holds PostgreSQL ${from}, and this release runs ${MAJOR}\\. .*oppgrader.*$`),
      )
      for (const command of [
        ['nokkel', 'liste'],
        ['sikkerhetskopi', '--hvorfor', 'en prøve'],
        ['oppgrader', '--hvorfor', 'en prøve'],
      ]) {
        const { code, err } = await runCommand({ DATA_DIR: dataDir }, command)
        expect(code, command.join(' ')).toBe(1)
        expect(err.trim().split('\n')).toHaveLength(1)
        expect(err).toContain(`PostgreSQL ${from}`)
      }
      const others = await runCommand({ DATA_DIR: dataDir }, [
        'oppgrader',
        '--hvorfor',
        'en prøve',
        '--programmer',
        dataDir,
      ])
      expect(others).toMatchObject({ code: 1, err: expect.stringContaining('bin/pg_ctl') })
      expect(await readdir(dataDir)).toEqual(left)

      const { code, out, err } = await runCommand({ DATA_DIR: dataDir }, [
        'oppgrader',
        '--hvorfor',
        'en prøve',
        '--json',
        '--programmer',
        programs,
      ])
      expect(code, err).toBe(0)
      const { gammel, sikkerhetskopi, ...versions } = JSON.parse(out)
      expect(versions).toEqual({ fra: from, til: MAJOR })
      expect(await clusterVersion(dataDir)).toBe(MAJOR)
      await hasKari()
      // What there was is there, to go back to.
      expect((await readdir(gammel)).sort()).toContain('data')
      const checked = await runCommand({ DATA_DIR: dataDir }, [
        'gjenopprett',
        '--hvorfor',
        'en prøve',
        '--prov',
        sikkerhetskopi,
      ])
      expect(checked.out).toMatch(/^Sikkerhetskopien er hel/)
      const again = await runCommand({ DATA_DIR: dataDir }, [
        'oppgrader',
        '--hvorfor',
        'en prøve',
        '--programmer',
        programs,
      ])
      expect(again).toMatchObject({ code: 1, err: expect.stringContaining(`er PostgreSQL ${MAJOR} alt`) })
    })

    test('P67: attack: killed while the older one runs, it is typed again; while another has that one, it is refused', async () => {
      await fill()
      // As one that was killed leaves it.
      const cluster = await findCluster(dataDir, await binariesIn(programs))
      expect(await startCluster(cluster)).toBe(true)
      const words = ['oppgrader', '--hvorfor', 'en prøve', '--programmer', programs]
      const other = await enterAlone(cluster)
      expect(other).not.toBeNull()
      const second = await runCommand({ DATA_DIR: dataDir }, words, { isAlone: false })
      expect(second).toMatchObject({ code: 1, err: expect.stringContaining('er i bruk') })
      expect(await readdir(dataDir)).toEqual(['postgres'])
      await other?.end()
      const { code, err } = await runCommand({ DATA_DIR: dataDir }, words)
      expect(code, err).toBe(0)
      await hasKari()
    })

    test('P67: attack: killed while the new one runs, which goes on, where a socket has its place in /tmp, it is typed again', async () => {
      // Longer than the path of a socket may be.
      const long = dataDir + '-lang'.repeat(20)
      await rename(dataDir, long)
      dataDir = long
      await fill()
      const staging = join(dataDir, 'postgres-oppgraderes')
      // As one that was killed leaves it.
      await (await openEmbeddedDatabase({ dataDir: staging })).close()
      const left = await findCluster(staging, await findBinaries())
      expect(await startCluster(left)).toBe(true)
      const { code, err } = await runCommand({ DATA_DIR: dataDir }, [
        'oppgrader',
        '--hvorfor',
        'en prøve',
        '--programmer',
        programs,
      ])
      expect(code, err).toBe(0)
      await hasKari()
    })

    test('P67: killed between its last two steps, no new database is made in its place, and the next run finishes', async () => {
      const from = await fill()
      const { out } = await runCommand({ DATA_DIR: dataDir }, [
        'oppgrader',
        '--hvorfor',
        'en prøve',
        '--json',
        '--programmer',
        programs,
      ])
      expect(JSON.parse(out).fra).toBe(from)
      await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-oppgradert'))
      await expect(openEmbeddedDatabase({ dataDir })).rejects.toThrow(
        /interrupted at its last step.*oppgrader$/,
      )
      expect(await readdir(dataDir)).not.toContain('postgres')
      const { code, err } = await runCommand({ DATA_DIR: dataDir }, ['oppgrader', '--hvorfor', 'en prøve'])
      expect(code, err).toBe(0)
      await hasKari()
    })
  },
)

test.skipIf(!existsSync(join(programs, 'bin', 'pg_dump')))(
  `a server’s own dump, as config/backup.md has it, is restored to a database the service finds up to date (needs ${OLDER_POSTGRES_COMMAND})`,
  async () => {
    await fill()
    const cluster = await findCluster(dataDir, await binariesIn(programs))
    expect(await startCluster(cluster)).toBe(true)
    try {
      const url = urlOf(cluster.address, OWNER, cluster.ownerPassword)
      await onServer(url, 'create database ny')
      const target = new URL(url)
      target.pathname = 'ny'
      const page = await readFile(new URL('../../config/backup.md', import.meta.url), 'utf8')
      const lines = [...page.matchAll(/^ {4}(pg_(?:dump|restore) .*)$/gm)].map(([, line = '']) => line)
      expect(lines).toHaveLength(2)
      const env = {
        PATH: `${join(programs, 'bin')}:${process.env.PATH}`,
        DATABASE_URL: url,
        NEW_DATABASE_URL: target.href,
      }
      for (const line of lines) await promisify(execFile)('sh', ['-c', line], { cwd: dataDir, env })
      expect(await migrate({ url: target.href })).toEqual([])
      const database = openTestPool(target.href)
      expect(await listHiddenPersons(database, 10)).toEqual([expect.objectContaining({ navn: KARI.navn })])
      await database.close()
    } finally {
      await stopCluster(cluster)
    }
  },
)

test('where there is no database, or another kind of one, nothing is made', async () => {
  const none = await runCommand({ DATA_DIR: dataDir }, ['oppgrader', '--hvorfor', 'en prøve'])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('ingen database') })
  const server = await runCommand({ DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }, [
    'oppgrader',
    '--hvorfor',
    'en prøve',
  ])
  expect(server).toMatchObject({ code: 1, err: expect.stringContaining('pg_upgrade') })
  expect(await readdir(dataDir)).toEqual([])
})

test('one of a newer PostgreSQL is told of too, and is not taken back', async () => {
  await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true })
  await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '19\n')
  await expect(openEmbeddedDatabase({ dataDir })).rejects.toThrow(
    /holds PostgreSQL 19, .* Run the release that made it/,
  )
})

/** @returns the version of what is there */
async function fill(): Promise<string> {
  await makeOlderCluster(dataDir, programs)
  const cluster = await findCluster(dataDir, await binariesIn(programs))
  expect(await startCluster(cluster)).toBe(true)
  try {
    const url = urlOf(cluster.address, OWNER, cluster.ownerPassword)
    await migrate({ url })
    const database = openTestPool(url)
    await hidePerson(database, KARI)
    await database.close()
  } finally {
    await stopCluster(cluster)
  }
  return (await clusterVersion(dataDir)) ?? ''
}

async function hasKari(): Promise<void> {
  const storage = await openStorage({ databaseUrl: null, dataDir, applicationName: 'test', poolMax: 1 })
  try {
    expect(await listHiddenPersons(storage.database, 10)).toEqual([
      expect.objectContaining({ navn: KARI.navn }),
    ])
  } finally {
    await storage.close()
  }
}
