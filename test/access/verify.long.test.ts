import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Shower } from '#src/access/first-use.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { proofOf, type SharedProofs } from '#src/access/shared-proof.ts'
import { openStoredProofs } from '#src/access/stored-proofs.ts'
import { createVerifier, type Verdict, type Verifier } from '#src/access/verify.ts'
import { idIn, mintKey } from '#src/core/api-key.ts'
import { askedTogether } from '#src/core/asked-together.ts'
import { isKeyOfHash } from '#src/core/key-hash.ts'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { findKeyById, findKeysById, insertKey, revokeKey, type StoredKey } from '#src/storage/keys.ts'
import { type BreakableConnection, createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { forgeKey } from '#test/support/forged-key.ts'
import { told } from '#test/support/told-apart.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const ISSUED = new Date('2027-02-28T12:00:00.000Z')

let storage: TestDatabase
let connection: BreakableConnection
/** By way of a connection that tests break. */
let breakable: Database
let now: Date
const clock = { now: () => now }

beforeAll(async () => {
  storage = await createTestDatabase()
  connection = await createBreakableConnection(storage.url)
  breakable = createDatabase({
    url: connection.url,
    poolMax: 5,
    applicationName: 'test',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 5000,
  })
})
afterAll(async () => {
  await connection.cut()
  await breakable.close()
  await storage.close()
})
beforeEach(() => {
  now = ISSUED
})

describe('who may read', () => {
  test('a key that was issued: its id, kind and expiry are known from then on', async () => {
    const { verifier } = watched()
    const { token, id, utloper } = await issued()
    const verdict: Verdict = { ok: true, key: { id, miljo: 'live', right: id, utloper } }
    expect(await verifier.verify(token)).toEqual(verdict)
    expect(verifier.verify(token)).toEqual(verdict)
  })

  test('what is no key is told at once, and asks nobody', () => {
    const { verifier, counts } = watched()
    const { token } = mintKey('live')
    const swapped = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')
    expect(verifier.verify('hemmelig')).toEqual({ ok: false, why: 'ikke_en_nokkel' })
    expect(verifier.verify(swapped)).toEqual({ ok: false, why: 'feil_kontrollsum' })
    expect(counts).toEqual({ lookups: 0, argon2: 0 })
  })

  test('a key of the other environment is told at once, and asks nobody, whether it is stored or not', async () => {
    const { verifier, counts } = watched()
    const stored = await issueKey({ db: storage.database, clock }, { epost: 'ola@example.no', miljo: 'test' })
    for (const { token } of [stored, mintKey('test')]) {
      expect(verifier.verify(token)).toEqual({ ok: false, why: 'annet_miljo' })
      expect(verifier.atHand(token)).toBeNull()
    }
    expect(counts).toEqual({ lookups: 0, argon2: 0 })
  })

  test('P24: an unknown key costs no argon2, and not even a look-up when it is tried again within a minute', async () => {
    const { verifier, counts } = watched()
    const { token } = mintKey('live')
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'ukjent' })
    now = later(ISSUED, policy.keys.rejectedForMs - 1)
    expect(verifier.verify(token)).toEqual({ ok: false, why: 'ukjent' })
    expect(counts).toEqual({ lookups: 1, argon2: 0 })
    now = later(ISSUED, policy.keys.rejectedForMs)
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'ukjent' })
    expect(counts).toEqual({ lookups: 2, argon2: 0 })
  })

  test('P24: a wrong secret for an issued key costs one argon2 run, and none when it is tried again', async () => {
    const { verifier, counts } = watched()
    const { token } = await issued()
    const wrong = forgeKey(token)
    expect(await verifier.verify(wrong)).toEqual({ ok: false, why: 'ukjent' })
    expect(verifier.verify(wrong)).toEqual({ ok: false, why: 'ukjent' })
    expect(counts).toEqual({ lookups: 1, argon2: 1 })
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
  })

  test('P24: wrong secrets for a key that is in use cost no argon2', async () => {
    const { verifier, counts } = watched()
    const { token } = await issued()
    await verifier.verify(token)
    const before = { ...counts }
    for (let rounds = 0; rounds < 20; rounds++)
      await Promise.all(Array.from({ length: 20 }, () => verifier.verify(forgeKey(token))))
    expect(counts.argon2).toBe(before.argon2)
    expect(verifier.verify(token)).toMatchObject({ ok: true })
  })

  test('P25: a hundred first uses of one key at once are one look-up and one argon2 run, and no later use is another', async () => {
    const { verifier, counts } = watched()
    const { token } = await issued()
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => verifier.verify(token)))
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    for (let uses = 0; uses < 1000; uses++) expect(verifier.verify(token)).not.toBeInstanceOf(Promise)
    expect(counts).toEqual({ lookups: 1, argon2: 1 })
  })
})

