import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const DOOR = fileURLToPath(new URL('../src/commands/migrate.ts', import.meta.url))
const run = promisify(execFile)

describe('the migrate door', () => {
  let storage: TestDatabase

  beforeAll(async () => {
    storage = await createTestDatabase({ isMigrated: false })
  })
  afterAll(() => storage.close())

  test('brings the schema up to date, says what it does, and has nothing to do the second time', async () => {
    const first = await run(process.execPath, [DOOR], environment(storage.url))
    expect(first.stdout).toMatch(
      /^0001_api_keys\.sql: .+\n(\d{4}_.+\n)+The schema is up to date \(\d+ migrations were run\)\n$/,
    )
    expect(await storage.database.query('select from api_nokkel')).toEqual([])
    const second = await run(process.execPath, [DOOR], environment(storage.url))
    expect(second.stdout).toBe('The schema is up to date (0 migrations were run)\n')
  })

  test('ends with 1 and one line when it can not', async () => {
    const nowhere = run(process.execPath, [DOOR], environment('postgres://u:hemmelig@127.0.0.1:1/x'))
    await expect(nowhere).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^migrate: .*ECONNREFUSED.*\n$/),
    })
    await expect(nowhere).rejects.not.toMatchObject({ stderr: expect.stringContaining('hemmelig') })
  })
})

function environment(databaseUrl: string) {
  const { PATH, SystemRoot, NODE_COMPILE_CACHE } = process.env
  return { env: { PATH, SystemRoot, NODE_COMPILE_CACHE, DATABASE_URL: databaseUrl } }
}
