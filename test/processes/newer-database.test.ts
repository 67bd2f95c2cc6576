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

describe('P46: a newer release brings the database up to date while this one runs', () => {
  let around: Surroundings
  let folder: string

  beforeAll(async () => {
    around = await startSurroundings()
    folder = await mkdtemp(join(tmpdir(), 'oppslag-newer-'))
    await cp(OURS, folder, { recursive: true })
    const ours = await newest()
    await writeFile(
      join(folder, `${numbered(ours + 1)}_ny.sql`),
      `-- Adds what a newer release needs.\n-- Works from: ${numbered(ours)}\nalter table api_nokkel add column ny text; create table ny (id int);`,
    )
  })
  afterAll(async () => {
    await Promise.all([around.close(), rm(folder, { recursive: true })])
  })

  it('what runs goes on, with keys of before and after, and what is started again works on it', async () => {
    const front = await startProcess('api', around.variables())
    const statusWith = async (key: string, { address } = front) => {
      const answer = await fetch(`${address}/api/bedrift/${SAMPLE.healthy}`, {
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

      // Somebody goes back.
      const [again, worker] = await Promise.all([
        startProcess('api', around.variables()),
        startProcess('worker', around.variables()),
      ])
      expect(await statusWith(around.token, again)).toBe(200)
      expect(await statusWith(await around.issue(), again)).toBe(200)
      expect(await Promise.all([again.end(), worker.end()])).toEqual([0, 0])
    } finally {
      await front.end('SIGKILL')
    }
  })

  it('what is started on one that it can not use says in one line why', async () => {
    const ours = await newest()
    await writeFile(
      join(folder, `${numbered(ours + 1)}_nyere.sql`),
      `-- Ends what the release before used.\n-- Works from: ${numbered(ours)}\nselect 1;`,
    )
    await migrate({ url: around.storage.url, folder })
    for (const door of ['api', 'worker'] as const) {
      await expect(startProcess(door, around.variables())).rejects.toThrow(
        /^It wrote:\nThe database is newer than this program can use: it has \d{4}_nyere\.sql, .+\n$/,
      )
    }
  })

  /** The number of the last file that has run. */
  async function newest(): Promise<number> {
    return (await around.storage.database.query('select from migrering')).length
  }
})

const numbered = (number: number) => String(number).padStart(4, '0')
