import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Death, startStatementProxy } from './statement-proxy.ts'
import { openTestPool } from './test-pool.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
  await storage.database.query('create table skrevet (ord text)')
})
afterAll(() => storage.close())

async function wordsThere(): Promise<string[]> {
  const rows = await storage.database.query<{ ord: string }>('select ord from skrevet order by ord')
  return rows.map(({ ord }) => ord)
}

/** One who writes two words in a transaction each, and dies. */
async function writes(word: string, death: Death) {
  const proxy = await startStatementProxy(storage.url)
  const database = openTestPool(proxy.url)
  try {
    await database.query('select 1')
    const dead = proxy.dieAt(death)
    const writing = [`${word} 1`, `${word} 2`].map(
      (each) => () =>
        database.transaction((connection) => connection.query('insert into skrevet values ($1)', [each])),
    )
    for (const write of writing) if ((await write().catch(() => 'failed')) === 'failed') break
    await dead
    await expect(database.query('select 1')).rejects.toThrow()
    return proxy.statements
  } finally {
    await database.close()
    await proxy.close()
  }
}

describe('who uses a database by way of here', () => {
  it('dies before a statement, which does not reach the server', async () => {
    const seen = await writes('a', { statement: /insert/, when: 'before', count: 2 })
    expect(seen.filter((each) => each.includes('insert'))).toHaveLength(2)
    expect(await wordsThere()).toEqual(['a 1'])
  })
  it('dies after a commit, which is done and never heard of', async () => {
    await writes('b', { statement: /^commit/i, follows: /insert into skrevet/, when: 'after' })
    expect(await wordsThere()).toEqual(['a 1', 'b 1'])
  })
  it('dies after a statement within a transaction, of which nothing is left', async () => {
    await writes('c', { statement: /insert/, when: 'after' })
    expect(await wordsThere()).toEqual(['a 1', 'b 1'])
  })
})
