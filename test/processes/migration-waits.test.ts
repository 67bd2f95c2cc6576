import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '#src/storage/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const OURS = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url))

describe('P190: attack: a release is started while somebody has left a transaction open', () => {
  let around: Surroundings
  let older: TestDatabase
  let folder: string

  beforeAll(async () => {
    ;[around, older, folder] = await Promise.all([
      startSurroundings(),
      createTestDatabase({ isMigrated: false }),
      mkdtemp(join(tmpdir(), 'oppslag-older-')),
    ])
    await cp(OURS, folder, { recursive: true })
    const newest = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
    await rm(join(folder, newest.at(-1) ?? ''))
    await migrate({ url: older.url, folder })
  })
  afterAll(() => Promise.all([around.close(), older.close(), rm(folder, { recursive: true })]))

  it('says in its log what it waits for, and is there when that has ended', async () => {
    const open = new pg.Client({ connectionString: older.url })
    await open.connect()
    // Each file writes there what it has done.
    await open.query('begin; lock table migrering in share mode')
    const starting = startProcess('worker', around.variables({ databaseUrl: older.url }))
    try {
      const migrating = `select from pg_stat_activity
        where datname = current_database() and application_name = 'oppslag migrate'`
      const isThere = async (how: string) =>
        (await older.database.query(`${migrating} and ${how}`)).length === 1
      await eventually('it waits', () => isThere(`wait_event_type = 'Lock'`))
      await eventually('it has stepped back', () => isThere(`state = 'idle' and query = 'rollback'`))
    } finally {
      await open.end()
    }
    const worker = await starting
    expect(worker.output()).toContain('waits for who uses its tables')
    expect(await worker.end()).toBe(0)
  })
})
