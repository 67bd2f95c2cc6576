import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '#src/storage/migrate.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const OURS = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url))

describe('a newer release brings the database up to date while this one runs', () => {
  let around: Surroundings
  let folder: string

  beforeAll(async () => {
    around = await startSurroundings()
    folder = await mkdtemp(join(tmpdir(), 'oppslag-newer-'))
    await cp(OURS, folder, { recursive: true })
    await writeFile(
      join(folder, `${await nextNumber()}_ny.sql`),
      '-- Adds what a newer release needs.\nalter table api_nokkel add column ny text; create table ny (id int);',
    )
  })
  afterAll(async () => {
    await Promise.all([around.close(), rm(folder, { recursive: true })])
  })

  it('what runs goes on, with keys of before and after; what starts on it says in one line why it does not', async () => {
    const front = await startProcess('api', around.variables())
    const statusWith = async (key: string) => {
      const answer = await fetch(`${front.address}/api/bedrift/${SAMPLE.healthy}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      await answer.arrayBuffer()
      return answer.status
    }
    try {
      expect(await statusWith(around.token)).toBe(200)
      // Twenty processes of the newer release start at once.
      const runs = await Promise.all(
        Array.from({ length: 20 }, () => migrate({ url: around.storage.url, folder })),
      )
      expect(runs.flat()).toEqual([expect.stringMatching(/_ny\.sql$/)])

      expect(await statusWith(around.token)).toBe(200)
      expect(await statusWith(await around.issue())).toBe(200)
      expect((await fetch(`${front.address}/health/ready`)).status).toBe(200)

      for (const door of ['api', 'worker'] as const) {
        await expect(startProcess(door, around.variables())).rejects.toThrow(
          /^It wrote:\nThe database is newer than this program: it has \d{4}_ny\.sql, .+\n$/,
        )
      }
    } finally {
      await front.end('SIGKILL')
    }
  })

  async function nextNumber(): Promise<string> {
    const rows = await around.storage.database.query('select from migrering')
    return String(rows.length + 1).padStart(4, '0')
  }
})
