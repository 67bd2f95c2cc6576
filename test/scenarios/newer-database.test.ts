import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { migrate } from '#src/storage/migrate.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startProcess, variablesOf } from '../support/processes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { loadIndustryCodes } from '../support/service.ts'

const OURS = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url))

describe('a newer release brings the database up to date while this one runs', () => {
  let register: RegisterStandIn
  let storage: TestDatabase
  let folder: string

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    storage = await createTestDatabase()
    await loadIndustryCodes(storage, systemClock)
    folder = await mkdtemp(join(tmpdir(), 'oppslag-newer-'))
    await cp(OURS, folder, { recursive: true })
    await writeFile(
      join(folder, `${await nextNumber()}_ny.sql`),
      '-- Adds what a newer release needs.\nalter table api_nokkel add column ny text; create table ny (id int);',
    )
  })
  afterAll(async () => {
    await Promise.all([storage.close(), register.close(), rm(folder, { recursive: true })])
  })

  const variables = () => variablesOf({ register, databaseUrl: storage.url })
  const issue = () =>
    issueKey({ db: storage.database, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' })

  it('what runs goes on, with keys of before and after; what starts on it says in one line why it does not', async () => {
    const { token } = await issue()
    const front = await startProcess('api', variables())
    const statusWith = async (key: string) => {
      const answer = await fetch(`${front.address}/api/bedrift/${SAMPLE.healthy}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      await answer.arrayBuffer()
      return answer.status
    }
    try {
      expect(await statusWith(token)).toBe(200)
      // Twenty processes of the newer release start at once.
      const runs = await Promise.all(Array.from({ length: 20 }, () => migrate({ url: storage.url, folder })))
      expect(runs.flat()).toEqual([expect.stringMatching(/_ny\.sql$/)])

      expect(await statusWith(token)).toBe(200)
      expect(await statusWith((await issue()).token)).toBe(200)
      expect((await fetch(`${front.address}/health/ready`)).status).toBe(200)

      for (const door of ['api', 'worker'] as const) {
        await expect(startProcess(door, variables())).rejects.toThrow(
          /^It wrote:\nThe database is newer than this program: it has \d{4}_ny\.sql, .+\n$/,
        )
      }
    } finally {
      await front.end('SIGKILL')
    }
  })

  async function nextNumber(): Promise<string> {
    const rows = await storage.database.query('select from migrering')
    return String(rows.length + 1).padStart(4, '0')
  }
})