describe('P27: a year and its end', () => {
  test('valid in the last millisecond, refused in the next, with no look-up at the turn', async () => {
    const { verifier, counts } = watched()
    const { token, utloper } = await issued()
    await verifier.verify(token)
    now = later(utloper, -1)
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
    const before = { ...counts }
    now = utloper
    expect(verifier.verify(token)).toEqual({ ok: false, why: 'utlopt', utloper })
    expect(counts).toEqual(before)
  })

  test('a key bought on 29 February is valid through 28 February, and until its hour on 1 March', async () => {
    now = new Date('2028-02-29T08:15:00.000Z')
    const { verifier } = watched()
    const { token } = await issued()
    now = new Date('2029-03-01T08:14:59.999Z')
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
    now = new Date('2029-03-01T08:15:00.000Z')
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'utlopt' })
  })

  test('the expiry date is told to a holder of the secret, also at the first use, and to nobody else', async () => {
    const { verifier } = watched()
    const { token, utloper } = await issued()
    now = later(utloper, 1)
    expect(await verifier.verify(forgeKey(token))).toEqual({ ok: false, why: 'ukjent' })
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'utlopt', utloper })
    expect(await verifier.verify(forgeKey(token))).toEqual({ ok: false, why: 'ukjent' })
  })
})

describe('P26: a revoked key', () => {
  test('is refused within sixty seconds in a process that was told nothing', async () => {
    const { verifier, counts } = watched()
    const { token, id, utloper } = await issued()
    await verifier.verify(token)
    await revokeKey(storage.database, id, now)
    now = later(ISSUED, policy.keys.recheckAfterMs)
    expect(verifier.verify(token)).toMatchObject({ ok: true })
    expect(counts.lookups).toBe(1)
    now = later(ISSUED, policy.keys.trustedForMs + 1)
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'tilbakekalt', utloper })
    expect(counts).toEqual({ lookups: 2, argon2: 1 })
  })

  test('is found out in the background after thirty', async () => {
    const { verifier, counts } = watched()
    const { token, id } = await issued()
    await verifier.verify(token)
    await revokeKey(storage.database, id, now)
    now = later(ISSUED, policy.keys.recheckAfterMs + 1)
    expect(verifier.verify(token)).toMatchObject({ ok: true })
    await eventually('refused without waiting', () => {
      const verdict = verifier.verify(token)
      return !(verdict instanceof Promise) && !verdict.ok && verdict.why === 'tilbakekalt'
    })
    expect(counts).toEqual({ lookups: 2, argon2: 1 })
  })

  test('is refused at the next use when the process is told', async () => {
    const { verifier } = watched()
    const { token, id } = await issued()
    await verifier.verify(token)
    await revokeKey(storage.database, id, now)
    verifier.forget(id)
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('is refused at the next use when the process is told in the middle of the first', async () => {
    const gate = Promise.withResolvers<void>()
    const { verifier } = watched({
      isRight: (hash, token) => gate.promise.then(() => isKeyOfHash(hash, token)),
    })
    const { token, id } = await issued()
    const first = verifier.verify(token)
    await revokeKey(storage.database, id, now)
    verifier.forget(id)
    gate.resolve()
    await first
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('is refused at the next use when the process is told while it looks again', async () => {
    const { verifier, breakLookups } = watched()
    const { token, id } = await issued()
    await verifier.verify(token)
    const before = await findKeyById(storage.database, id)
    const gate = Promise.withResolvers<StoredKey | null>()
    breakLookups(() => gate.promise)
    now = later(ISSUED, policy.keys.trustedForMs + 1)
    const early = verifier.verify(token)
    await revokeKey(storage.database, id, now)
    verifier.forget(id)
    breakLookups(() => findKeyById(storage.database, id))
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    gate.resolve(before)
    expect(await early).toMatchObject({ ok: true })
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('that has left the database is unknown, and known again when the database is put back', async () => {
    const { verifier } = watched()
    const { token, id } = await issued()
    await verifier.verify(token)
    const [kept] = await storage.database.query('delete from api_nokkel where id = $1 returning *', [id])
    now = later(ISSUED, policy.keys.trustedForMs + 1)
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'ukjent' })
    expect(await verifier.verify(token)).toEqual({ ok: false, why: 'ukjent' })
    await storage.database.query(
      'insert into api_nokkel select * from jsonb_populate_record(null::api_nokkel, $1)',
      [JSON.stringify(kept)],
    )
    now = later(now, policy.keys.rejectedForMs)
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
  })

  test('does not live longer because the clock was set back', async () => {
    const { verifier } = watched()
    const { token, id } = await issued()
    await verifier.verify(token)
    await revokeKey(storage.database, id, now)
    now = later(ISSUED, -60 * MINUTE)
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })
})

describe('P23: while PostgreSQL is away', () => {
  test('known keys work for fifteen minutes from their last check; unknown ones get 503, never 401; then all is as before', async () => {
    const { verifier } = watched({ database: breakable })
    const known = await issued()
    const unknown = await issued()
    await verifier.verify(known.token)

    await connection.cut()
    for (const minutes of [0.75, 2, 7, 15]) {
      now = later(ISSUED, minutes * MINUTE)
      expect(await verifier.verify(known.token)).toMatchObject({ ok: true })
      expect(await verifier.verify(unknown.token)).toEqual(away)
      expect(await verifier.verify(mintKey('live').token)).toEqual(away)
    }
    now = later(ISSUED, 15 * MINUTE + 1)
    expect(await verifier.verify(known.token)).toEqual(away)

    await connection.restore()
    now = later(ISSUED, 16 * MINUTE)
    expect(await verifier.verify(known.token)).toMatchObject({ ok: true })
    expect(await verifier.verify(unknown.token)).toMatchObject({ ok: true })
  })

  test('a key that was changed is let in by nobody before it was looked at again', async () => {
    const { verifier } = watched({ database: breakable })
    const { token, id } = await issued()
    await verifier.verify(token)
    await connection.cut()
    verifier.forget(id)
    expect(await verifier.verify(token)).toEqual(away)
    expect(verifier.verify(token)).toEqual(away)
    await connection.restore()
    now = later(ISSUED, MINUTE)
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
  })

  test('an expired or revoked key gets no extra time', async () => {
    const { verifier } = watched({ database: breakable })
    const { token, utloper } = await issued()
    now = later(utloper, -MINUTE)
    await verifier.verify(token)
    await connection.cut()
    now = utloper
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'utlopt' })
    await connection.restore()
  })

  test('PostgreSQL that hangs is waited for once, not by every reader, and asked again in the background', async () => {
    const { verifier, counts, breakLookups } = watched()
    const known = await issued()
    await verifier.verify(known.token)
    const silence = Promise.withResolvers<null>()
    breakLookups(() => silence.promise)
    now = later(ISSUED, 2 * MINUTE)
    expect(await verifier.verify(known.token)).toMatchObject({ ok: true })
    for (let uses = 0; uses < 100; uses++) {
      expect(verifier.verify(known.token)).toMatchObject({ ok: true })
      now = later(now, 40)
    }
    expect(counts.lookups).toBe(2)
    expect(await verifier.verify(mintKey('live').token)).toEqual(away)
    // The key has been taken out meanwhile: what PostgreSQL says late still counts.
    silence.resolve(null)
    await eventually('unknown', async () => !(await verifier.verify(known.token)).ok)
  })

  const away: Verdict = { ok: false, why: 'lager_utilgjengelig', retryAfterSeconds: 5 }
})

