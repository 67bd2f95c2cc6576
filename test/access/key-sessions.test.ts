import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { createKeySessions, type KeySessions } from '#src/access/key-sessions.ts'
import { createVerifier, type ValidKey, type Verifier } from '#src/access/verify.ts'
import { createDatabase, StorageUnavailableError } from '#src/storage/database.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { findKeyById, revokeKey } from '#src/storage/keys.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const HOUR = 3_600_000
let storage: TestDatabase
let now: Date
const clock = { now: () => now }

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(() => {
  now = new Date('2027-02-28T12:00:00.000Z')
})

async function breakable() {
  const connection = await createBreakableConnection(storage.url)
  const db = createDatabase({
    url: connection.url,
    poolMax: 2,
    applicationName: 'test',
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
  })
  return { connection, db }
}

const hashOf = (value: string) => createHash('sha256').update(value).digest('base64url')

/** A process that hears of what is ended, and does. */
async function hears(url: string, onEnded: (hash: string) => void = () => {}) {
  const told: string[] = []
  const following = followKeyChanges({
    url,
    onChange() {},
    onSessionEnded(hash) {
      told.push(hash)
      onEnded(hash)
    },
    retryMs: 20,
    heartbeatMs: 10_000,
  })
  const somebody = process()
  await eventually('what ends is heard', async () => {
    const { value } = await logIn(somebody)
    await somebody.sessions.end(value)
    return told.length > 0
  })
  return { told, following }
}

type Process = { verifier: Verifier; sessions: KeySessions }
type More = Pick<Parameters<typeof createKeySessions>[0], 'ends'>

/** What one process has: a verifier and its sessions, over the same database. */
function process(db = storage.database, more: More = {}): Process {
  const verifier = createVerifier({
    miljo: 'live',
    findKeyById: (id) => findKeyById(db, id),
    activate: (id) => activateKey(db, id, clock.now()),
    clock,
    policy: policy.keys,
    onFault: (error) => expect.unreachable(String(error)),
  })
  const sessions = createKeySessions({ db, verifier, clock, policy: policy.keys.sessions, ...more })
  return { verifier, sessions }
}

async function logIn({ verifier, sessions }: Process): Promise<{ key: ValidKey; value: string }> {
  const { token } = await issueKey({ db: storage.database, clock }, { epost: 'a@example.no', miljo: 'live' })
  const verdict = await verifier.verify(token)
  if (!verdict.ok) throw new Error(verdict.why)
  return { key: verdict.key, value: (await sessions.begin(verdict.key)).value }
}

