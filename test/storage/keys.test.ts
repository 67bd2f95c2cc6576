import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findKeyById, insertKey, listKeys, type NewKey, revokeKey } from '#src/storage/keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(() => storage.database.query('delete from api_nokkel'))

describe('a stored key', () => {
  test('is found by its id, to the millisecond, without its keeper', async () => {
    const key = keyOf('abcdefghijkl')
    await insertKey(storage.database, key)
    expect(await findKeyById(storage.database, key.id)).toEqual({
      id: key.id,
      miljo: 'live',
      hash: key.hash,
      utloper: key.utloper,
      tilbakekalt: null,
      slutter: null,
      venter: false,
      right: key.id,
    })
    expect(await findKeyById(storage.database, 'ABCDEFGHIJKL')).toBeNull()
  })

  test('is never overwritten', async () => {
    await insertKey(storage.database, keyOf('abcdefghijkl'))
    await expect(insertKey(storage.database, keyOf('abcdefghijkl'))).rejects.toMatchObject({ code: '23505' })
  })

  test.each([
    ['the key itself instead of its hash', { hash: 'bo_live_abcdefghijkl' }],
    ['a weaker kind of hash', { hash: '$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA' }],
    ['an id of another form', { id: 'abc' }],
    ['an end before its beginning', { utloper: new Date('2020-01-01') }],
  ])('can not be %s', async (_, wrong) => {
    await expect(insertKey(storage.database, { ...keyOf('abcdefghijkl'), ...wrong })).rejects.toMatchObject({
      code: '23514',
    })
  })
})

describe('a revoked key', () => {
  test('keeps the instant of its first revocation', async () => {
    await insertKey(storage.database, keyOf('abcdefghijkl'))
    const first = new Date('2026-05-05T05:05:05.555Z')
    expect(await revokeKey(storage.database, 'abcdefghijkl', first)).toEqual(first)
    expect(await revokeKey(storage.database, 'abcdefghijkl', new Date('2026-06-06'))).toEqual(first)
    expect(await findKeyById(storage.database, 'abcdefghijkl')).toMatchObject({ tilbakekalt: first })
  })

  test('that does not exist is told as such', async () => {
    expect(await revokeKey(storage.database, 'abcdefghijkl', new Date())).toBeNull()
  })
})

describe('the list of keys', () => {
  test('is read page by page, newest first, each key once, also when two have the same instant', async () => {
    const ids = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc', 'dddddddddddd', 'eeeeeeeeeeee']
    for (const [index, id] of ids.entries()) {
      await insertKey(storage.database, keyOf(id, new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 2)))))
    }
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<typeof listKeys>> = await listKeys(storage.database, { limit: 2, after })
      expect(page.keys.length).toBeLessThanOrEqual(2)
      seen.push(...page.keys.map(({ id }) => id))
      after = page.next
      // Comes before what has been read.
      await insertKey(
        storage.database,
        keyOf(`new${String(seen.length).padStart(9, '0')}`, new Date('2026-02-02')),
      )
    } while (after !== null)
    expect(seen).toEqual([...ids].reverse())
  })

  test('shows everything but the hash', async () => {
    const key = keyOf('abcdefghijkl')
    await insertKey(storage.database, key)
    const { hash, ...shown } = key
    expect(await listKeys(storage.database, { limit: 1 })).toEqual({
      keys: [{ ...shown, tilhorer: null, tilbakekalt: null }],
      next: null,
    })
    expect(hash).toContain('argon2id')
  })

  test('is empty after an id that is not known', async () => {
    await insertKey(storage.database, keyOf('abcdefghijkl'))
    expect(await listKeys(storage.database, { limit: 1, after: 'ukjent' })).toEqual({ keys: [], next: null })
  })
})

function keyOf(id: string, utstedt = new Date('2026-01-02T03:04:05.678Z')): NewKey {
  return {
    id,
    miljo: 'live',
    epost: 'ola@example.no',
    hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    utstedt,
    utloper: new Date('2027-01-02T03:04:05.678Z'),
  }
}
