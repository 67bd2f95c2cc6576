import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase } from '#test/support/database.ts'

it('P66: the backup that was just made is kept, though a clock that was ahead has made names that look newer', async () => {
  const storage = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-behold-'))
  try {
    const older = ['oppslag-20260101T000000Z.sql.gz', 'oppslag-20260102T000000Z.sql.gz']
    const ahead = ['oppslag-20990101T000000Z.sql.gz', 'oppslag-20990102T000000Z.sql.gz']
    for (const name of [...older, ...ahead]) await writeFile(join(folder, name), '')
    const variables = { DATABASE_URL: storage.url, DATA_DIR: folder }
    const backup = await runCommand(variables, [
      ...['sikkerhetskopi', '--til', folder, '--behold', '1', '--hvorfor', 'en prøve'],
    ])
    expect(backup.code).toBe(0)
    const left = await readdir(folder)
    expect(left).toEqual(expect.arrayContaining(ahead))
    expect(left.filter((name) => !ahead.includes(name))).toEqual([
      expect.stringMatching(/^oppslag-20[2-8]\d{5}T\d{6}Z\.sql\.gz$/),
    ])
  } finally {
    await rm(folder, { recursive: true })
    await storage.close()
  }
})

it('P66: attack: whoever was killed when a backup had been read in, before they were told, is told at the next try', async () => {
  const [storage, empty] = await Promise.all([
    createTestDatabase(),
    createTestDatabase({ isMigrated: false }),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-behold-'))
  const why = ['--hvorfor', 'disken røk']
  const backUp = async () => {
    const { out } = await runCommand({ DATABASE_URL: storage.url, DATA_DIR: folder }, [
      ...['sikkerhetskopi', '--til', folder, '--json', ...why],
    ])
    return JSON.parse(out).fil as string
  }
  const restore = (file: string) =>
    runCommand({ DATABASE_URL: empty.url, DATA_DIR: folder }, ['gjenopprett', file, ...why])
  try {
    const file = await backUp()
    expect((await restore(file)).code).toBe(0)
    const again = await restore(file)
    expect(again.code).not.toBe(0)
    expect(again.err).toMatch(/lest inn her fra før, hel.*FLUSHDB.*kunde avstem/)
    await storage.database.query('select pg_sleep(1)')
    expect((await restore(await backUp())).err).toMatch(/ikke tom/)
  } finally {
    await rm(folder, { recursive: true })
    await Promise.all([storage.close(), empty.close()])
  }
})

it('P66: attack: one of a later release is said to be so when it is only tried, and where there is to be a database none is made', async () => {
  const storage = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-behold-'))
  const why = ['--hvorfor', 'disken røk']
  try {
    const variables = { DATABASE_URL: storage.url, DATA_DIR: folder }
    const { out } = await runCommand(variables, ['sikkerhetskopi', '--til', folder, '--json', ...why])
    const { fil } = JSON.parse(out)
    const ours = gunzipSync(await readFile(fil)).toString('latin1')
    const later = ours.replace(/\}\]\}\n/, `},{"navn":"9999_ny.sql","sjekksum":"${'0'.repeat(64)}"}]}\n`)
    await writeFile(fil, gzipSync(Buffer.from(later, 'latin1')))
    const place = join(folder, 'ny')
    for (const how of [['--prov'], why]) {
      const told = await runCommand({ DATA_DIR: place }, ['gjenopprett', fil, ...how])
      expect(told).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('newer than this program'),
      })
    }
    await expect(readdir(place)).rejects.toThrow('ENOENT')
  } finally {
    await rm(folder, { recursive: true })
    await storage.close()
  }
})