describe('more first uses than can be proved', () => {
  test('P24: get 503, never 401, and do not trouble a known key', async () => {
    const gate = Promise.withResolvers<boolean>()
    let isHeld = false
    const { verifier } = watched({
      isRight: (hash, token) => (isHeld ? gate.promise : isKeyOfHash(hash, token)),
    })
    const known = await issued()
    await verifier.verify(known.token)
    isHeld = true
    const { argon2AtOnce, argon2QueueMax } = policy.keys
    const flood = await stored(argon2AtOnce + argon2QueueMax + 10)
    const verdicts = flood.map((token) => verifier.verify(token))
    const refused = await Promise.race(verdicts)
    expect(refused).toEqual({ ok: false, why: 'overbelastet', retryAfterSeconds: 1, isOwn: true })
    expect(verifier.verify(known.token)).toMatchObject({ ok: true })
    gate.resolve(true)
    for (const verdict of await Promise.all(verdicts)) {
      if (!verdict.ok) expect(verdict.why).toBe('overbelastet')
    }
  })

  test('P24: a place in the queue is given up when the wait is over', async () => {
    const gate = Promise.withResolvers<boolean>()
    const { verifier, counts, answered } = watched({ isRight: () => gate.promise, argon2WaitMs: 20 })
    const [first = '', second = ''] = await stored(2)
    const running = verifier.verify(first)
    await eventually('the first is at argon2', () => counts.argon2 === 1)
    const waiting = verifier.verify(second)
    await eventually('the second has been looked up', () => answered() === 2)
    await new Promise((resolve) => AbortSignal.timeout(25).addEventListener('abort', resolve))
    gate.resolve(true)
    expect(await running).toMatchObject({ ok: true })
    expect(await waiting).toMatchObject({ ok: false, why: 'overbelastet' })
  })

  test('P24: wrong secrets for one key leave room for the others', async () => {
    const gate = Promise.withResolvers<void>()
    const { verifier } = watched({
      isRight: (hash, token) => gate.promise.then(() => isKeyOfHash(hash, token)),
    })
    const attacked = await issued()
    const other = await issued()
    const attack = Array.from({ length: 200 }, () => verifier.verify(forgeKey(attacked.token)))
    const verdict = verifier.verify(other.token)
    gate.resolve()
    expect(await verdict).toMatchObject({ ok: true })
    const outcomes = await Promise.all(attack)
    expect(
      outcomes.filter((outcome) => !outcome.ok && outcome.why === 'overbelastet').length,
    ).toBeGreaterThan(190)
  })
})

