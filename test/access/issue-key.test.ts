import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { mintKey, readKey } from '#src/core/api-key.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { hashKey, isKeyOfHash, KeyHashError } from '#src/core/key-hash.ts'
import { findKeyById } from '#src/storage/keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

describe('P27: a key is valid for one year', () => {
  test.each([
    ['an ordinary day', '2026-03-14T09:26:53.589Z', '2027-03-14T09:26:53.589Z'],
    ['into a leap year', '2027-06-01T00:00:00.000Z', '2028-06-01T00:00:00.000Z'],
    ['from 29 February: never less than a year', '2028-02-29T12:00:00.000Z', '2029-03-01T12:00:00.000Z'],
    ['from 28 February before a leap day', '2027-02-28T23:59:59.999Z', '2028-02-28T23:59:59.999Z'],
    ['the last millisecond of a year', '2026-12-31T23:59:59.999Z', '2027-12-31T23:59:59.999Z'],
    // 2026-03-29 01:00Z and 2026-10-25 01:00Z are Norway's clock changes; a year later the change is on another day.
    ['in the hour that clocks jump over', '2026-03-29T01:30:00.000Z', '2027-03-29T01:30:00.000Z'],
    ['in the hour that clocks repeat', '2026-10-25T00:30:00.000Z', '2027-10-25T00:30:00.000Z'],
  ])('%s', (_, issued, expires) => {
    expect(expiryOf(new Date(issued)).toISOString()).toBe(expires)
  })

  test('the same whatever the time zone of the machine', () => {
    const before = process.env.TZ
    try {
      for (const zone of ['Europe/Oslo', 'Pacific/Kiritimati', 'America/St_Johns']) {
        process.env.TZ = zone
        expect(expiryOf(new Date('2026-03-29T00:30:00Z')).toISOString()).toBe('2027-03-29T00:30:00.000Z')
        expect(expiryOf(new Date('2028-02-29T23:30:00Z')).toISOString()).toBe('2029-03-01T23:30:00.000Z')
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})

describe('an issued key', () => {
  let storage: TestDatabase
  const clock = { now: () => new Date('2028-02-29T10:00:00.000Z') }

  beforeAll(async () => {
    storage = await createTestDatabase()
  })
  afterAll(() => storage.close())

  test('works at once, is of the kind asked for and ends when it was said to', async () => {
    const { database: db } = storage
    const issued = await issueKey({ db, clock }, { epost: 'ola@example.no', miljo: 'test' })
    expect(readKey(issued.token)).toMatchObject({ id: issued.id, miljo: 'test' })
    const stored = await findKeyById(db, issued.id)
    expect(stored).toMatchObject({
      id: issued.id,
      miljo: 'test',
      utloper: new Date('2029-03-01T10:00:00.000Z'),
      tilbakekalt: null,
    })
    expect(issued.utloper).toEqual(stored?.utloper)
    expect(await isKeyOfHash(stored?.hash ?? '', issued.token)).toBe(true)
  })

  test('is nowhere in the database but as argon2id with 19456 KiB, two passes and one lane', async () => {
    const { database: db } = storage
    const { token } = await issueKey({ db, clock }, { epost: 'kari@example.no', miljo: 'live' })
    const tables = await db.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    )
    expect(tables.map(({ name }) => name)).toContain('api_nokkel')
    const dumps = await Promise.all(
      tables.map(({ name }) => db.query(`select to_jsonb(t)::text as row from ${name} t`)),
    )
    const dump = JSON.stringify(dumps)
    expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(dump).not.toContain(token)
    expect(dump).not.toContain(token.slice(21, 21 + 43))
  })
})

describe('a stored hash', () => {
  test('is of one key alone', async () => {
    const { token } = mintKey('live')
    const hash = await hashKey(token)
    expect(await isKeyOfHash(hash, token)).toBe(true)
    expect(await isKeyOfHash(hash, mintKey('live').token)).toBe(false)
  })

  test('that is no hash is a fault of its own, which does not hold the key', async () => {
    const { token } = mintKey('live')
    const fault = await isKeyOfHash('$argon2id$garbage', token).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(KeyHashError)
    expect(String((fault as Error).cause) + (fault as Error).message).not.toContain(token)
  })
})
