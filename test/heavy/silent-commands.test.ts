import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeBackup } from '#src/backup/write-backup.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { startCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { csv } from '../imports/share-registers.ts'

let folder: string
/** With so much in it that each command is at it for a while. */
let full: TestDatabase
let empty: TestDatabase
let backup: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taus-'))
  ;[full, empty] = await Promise.all([createTestDatabase(), createTestDatabase({ isMigrated: false })])
  await full.database.query(`insert into feed_hendelse (foretak, seksjoner, lest_at)
    select '923609016', array[repeat(md5(n::text), 100)], now() from generate_series(1, 300000) n`)
  backup = join(folder, 'hel.sql.gz')
  await writeBackup({ url: full.url, path: backup, now: new Date() })
  const rows = Array.from(
    { length: 1_000_000 },
    (_, n) => `${910_000_000 + Math.floor(n / 30)};SELSKAP AS;A;EIER ${n};1980;0484 OSLO;NO;${n + 1};0`,
  )
  await writeFile(join(folder, 'aksjer.csv'), csv(rows))
})
afterAll(async () => {
  await Promise.all([full.close(), empty.close()])
  await rm(folder, { recursive: true })
})

const AWAY = 'PostgreSQL can not be used'

it.each([
  [
    'sikkerhetskopi',
    () => full,
    () => ['sikkerhetskopi', '--til', join(folder, 'kopier')],
    'oppslag backup',
    AWAY,
  ],
  ['gjenopprett', () => empty, () => ['gjenopprett', backup], 'oppslag backup', AWAY],
  [
    'import',
    () => full,
    () => ['import', 'aksjonaerer', join(folder, 'aksjer.csv'), '--aar', '2024'],
    'oppslag import',
    'Innlesingen stanset på veien',
  ],
] as const)(
  'P200: %s ends, and says so, where PostgreSQL falls silent in the middle of it',
  async (_, storageOf, args, name, says) => {
    const storage = storageOf()
    const way = await createBreakableConnection(storage.url)
    try {
      const place = { DATABASE_URL: way.url, DATA_DIR: folder }
      const ended = startCommand(place, [...args(), '--hvorfor', 'prøve'])
      await eventually('rows are on their way', async () => {
        const rows = await storage.database.query(
          `select from pg_stat_activity where datname = current_database() and application_name = $1
           and state = 'active' and query ilike 'copy%'`,
          [name],
        )
        return rows.length > 0
      })
      way.silence()
      const { code, err } = await ended
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(says) })
      expect(err).not.toContain('    at ')
    } finally {
      await way.close()
    }
    expect(await readdir(join(folder, 'kopier')).catch(() => [])).toEqual([])
  },
)