describe('ids that were invented', () => {
  test('P24: by nine networks leave room for fifteen first uses, of which none was here before', async () => {
    const { verifier, breakLookups } = watched({ lookupsAtOnce: 4, lookupsQueueMax: 200 })
    const owners = await Promise.all(Array.from({ length: 15 }, () => issued()))
    const ids = new Set(owners.map(({ id }) => id))
    const gate = Promise.withResolvers<void>()
    breakLookups(async (id) => {
      await gate.promise
      return ids.has(id) ? findKeyById(storage.database, id) : null
    })
    const flood = Array.from({ length: 9 * 200 }, (_, index) =>
      whyNot(verifier.verify(mintKey('live').token, { ip: `198.51.100.${index % 9}` })),
    )
    const first = owners.map(({ token }) => verifier.verify(token, { ip: '203.0.113.9' }))
    gate.resolve()
    for (const verdict of await Promise.all(first)) expect(verdict).toMatchObject({ ok: true })
    // Nobody is told more than that there is no room, or that a key is unknown.
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['ukjent', 'overbelastet']))
  })

  test('P24: and keys of others, shown with wrong secrets by nine networks, neither', async () => {
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    const { verifier, answered } = watched({
      isRight: async (_, token) => {
        order.push(token)
        await gate.promise
        return owned.has(token)
      },
    })
    const attacked = await stored(40)
    const owners = await stored(15)
    const owned = new Set(owners)
    const flood = attacked.flatMap((token) =>
      Array.from({ length: 9 }, (_, index) =>
        whyNot(verifier.verify(forgeKey(token), { ip: `198.51.100.${index}` })),
      ),
    )
    const first = owners.map((token) => verifier.verify(token, { ip: '203.0.113.9' }))
    await eventually('all stand in line', () => answered() === flood.length + first.length)
    gate.resolve()
    for (const verdict of await Promise.all(first)) expect(verdict).toMatchObject({ ok: true })
    // Ten networks have turns, and this one needs fifteen of its own.
    expect(order.findLastIndex((token) => owned.has(token))).toBeLessThanOrEqual(1 + 15 * 10)
    await Promise.all(flood)
  })
})