describe('P84: the session of a key', () => {
  it('is known to every process, and nothing that is stored lets anybody in', async () => {
    const [here, there] = [process(), process()]
    const { key, value } = await logIn(here)
    for (const { sessions } of [here, there]) expect(await sessions.who(value)).toEqual({ ok: true, key })
    const rows = await storage.database.query<Record<string, unknown>>('select * from nokkel_okt')
    const stored = JSON.stringify(
      rows.map((row) => ({ ...row, hash: (row.hash as Buffer).toString('base64url') })),
    )
    expect(stored).toContain(key.id)
    expect(stored).not.toContain(value)
    expect(await there.sessions.who('x'.repeat(43))).toBeNull()
    expect(await there.sessions.who("' or 1=1 --")).toBeNull()
  })

  it('lasts twelve hours, and never longer than its key', async () => {
    const { sessions, verifier } = process()
    const { key, value } = await logIn({ sessions, verifier })
    now = new Date(now.getTime() + 12 * HOUR - 1000)
    expect(sessions.rightLately(value)).toBeNull()
    expect(await sessions.who(value)).toMatchObject({ ok: true })
    expect(sessions.rightLately(value)).toBe(key.right)
    now = new Date(now.getTime() + 1000)
    expect(await sessions.who(value)).toBeNull()
    expect(sessions.rightLately(value)).toBeNull()
    now = new Date(key.utloper.getTime() - HOUR)
    const last = await sessions.begin(key)
    expect(last.seconds).toBe(3600)
    now = key.utloper
    expect(await sessions.who(last.value)).toBeNull()
  })

  it('ends in every process when somebody logs out, and no other with it', async () => {
    const [here, there] = [process(), process()]
    const { key, value } = await logIn(here)
    const other = await there.sessions.begin(key)
    await here.sessions.end(value)
    expect(await there.sessions.who(value)).toBeNull()
    expect(await here.sessions.who(other.value)).toMatchObject({ ok: true })
  })

  it('ends with its key within the bound on revocation, told of it or not', async () => {
    const [told, deaf] = [process(), process()]
    const { key, value } = await logIn(told)
    for (const { sessions } of [told, deaf]) expect(await sessions.who(value)).toMatchObject({ ok: true })
    await revokeKey(storage.database, key.id, now)
    told.verifier.forget(key.id)
    expect(await told.sessions.who(value)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    now = new Date(now.getTime() + policy.keys.trustedForMs + 1)
    expect(await deaf.sessions.who(value)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  it('ends when a newer key of its chain is used', async () => {
    const { sessions, verifier } = process()
    const { key, value } = await logIn({ sessions, verifier })
    const newer = await issueKey({ db: storage.database, clock }, { epost: 'a@example.no', miljo: 'live' })
    // As a replacement stands: of the same chain, mailed, and waiting for its first use.
    await storage.database.query(`update api_nokkel set kjede = $2, tilstand = 'sendt' where id = $1`, [
      newer.id,
      key.id,
    ])
    expect(await sessions.who(value)).toMatchObject({ ok: true })
    expect(await verifier.verify(newer.token)).toMatchObject({ ok: true })
    verifier.forget(key.id)
    expect(await sessions.who(value)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  it('a key has so many at most: the oldest end', async () => {
    const { sessions, verifier } = process()
    const { key, value } = await logIn({ sessions, verifier })
    for (let index = 0; index < policy.keys.sessions.perKeyMax; index += 1) {
      now = new Date(now.getTime() + 1)
      await sessions.begin(key)
    }
    expect(await sessions.who(value)).toBeNull()
    const [{ count } = { count: 0 }] = await storage.database.query<{ count: number }>(
      'select count(*)::int from nokkel_okt where nokkel = $1',
      [key.id],
    )
    expect(count).toBe(policy.keys.sessions.perKeyMax)
  })

  it('P84: attack: whoever logs in waits for nobody who is at the sessions that are to end', async () => {
    const { sessions, verifier } = process()
    const other = await logIn({ sessions, verifier })
    now = new Date(now.getTime() + 13 * HOUR)
    const { key, value } = await logIn({ sessions, verifier })
    for (let index = 1; index < policy.keys.sessions.perKeyMax; index += 1) {
      now = new Date(now.getTime() + 1)
      await sessions.begin(key)
    }
    await storage.database.query(
      'insert into nokkel_okt (hash, nokkel, begynt_at, utloper_at) values ($1, $2, $3, $3)',
      [createHash('sha256').update('over').digest(), other.key.id, new Date(now.getTime() - HOUR)],
    )
    await storage.database.transaction(async (connection) => {
      await connection.query('select 1 from nokkel_okt where hash = $1 or utloper_at <= $2 for update', [
        createHash('sha256').update(value).digest(),
        now,
      ])
      await sessions.begin(key)
    })
    expect(await sessions.who(value)).toMatchObject({ ok: true })
    // Whoever comes next ends what was left.
    now = new Date(now.getTime() + 1)
    await sessions.begin(key)
    expect(await sessions.who(value)).toBeNull()
    expect(await storage.database.query('select 1 from nokkel_okt where utloper_at <= $1', [now])).toEqual([])
  })

  it('with PostgreSQL away nobody is let in and nobody is told that they are out', async () => {
    const connection = await createBreakableConnection(storage.url)
    const db = createDatabase({
      url: connection.url,
      poolMax: 2,
      applicationName: 'test',
      connectTimeoutMs: 500,
      statementTimeoutMs: 500,
    })
    const there = process(db)
    const { value } = await logIn(process())
    await connection.cut()
    await expect(there.sessions.who(value)).rejects.toThrow('PostgreSQL can not be used now')
    await db.close()
  })

  it('with PostgreSQL away it goes on where it was known, for a quarter of an hour, and not after a logout', async () => {
    const { db, connection } = await breakable()
    const there = process(db)
    const { key, value } = await logIn(process())
    const other = await process().sessions.begin(key)
    const over = await process().sessions.begin(key)
    for (const known of [value, other.value, over.value])
      expect(await there.sessions.who(known)).toEqual({ ok: true, key })
    await process().sessions.end(over.value)
    expect(await there.sessions.who(over.value)).toBeNull()
    await connection.cut()
    now = new Date(now.getTime() + policy.keys.sessions.rememberedForMs - 1000)
    expect(await there.sessions.who(value)).toEqual({ ok: true, key })
    await expect(there.sessions.who(over.value)).rejects.toThrow('PostgreSQL can not be used now')
    await expect(there.sessions.end(other.value)).rejects.toThrow('PostgreSQL can not be used now')
    await expect(there.sessions.who(other.value)).rejects.toThrow('PostgreSQL can not be used now')
    now = new Date(now.getTime() + 2000)
    await expect(there.sessions.who(value)).rejects.toThrow('PostgreSQL can not be used now')
    await db.close()
    await connection.close()
  })

  it('P51: attack: nor does it end of a PostgreSQL that can not have at the sessions it keeps', async () => {
    const there = process()
    const { key, value } = await logIn(process())
    expect(await there.sessions.who(value)).toEqual({ ok: true, key })
    await storage.database.query('revoke all on nokkel_okt from current_user')
    try {
      expect(await there.sessions.who(value)).toEqual({ ok: true, key })
      now = new Date(now.getTime() + policy.keys.sessions.rememberedForMs + 1000)
      await expect(there.sessions.who(value)).rejects.toMatchObject({ code: '42501' })
    } finally {
      await storage.database.query('grant all on nokkel_okt to current_user')
    }
  })

  it('P157: attack: one that was ended elsewhere does not go on here when PostgreSQL goes away, told by it or past it', async () => {
    const { db, connection } = await breakable()
    const shared = new Set<string>()
    const ends = {
      isEnded: async (hash: string) => shared.has(hash),
      tell: (hash: string) => void shared.add(hash),
    }
    const here = process(storage.database, { ends })
    const there = process(db, { ends })
    const { told, following } = await hears(connection.url, (hash) => there.sessions.ended(hash))
    const { key, value: before } = await logIn(here)
    const { value: after } = await here.sessions.begin(key)
    const { value: stays } = await here.sessions.begin(key)
    for (const value of [before, after, stays])
      expect(await there.sessions.who(value)).toEqual({ ok: true, key })
    await here.sessions.end(before)
    await eventually('it is told of it', () => told.includes(hashOf(before)))
    shared.clear()
    await connection.cut()
    expect(await there.sessions.who(before)).toBeNull()
    await here.sessions.end(after)
    expect(await there.sessions.who(after)).toBeNull()
    shared.clear()
    expect(await there.sessions.who(after)).toBeNull()
    expect(await there.sessions.who(stays)).toEqual({ ok: true, key })
    await following.close()
    await db.close()
    await connection.close()
  })

  it('P157: attack: of a key that has too many, those that end are told of', async () => {
    const here = process()
    const { told, following } = await hears(storage.url)
    const { key, value } = await logIn(here)
    for (let index = 0; index < policy.keys.sessions.perKeyMax; index += 1) {
      now = new Date(now.getTime() + 1)
      await here.sessions.begin(key)
    }
    await eventually('it is told of the oldest', () => told.includes(hashOf(value)))
    await following.close()
  })

  it('attack: one that was asked for before its logout, of a PostgreSQL that is slow, does not come back when it goes away', async () => {
    const [read, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    let isAway = false
    const { database } = storage
    const db = {
      async query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) {
        if (isAway) throw new StorageUnavailableError(null)
        const rows = await database.query<Row>(text, values)
        if (isSlow && text.startsWith('select')) {
          read.resolve()
          await answered.promise
        }
        return rows
      },
    }
    const { verifier } = process()
    const sessions = createKeySessions({ db, verifier, clock, policy: policy.keys.sessions })
    const { value } = await logIn({ verifier, sessions })
    isSlow = true
    const asked = sessions.who(value)
    await read.promise
    await sessions.end(value)
    answered.resolve()
    expect(await asked).toBeNull()
    isAway = true
    expect(await sessions.who(value)).toBeNull()
  })
})
