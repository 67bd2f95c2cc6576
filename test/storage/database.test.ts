import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askedBy } from '#src/core/asker.ts'
import {
  createDatabase,
  type Database,
  NoStorageTurnError,
  type Queryable,
  StorageUnavailableError,
} from '#src/storage/database.ts'
import { type BreakableConnection, createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { asked, PROOF_AFTER_PROOF, startCuriousServer } from '#test/support/embedded/curious-server.ts'
import { startStayingServer } from '#test/support/embedded/staying-server.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase
let connection: BreakableConnection
let database: Database
let lost: Error[]

beforeAll(async () => {
  storage = await createTestDatabase({ isMigrated: false })
  await storage.database.query('create table ting (navn text primary key)')
  connection = await createBreakableConnection(storage.url)
})
afterAll(async () => {
  await connection.close()
  await storage.close()
})
beforeEach(() => {
  lost = []
  database = open({})
})
afterEach(async () => {
  await connection.restore()
  await database.close()
})

test.each([...asked, PROOF_AFTER_PROOF])(
  'P172: attack: whoever stands where PostgreSQL stood, and asks %s, is told nothing',
  async (what) => {
    const stranger = await startCuriousServer(what)
    const there = createDatabase({
      url: `postgres://oppslag:hemmelig@127.0.0.1:${stranger.port}/oppslag`,
      poolMax: 1,
      applicationName: 'test',
      connectTimeoutMs: 5000,
      statementTimeoutMs: 5000,
    })
    try {
      await expect(there.query('select 1')).rejects.toThrow(StorageUnavailableError)
      expect(stranger.heard()).not.toMatch(/hemmelig|md5[0-9a-f]{32}|select|,p=/)
    } finally {
      await there.close()
      await stranger.close()
    }
  },
)

test.each([
  ['wants what nobody can', '', [82, 0, 0, 0, 13, 0, 0, 0, 10, 65, 65, 65, 0, 0]],
  ['sends a row that nobody asked for', '', [68, 0, 0, 0, 6, 0, 0]],
  ['refuses', '', [69, 0, 0, 0, 9, 77, 120, 0, 0, 0]],
  ['does without TLS', '?sslmode=verify-full', [78]],
  ['answers in no word of PostgreSQL', '?sslmode=verify-full', [72, 84, 84, 80]],
])(
  'P172: attack: whoever stands where PostgreSQL stood, %s and keeps the connection, has none of it',
  async (_, options, said) => {
    const stranger = await startStayingServer(Buffer.from(said))
    const there = createDatabase({
      url: `postgres://oppslag:hemmelig@127.0.0.1:${stranger.port}/oppslag${options}`,
      poolMax: 1,
      applicationName: 'test',
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 5000,
    })
    try {
      await expect(there.query('select 1')).rejects.toThrow(StorageUnavailableError)
      await eventually('it is left', () => stranger.here() === 0)
    } finally {
      await there.close()
      await stranger.close()
    }
  },
)

describe('P61: connections are given in turns', () => {
  test('whoever asks for hundreds of things leaves some to others, and the process itself comes first', async () => {
    const shared = open({ poolMax: 3, forOneMax: 2, connectTimeoutMs: 60_000 })
    try {
      const order: string[] = []
      const ask = (of: string, text: string) =>
        askedBy(of, () => shared.query(text)).then(
          () => void order.push(of),
          (error) => void order.push(`${of} ${error.code}`),
        )
      const crowd = Array.from({ length: 700 }, () => ask('mange', 'select pg_sleep(0.02)'))
      // One that is there is free for another at once, however many wait.
      await ask('en', 'select 1')
      expect(order.filter((each) => each === 'mange').length).toBeLessThan(100)
      await Promise.all([ask('en', 'select 1'), ask('', 'select 1')])
      // Who has most in the line is told that there is no room.
      await Promise.all(crowd)
      const refused = order.filter((each) => each === 'mange lager_utilgjengelig').length
      expect(refused).toBeGreaterThanOrEqual(198)
      expect(refused).toBeLessThanOrEqual(200)
      expect(order.filter((each) => !each.startsWith('mange'))).toHaveLength(3)
    } finally {
      await shared.close()
    }
  })

  test('P149: whatever keys have asked that takes its time, what the process asks for itself waits for none of it', async () => {
    const shared = open({ poolMax: 6, forOneMax: 3, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
    try {
      let crowd: Promise<unknown>[] = []
      await storage.database.transaction(async (holder) => {
        await holder.query('select pg_advisory_xact_lock(149)')
        const wait = () => shared.query('select pg_advisory_xact_lock_shared(149)')
        crowd = ['en', 'to', 'tre'].flatMap((of) => Array.from({ length: 4 }, () => askedBy(of, wait)))
        await eventually('they wait', () => isRunning('select pg_advisory_xact_lock_shared(149)'))
        expect(await askedBy('', () => shared.query('select 1 as en'))).toEqual([{ en: 1 }])
      })
      await Promise.all(crowd)
    } finally {
      await shared.close()
    }
  })

  test('P61: attack: however many wait for one lock, others find a connection', async () => {
    const shared = open({ poolMax: 4, forOneMax: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
    try {
      let crowd: Promise<unknown>[] = []
      await storage.database.transaction(async (holder) => {
        await holder.query('select pg_advisory_xact_lock(61)')
        const lock = (connection: Queryable) => connection.query('select pg_advisory_xact_lock(61)')
        crowd = ['en', 'to', 'tre'].flatMap((of) =>
          Array.from({ length: 4 }, () => askedBy(of, () => shared.transaction(lock, { alone: '61' }))),
        )
        await eventually('they wait', () => isRunning('select pg_advisory_xact_lock(61)'))
        expect(await askedBy('fire', () => shared.query('select 1 as en'))).toEqual([{ en: 1 }])
      })
      await Promise.all(crowd)
    } finally {
      await shared.close()
    }
  })

  test('P61: attack: whoever has the turn at a lock that all wait for has the next connection, however many networks ask', async () => {
    const shared = open({ poolMax: 3, forOneMax: 2, connectTimeoutMs: 60_000 })
    try {
      let done = 0
      const crowd = Array.from({ length: 100 }, (_, network) =>
        askedBy(`198.51.100.${network}`, () => shared.query('select pg_sleep(0.01)')).then(() => {
          done += 1
        }),
      )
      await askedBy('en', () => shared.transaction((lock) => lock.query('select 1'), { alone: '61' }))
      expect(done).toBeLessThan(50)
      await Promise.all(crowd)
    } finally {
      await shared.close()
    }
  })

  test('P61: attack: whoever has to wait longer for a lock than for a connection is not refused for it', async () => {
    const shared = open({ poolMax: 3, connectTimeoutMs: 500, statementTimeoutMs: 60_000 })
    try {
      const long = shared.transaction((lock) => lock.query('select pg_sleep(1)'), { alone: '61' })
      const next = shared.transaction((lock) => lock.query('select 1 as en'), { alone: '61' })
      expect(await next).toEqual([{ en: 1 }])
      await long
    } finally {
      await shared.close()
    }
  })

  test('and who waits too long is told that PostgreSQL can not be used now', async () => {
    const shared = open({ poolMax: 2, forOneMax: 1, connectTimeoutMs: 500 })
    try {
      const long = askedBy('en', () => shared.query('select pg_sleep(2)'))
      await expect(askedBy('en', () => shared.query('select 1'))).rejects.toBeInstanceOf(NoStorageTurnError)
      expect(await askedBy('to', () => shared.query('select 1 as en'))).toEqual([{ en: 1 }])
      await long
    } finally {
      await shared.close()
    }
  })

  test('P54: attack: who is refused for what they ask besides is told apart from who waits since nobody is answered', async () => {
    const shared = open({ poolMax: 2, forOneMax: 1, connectTimeoutMs: 500 })
    const ask = (of: string, text: string) => askedBy(of, () => shared.query(text))
    try {
      const long = [ask('en', 'select pg_sleep(2)'), ask('to', 'select pg_sleep(2)')]
      const refused = [ask('en', 'select 1'), ask('tre', 'select 1')]
      await expect(refused[0]).rejects.toMatchObject({ isOwn: true })
      await expect(refused[1]).rejects.toMatchObject({ isOwn: false, wereOthersAnswered: false })
      await Promise.all(long)
    } finally {
      await shared.close()
    }
  })

  test('P61: attack: whose turn does not come while others are answered is told so', async () => {
    const shared = open({ poolMax: 2, forOneMax: 1, connectTimeoutMs: 500 })
    const ask = (of: string, text: string) => askedBy(of, () => shared.query(text))
    try {
      const long = ask('en', 'select pg_sleep(2)')
      const refused = ask('en', 'select 1')
      await ask('to', 'select 1')
      await expect(refused).rejects.toMatchObject({ wereOthersAnswered: true })
      await long
    } finally {
      await shared.close()
    }
  })
})

test('P105: attack: times are read, and transactions see what is committed, whatever a database was told of itself', async () => {
  const name = new URL(storage.url).pathname.slice(1)
  const tell = (what: string) => storage.database.query(`alter database ${name} ${what}`)
  await tell(`set datestyle = 'German, DMY'`)
  await tell(`set default_transaction_isolation = 'serializable'`)
  try {
    const [row] = await database.query(
      `select timestamptz '2027-02-28T12:00:00Z' as at, current_setting('transaction_isolation') as how`,
    )
    expect(row).toEqual({ at: new Date('2027-02-28T12:00:00Z'), how: 'read committed' })
  } finally {
    await tell('reset all')
  }
})

describe('PostgreSQL being away is told from a fault of ours', () => {
  test('a query it refuses is pg’s own error, and the connection stays good', async () => {
    await expect(database.query('select * from finnes_ikke')).rejects.toMatchObject({ code: '42P01' })
    await expect(database.query('select * from finnes_ikke')).rejects.not.toBeInstanceOf(
      StorageUnavailableError,
    )
    expect(await database.query('select 1 as en')).toEqual([{ en: 1 }])
    expect(database.pool.totalCount).toBe(1)
  })

  test('P182: attack: a text with a NUL, alone or in a list, is not found, and is no fault', async () => {
    const [row] = await database.query('select $1::text as en, $2::text[] as flere', [
      'a\0b',
      ['c', '\0', '\ud800'],
    ])
    expect(row).toEqual({ en: 'a\ufffdb', flere: ['c', '\ufffd', '\ufffd'] })
  })

  test('nobody there: unavailable, with the reason', async () => {
    await connection.cut()
    await expect(database.query('select 1')).rejects.toMatchObject({
      code: 'lager_utilgjengelig',
      reason: 'ECONNREFUSED',
    })
  })

  test('cut off in the middle of a query: unavailable, and the next query gets a new connection', async () => {
    const query = database.query('select pg_sleep(60)')
    await eventually('the query runs', () => isRunning('select pg_sleep(60)'))
    const refusal = expect(query).rejects.toBeInstanceOf(StorageUnavailableError)
    await connection.cut()
    await refusal
    await connection.restore()
    expect(await database.query('select 1 as en')).toEqual([{ en: 1 }])
  })

  test('ended by an operator: unavailable', async () => {
    const query = database.query('select pg_sleep(61)')
    await eventually('the query runs', () => isRunning('select pg_sleep(61)'))
    const refusal = expect(query).rejects.toBeInstanceOf(StorageUnavailableError)
    await storage.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(61)'`,
    )
    await refusal
    expect(await database.query('select 1 as en')).toEqual([{ en: 1 }])
  })

  test('a statement that takes too long: unavailable, and it does not run on', async () => {
    const hasty = open({ statementTimeoutMs: 500 })
    await expect(hasty.query('select pg_sleep(62)')).rejects.toMatchObject({
      code: 'lager_utilgjengelig',
      reason: '57014',
    })
    await eventually('it has ended', async () => !(await isRunning('select pg_sleep(62)')))
    await hasty.close()
  })

  test('a lock that is not given in time, and the side of a deadlock that gives way: unavailable', async () => {
    await storage.database.query(`insert into ting values ('en'), ('to')`)
    const hold = (within: Queryable, navn: string) =>
      within.query('select from ting where navn = $1 for update', [navn])
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    await database.transaction(async (holder) => {
      await hold(holder, 'en')
      const waiting = database.transaction(async (within) => {
        await within.query(`set local lock_timeout = '20ms'`)
        await hold(within, 'en')
      })
      await expect(waiting).rejects.toMatchObject({ code: 'lager_utilgjengelig', reason: '55P03' })
    })
    const crossed = [
      database.transaction(async (within) => {
        await within.query(`set local deadlock_timeout = '20ms'`)
        await hold(within, 'en')
        first.resolve()
        await second.promise
        await hold(within, 'to')
      }),
      database.transaction(async (within) => {
        await within.query(`set local deadlock_timeout = '20ms'`)
        await hold(within, 'to')
        second.resolve()
        await first.promise
        await hold(within, 'en')
      }),
    ]
    const ends = await Promise.allSettled(crossed)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(ends.find((end) => end.status === 'rejected')?.reason).toMatchObject({
      code: 'lager_utilgjengelig',
      reason: '40P01',
    })
    await storage.database.query('delete from ting')
  })

  test('silence, on an open connection or a new one: unavailable in bounded time', async () => {
    const hasty = open({ statementTimeoutMs: 500, connectTimeoutMs: 1000 })
    await hasty.query('select 1')
    connection.silence()
    await expect(hasty.query('select 1')).rejects.toBeInstanceOf(StorageUnavailableError)
    await expect(hasty.query('select 1')).rejects.toBeInstanceOf(StorageUnavailableError)
    await connection.restore()
    expect(await hasty.query('select 1 as en')).toEqual([{ en: 1 }])
    await hasty.close()
  })

  test('every connection taken: unavailable after the wait for one', async () => {
    const hasty = open({ connectTimeoutMs: 1000, poolMax: 1 })
    const gate = Promise.withResolvers<void>()
    const holder = hasty.transaction(() => gate.promise)
    await expect(hasty.query('select 1')).rejects.toBeInstanceOf(StorageUnavailableError)
    gate.resolve()
    await holder
    await hasty.close()
  })

  test('a queue that has grown past its bound turns the next away at once', async () => {
    const narrow = open({ poolMax: 1, connectTimeoutMs: 60_000 })
    const gate = Promise.withResolvers<void>()
    const holder = narrow.transaction(() => gate.promise)
    await eventually(
      'the only connection is taken',
      () => narrow.pool.totalCount === 1 && narrow.pool.idleCount === 0,
    )
    const waiting = Array.from({ length: 500 }, () => narrow.query('select 1'))
    await expect(narrow.query('select 1')).rejects.toBeInstanceOf(StorageUnavailableError)
    gate.resolve()
    await Promise.all([holder, ...waiting])
    await narrow.close()
  })

  test('an idle connection that breaks is reported and replaced; the process lives', async () => {
    await database.query('select 1')
    await connection.cut()
    await eventually('the loss is reported', () => lost.length === 1)
    await connection.restore()
    expect(await database.query('select 1 as en')).toEqual([{ en: 1 }])
  })
})

describe('a transaction', () => {
  test('is kept whole', async () => {
    await database.transaction(async (within) => {
      await within.query(`insert into ting values ('a')`)
      await within.query(`insert into ting values ('b')`)
    })
    expect(await names()).toEqual(['a', 'b'])
    await storage.database.query('delete from ting')
  })

  test('leaves nothing when its work fails, and its connection is used again', async () => {
    const fault = new Error('ombestemte meg')
    const work = database.transaction(async (within) => {
      await within.query(`insert into ting values ('c')`)
      throw fault
    })
    await expect(work).rejects.toBe(fault)
    expect(await names()).toEqual([])
    expect(await database.query('select navn from ting')).toEqual([])
    expect(database.pool.idleCount).toBe(1)
  })

  test('leaves nothing when a statement is refused', async () => {
    const work = database.transaction(async (within) => {
      await within.query(`insert into ting values ('d')`)
      await within.query(`insert into ting values ('d')`)
    })
    await expect(work).rejects.toBeInstanceOf(pg.DatabaseError)
    expect(await names()).toEqual([])
  })

  test('leaves nothing when the connection is cut', async () => {
    const work = database.transaction(async (within) => {
      await within.query(`insert into ting values ('e')`)
      await connection.cut()
      await within.query(`insert into ting values ('f')`)
    })
    await expect(work).rejects.toBeInstanceOf(StorageUnavailableError)
    expect(await names()).toEqual([])
  })
})

describe('whether PostgreSQL can be reached', () => {
  test('is told truly: there, gone, silent, there again', async () => {
    expect(await database.isReachable(5000)).toBe(true)
    await connection.cut()
    expect(await database.isReachable(5000)).toBe(false)
    await connection.restore()
    await eventually('there again', () => database.isReachable(5000))
    connection.silence()
    expect(await database.isReachable(20)).toBe(false)
    await connection.restore()
    await eventually('there again', () => database.isReachable(5000))
  })
})

function open({
  statementTimeoutMs = 5000,
  connectTimeoutMs = 5000,
  poolMax = 3,
  forOneMax,
}: {
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  poolMax?: number
  forOneMax?: number
}): Database {
  return createDatabase({
    url: connection.url,
    poolMax,
    forOneMax,
    applicationName: 'test',
    connectTimeoutMs,
    statementTimeoutMs,
    onConnectionLost: (error) => lost.push(error),
  })
}

async function isRunning(query: string): Promise<boolean> {
  const rows = await storage.database.query('select from pg_stat_activity where query = $1 and state = $2', [
    query,
    'active',
  ])
  return rows.length > 0
}

async function names(): Promise<string[]> {
  const rows = await storage.database.query<{ navn: string }>('select navn from ting order by navn')
  return rows.map(({ navn }) => navn)
}