describe('a key that another process has proved', () => {
  /** What the processes share, as its thief would find it. */
  function shared() {
    const held = new Map<string, string>()
    const proofs: SharedProofs = {
      read: async (id) => held.get(id) ?? null,
      keep: (id, proof) => void held.set(id, proof),
    }
    return { held, proofs }
  }

  function keptBesideTheKeys(): SharedProofs {
    return openStoredProofs(storage.database, {
      policy: policy.keys,
      onFault(error) {
        throw error
      },
    })
  }

  test.each([
    ['in Redis', () => shared().proofs],
    ['in PostgreSQL, where there is no Redis', keptBesideTheKeys],
  ])(
    'P60: attack: is known to a new one without argon2: three hundred at once, and none is turned away (%s)',
    async (_, told) => {
      const proofs = told()
      const tokens = await stored(300)
      const old = watched({ proofs, isRight: async () => true })
      for (const token of tokens) expect(await old.verifier.verify(token)).toMatchObject({ ok: true })
      const ids = tokens.flatMap((token) => idIn(token) ?? [])
      const isTold = async (id: string) => (await proofs.read(id)) !== null
      await eventually('all are told of', async () => (await Promise.all(ids.map(isTold))).every(Boolean))
      const { verifier, counts } = watched({ proofs, isRight: () => new Promise(() => {}) })
      const verdicts = await Promise.all(tokens.map((token) => verifier.verify(token)))
      expect(verdicts.filter(({ ok }) => ok)).toHaveLength(300)
      expect(counts.argon2).toBe(0)
    },
  )

  test('P60: is let in though somebody behind the same address has shown too many wrong secrets for it', async () => {
    const { proofs } = shared()
    const { token } = await issued()
    await watched({ proofs }).verifier.verify(token)
    const { verifier } = watched({ proofs })
    const sender = { ip: '198.51.100.7' }
    for (let tries = 0; tries < 20; tries++)
      expect(await verifier.verify(forgeKey(token), sender)).toMatchObject({ ok: false })
    expect(await verifier.verify(token, sender)).toMatchObject({ ok: true })
  })

  test('P60: and was revoked, replaced or taken out meanwhile is refused: its proof is worth nothing', async () => {
    const { proofs } = shared()
    const [revoked, replaced, gone] = [await issued(), await issued(), await issued()]
    const old = watched({ proofs })
    for (const { token } of [revoked, replaced, gone]) await old.verifier.verify(token)
    await revokeKey(storage.database, revoked.id, now)
    await storage.database.query('update api_nokkel set slutter_at = $2 where id = $1', [replaced.id, now])
    await storage.database.query('update api_nokkel set hash = null where id = $1', [gone.id])
    const { verifier } = watched({ proofs })
    expect(await whyNot(verifier.verify(revoked.token))).toBe('tilbakekalt')
    expect(await whyNot(verifier.verify(replaced.token))).toBe('tilbakekalt')
    expect(await whyNot(verifier.verify(gone.token))).toBe('ukjent')
    now = later(ISSUED, 2 * 366 * 24 * 60 * MINUTE)
    const late = watched({ proofs })
    expect(await whyNot(late.verifier.verify(revoked.token))).toBe('tilbakekalt')
  })

  test('P60: that has expired is refused as such', async () => {
    const { proofs } = shared()
    const { token, utloper } = await issued()
    await watched({ proofs }).verifier.verify(token)
    now = utloper
    expect(await whyNot(watched({ proofs }).verifier.verify(token))).toBe('utlopt')
  })

  test('P60: is of no use to whoever finds, changes or swaps what is shared', async () => {
    const { held, proofs } = shared()
    const [mine, theirs] = [await issued(), await issued()]
    const old = watched({ proofs })
    for (const { token } of [mine, theirs]) await old.verifier.verify(token)
    const [hash] = await storage.database.query<{ hash: string }>(
      'select hash from api_nokkel where id = $1',
      [theirs.id],
    )
    const found = JSON.stringify([...held])
    for (const secret of [theirs.token, theirs.token.slice(21, 64), hash?.hash ?? ''])
      expect(found).not.toContain(secret)
    const wrong = forgeKey(theirs.token)
    const guesses = [
      held.get(mine.id) ?? '',
      proofOf('', wrong),
      proofOf(theirs.id, wrong),
      createHash('sha256').update(wrong).digest('base64url'),
      wrong,
      '',
      'x'.repeat(100_000),
    ]
    for (const guess of guesses) {
      held.set(theirs.id, guess)
      const { verifier, counts } = watched({ proofs })
      expect(await whyNot(verifier.verify(wrong)), guess).toBe('ukjent')
      // What was written there keeps nobody out either.
      expect(await verifier.verify(theirs.token)).toMatchObject({ ok: true })
      expect(counts.argon2).toBe(2)
    }
  })

  test('is told by no answer: wrong secrets for it and for an id of nobody are refused alike', async () => {
    const { proofs } = shared()
    const { token } = await issued()
    await watched({ proofs }).verifier.verify(token)
    const { verifier } = watched({ proofs })
    const told = []
    for (const right of [token, mintKey('live').token]) {
      const whys = []
      for (let tries = 0; tries < 8; tries++)
        whys.push(await whyNot(verifier.verify(forgeKey(right), { ip: '198.51.100.8' })))
      told.push(whys)
    }
    expect(told[0]).toEqual(told[1])
  })
})

describe('P24: whoever knows an id', () => {
  const attacker = { ip: '198.51.100.7' }
  const owner = { ip: '203.0.113.9' }

  test('has five wrong secrets a minute looked at from one network, one by one, and is told when there are more', async () => {
    const { verifier, counts } = watched()
    const { token } = await issued()
    for (let tries = 0; tries < policy.keys.missesMax; tries++)
      expect(await verifier.verify(forgeKey(token), attacker)).toEqual({ ok: false, why: 'ukjent' })
    const spent = { ...counts }
    for (let tries = 0; tries < 100; tries++) {
      const refused = { ok: false, why: 'for_mange_forsok', retryAfterSeconds: 60 }
      expect(await verifier.verify(forgeKey(token), attacker)).toEqual(refused)
    }
    expect(counts.argon2).toBe(spent.argon2)
    expect(spent.argon2).toBe(policy.keys.missesMax)
    now = later(ISSUED, 59_001)
    expect(await verifier.verify(forgeKey(token), attacker)).toMatchObject({ retryAfterSeconds: 1 })
    now = later(ISSUED, policy.keys.missesForMs)
    expect(await verifier.verify(forgeKey(token), attacker)).toEqual({ ok: false, why: 'ukjent' })
  })

  test('does not have more of them looked at by sending them at once', async () => {
    const { verifier, counts } = watched()
    const { token } = await issued()
    for (let rounds = 0; rounds < 20; rounds++)
      await Promise.all(Array.from({ length: 50 }, () => verifier.verify(forgeKey(token), attacker)))
    expect(counts.argon2).toBe(policy.keys.missesMax)
  })

  test('does not shut out its owner, who has not been here yet, from a network of their own', async () => {
    const { verifier } = watched()
    const { token } = await issued()
    const attack = Array.from({ length: 200 }, () => verifier.verify(forgeKey(token), attacker))
    expect(await verifier.verify(token, owner)).toMatchObject({ ok: true })
    await Promise.all(attack)
    for (let tries = 0; tries < 100; tries++) await verifier.verify(forgeKey(token), attacker)
    expect(verifier.verify(token, owner)).toMatchObject({ ok: true })
  })

  test('P45: attack: does not shut out its owner, who has not been here yet, from many networks at once', async () => {
    const [token = ''] = await stored(1)
    const { verifier } = watched({ isRight: async (_, shown) => shown === token, wrongAnswerMs: 200 })
    const networks = Array.from({ length: 16 }, (_, index) => ({ ip: `198.51.100.${index}` }))
    const shows = (network: Shower) => whyNot(verifier.verify(forgeKey(token), network))
    // So many at a time are looked at.
    for (const some of [networks.slice(0, 8), networks.slice(8)])
      expect(new Set(await Promise.all(some.map(shows)))).toEqual(new Set(['ukjent']))
    let isTurnedAway = false
    const flood = networks.map((network) =>
      shows(network).then((why) => {
        isTurnedAway ||= why === 'overbelastet'
      }),
    )
    await eventually('the places of the id are taken', () => isTurnedAway)
    expect(await verifier.verify(token, owner)).toMatchObject({ ok: true })
    await Promise.all(flood)
  })

  test('P54: attack: who is refused for what many networks show with their id is not told apart as for their own', async () => {
    const gate = Promise.withResolvers<void>()
    const isRight = () => gate.promise.then(() => false)
    const { verifier } = watched({ isRight })
    const [token = ''] = await stored(1)
    const showing = Array.from({ length: 8 }, (_, n) =>
      verifier.verify(forgeKey(token), { ip: `198.51.100.${n}` }),
    )
    expect(await verifier.verify(token, owner)).toEqual({
      ok: false,
      why: 'overbelastet',
      retryAfterSeconds: 1,
    })
    expect(await verifier.verify(forgeKey(token), { ip: '198.51.100.1' })).toMatchObject({ isOwn: true })
    gate.resolve()
    await Promise.all(showing)
  })

  test('does not shut out its owner behind the same address, whose key is known here', async () => {
    const { verifier, counts } = watched()
    const { token, id } = await issued()
    await verifier.verify(token, attacker)
    for (let tries = 0; tries < 100; tries++)
      expect(await verifier.verify(forgeKey(token), attacker)).toMatchObject({ ok: false })
    expect(verifier.verify(token, attacker)).toMatchObject({ ok: true })
    verifier.forget(id)
    for (let tries = 0; tries < 100; tries++)
      expect(await verifier.verify(forgeKey(token), attacker)).toMatchObject({ ok: false })
    expect(await verifier.verify(token, attacker)).toMatchObject({ ok: true })
    expect(counts.argon2).toBe(1)
  })

  test('or many, does not fill the queue from one network in front of others', async () => {
    const gate = Promise.withResolvers<boolean>()
    const { verifier, answered } = watched({ isRight: () => gate.promise, argon2WaitMs: 100 * SECOND })
    const flood = (await stored(policy.keys.argon2QueueMax + 20)).map((token) =>
      verifier.verify(forgeKey(token), attacker),
    )
    const [token = ''] = await stored(1)
    const first = verifier.verify(token, owner)
    const underWay = [...flood, first].filter((verdict) => verdict instanceof Promise)
    await eventually('all of them are in line', () => answered() === underWay.length)
    gate.resolve(true)
    expect(await first).toMatchObject({ ok: true })
    await Promise.all(flood)
  })
})

describe('P24: whoever wants to know whether an id exists', () => {
  const sender = { ip: '198.51.100.8' }

  /** An id of nobody, one that was never used here, and one that is in use. */
  async function kinds(verifier: Verifier): Promise<(() => string)[]> {
    const unused = await issued()
    const used = await issued()
    await verifier.verify(used.token)
    const nobodys = mintKey('live').token
    return [nobodys, unused.token, used.token].map((token) => () => forgeKey(token))
  }

  test('is answered alike, one by one: five times that it is wrong, and then that it was tried too often', async () => {
    const { verifier } = watched()
    const told = []
    for (const wrong of await kinds(verifier)) {
      const whys = []
      for (let tries = 0; tries < 8; tries++) whys.push(await whyNot(verifier.verify(wrong(), sender)))
      told.push(whys.join(' '))
    }
    const expected = [...Array(5).fill('ukjent'), ...Array(3).fill('for_mange_forsok')].join(' ')
    expect(told).toEqual([expected, expected, expected])
  })

  test('is answered alike when they ask many times at once, and for as long as the first answers wait', async () => {
    const { verifier } = watched({ wrongAnswerMs: 400 })
    const told = []
    for (const wrong of await kinds(verifier)) {
      const flood = Array.from({ length: 6 }, () => whyNot(verifier.verify(wrong(), sender)))
      await new Promise((resolve) => AbortSignal.timeout(150).addEventListener('abort', resolve))
      told.push((await Promise.all([...flood, whyNot(verifier.verify(wrong(), sender))])).sort())
    }
    const expected = [...Array(5).fill('overbelastet'), 'ukjent', 'ukjent']
    expect(told).toEqual([expected, expected, expected])
  })

  test('P24: attack: is answered alike what else they ask while the last of their tries is looked into', async () => {
    const slow = async (hash: string, token: string) => {
      await new Promise((resolve) => AbortSignal.timeout(250).addEventListener('abort', resolve))
      return isKeyOfHash(hash, token)
    }
    const { verifier } = watched({ isRight: slow, wrongAnswerMs: 1000 })
    const told = await Promise.all(
      (await kinds(verifier)).map(async (wrong, kind) => {
        const network = { ip: `198.51.100.${kind}` }
        const ask = (text: string) => whyNot(verifier.verify(text, network))
        for (const _ of Array(2)) await Promise.all([ask(wrong()), ask(wrong())])
        const text = wrong()
        const last = ask(text)
        await new Promise((resolve) => AbortSignal.timeout(100).addEventListener('abort', resolve))
        const waits = verifier.verify(text, network) instanceof Promise
        return [await ask(wrong()), waits, await last]
      }),
    )
    const expected = ['overbelastet', true, 'ukjent']
    expect(told).toEqual([expected, expected, expected])
  })

  test('does not learn it from the time either', async () => {
    const slow = async () => {
      await new Promise((resolve) => AbortSignal.timeout(15).addEventListener('abort', resolve))
      return false
    }
    const { verifier } = watched({ isRight: slow, wrongAnswerMs: 100 })
    const [inUse = '', ...known] = await stored(11)
    const nobodys = Array.from({ length: 10 }, () => mintKey('live').token)
    const times: Record<'nobodys' | 'known', number[]> = { nobodys: [], known: [] }
    let network = 0
    async function ask(kind: 'nobodys' | 'known', token: string) {
      network += 1
      const begun = performance.now()
      await verifier.verify(forgeKey(token), { ip: `198.51.100.${network}` })
      times[kind].push(performance.now() - begun)
    }
    await ask('known', inUse)
    times.known.length = 0
    for (let round = 0; round < 6; round++)
      for (let turn = 0; turn < 10; turn++)
        await Promise.all([ask('known', known[turn] ?? ''), ask('nobodys', nobodys[turn] ?? '')])
    expect(told(times.nobodys, times.known).rightShare).toBeLessThan(0.8)
  })
})

describe('what is at hand', () => {
  test('is a valid key that was proved, and nothing is begun for another', async () => {
    const { verifier, counts } = watched()
    const { token, id, utloper } = await issued()
    expect(verifier.atHand(token)).toBeNull()
    expect(verifier.atHand('hemmelig')).toBeNull()
    expect(counts).toEqual({ lookups: 0, argon2: 0 })
    await verifier.verify(token)
    expect(verifier.atHand(token)).toEqual({ id, miljo: 'live', right: id, utloper })
    expect(verifier.atHand(forgeKey(token))).toBeNull()
    verifier.forget(id)
    expect(verifier.atHand(token)).toBeNull()
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
    now = utloper
    expect(verifier.atHand(token)).toBeNull()
  })
})

describe('a fault of ours', () => {
  test('P24: attack: a key whose stored hash can not be read is told to come back, not that it is unknown; it is reported by its id, and no oftener than wrong ones are looked at', async () => {
    const { verifier, faults } = watched()
    const { id, token } = mintKey('live')
    await insertKey(storage.database, { ...row(id), hash: '$argon2id$garbage' })
    expect(await verifier.verify(token)).toMatchObject({ ok: false, why: 'lager_utilgjengelig' })
    expect(String(faults[0])).toContain(id)
    expect(JSON.stringify(faults) + faults.join()).not.toContain(token)
    for (let tries = 0; tries < 50; tries++) await verifier.verify(token)
    expect(faults).toHaveLength(policy.keys.missesMax)
  })

  test('in a re-check it is reported, and the key goes on', async () => {
    const { verifier, faults, breakLookups } = watched()
    const { token } = await issued()
    await verifier.verify(token)
    const fault = new Error('relation does not exist')
    breakLookups(() => Promise.reject(fault))
    now = later(ISSUED, 2 * MINUTE)
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
    expect(faults).toEqual([fault])
  })

  test('at a first use it is thrown', async () => {
    const { verifier, breakLookups } = watched()
    const fault = new Error('relation does not exist')
    breakLookups(() => Promise.reject(fault))
    await expect(verifier.verify(mintKey('live').token)).rejects.toBe(fault)
  })
})

/** A verifier on the real database whose look-ups and argon2 runs are counted. */
function watched({
  database = storage.database,
  isRight = isKeyOfHash,
  proofs,
  argon2WaitMs = 10 * SECOND,
  wrongAnswerMs = 20,
  ...places
}: {
  database?: Database
  isRight?: (hash: string, token: string) => Promise<boolean>
  proofs?: SharedProofs
  argon2WaitMs?: number
  lookupsAtOnce?: number
  lookupsQueueMax?: number
  /** Shorter than the service has it: nobody measures most of these. */
  wrongAnswerMs?: number
} = {}) {
  const counts = { lookups: 0, argon2: 0 }
  let answered = 0
  const faults: unknown[] = []
  // As the service does: hundreds at once are one question, however few connections there are and however busy the machine is.
  let lookUp = askedTogether((ids) => findKeysById(database, ids), {
    atOnce: policy.keys.questionsAtOnce,
    namesMax: policy.keys.keysPerQuestion,
  })
  const verifier = createVerifier({
    miljo: 'live',
    findKeyById(id) {
      counts.lookups++
      return lookUp(id).finally(() => {
        answered += 1
      })
    },
    activate: (id) => activateKey(database, id, now),
    isRight(hash, token) {
      counts.argon2++
      return isRight(hash, token)
    },
    clock,
    ...(proofs && { proofs }),
    policy: { ...policy.keys, argon2WaitMs, wrongAnswerMs, ...places },
    onFault: (fault) => faults.push(fault),
  })
  return {
    verifier,
    counts,
    faults,
    /** Look-ups that have come to their end. */
    answered: () => answered,
    breakLookups(instead: (id: string) => Promise<StoredKey | null>) {
      lookUp = instead
    },
  }
}

async function whyNot(verdict: Verdict | Promise<Verdict>): Promise<string> {
  const settled = await verdict
  return settled.ok ? 'ok' : settled.why
}

function issued(): ReturnType<typeof issueKey> {
  return issueKey({ db: storage.database, clock }, { epost: 'ola@example.no', miljo: 'live' })
}

/** Keys that are in the database without the cost of a real hash, for verifiers that do not look at it. */
async function stored(count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { id, token } = mintKey('live')
      await insertKey(storage.database, row(id))
      return token
    }),
  )
}

function row(id: string) {
  const utloper = later(ISSUED, 100 * 24 * 60 * MINUTE)
  return { id, miljo: 'live' as const, epost: 'a@b.no', hash: '$argon2id$', utstedt: ISSUED, utloper }
}

function later(then: Date, ms: number): Date {
  return new Date(then.getTime() + ms)
}
