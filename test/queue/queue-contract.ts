import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { whoAsks } from '#src/core/asker.ts'
import type { BackendQueue, QueueBackend } from '#src/queue/backend.ts'
import { QUEUE_CHANNEL, type QueueEvent } from '#src/queue/events.ts'
import type { QueueFault } from '#src/queue/faults.ts'
import { type JobLane, lanes } from '#src/queue/jobs.ts'
import { createLinePlaces } from '#src/queue/line-places.ts'
import { type Depth, type JobQueue, openQueue, type Pace } from '#src/queue/open-queue.ts'
import { createPostgresBackend } from '#src/queue/postgres-backend.ts'
import { createRedisBackend } from '#src/queue/redis-backend.ts'
import type { Handlers } from '#src/queue/work.ts'
import { type CompanySource, companySources } from '#src/sources/index.ts'
import { SourceError } from '#src/sources/source.ts'
import { type BreakableConnection, createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { paceOf, quickPolicy } from '#test/support/quick-queue.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { everyLane } from '#test/support/register-paces.ts'
import { openTestPool } from '#test/support/test-pool.ts'

const HOUR_MS = 3_600_000

const policy = { ...quickPolicy, deadlineMs: 2000 }
const unhurried = paceOf(1000)

/** A server for a queue, which can go away and come back. */
type Server = {
  redisUrl: string | null
  databaseUrl: string
  away(): Promise<void>
  silent(): void
  back(how: 'away' | 'silent'): Promise<void>
  /** Takes out every job there is. */
  empty(): Promise<void>
}

const servers: Record<'Redis' | 'PostgreSQL', () => Promise<Server & { close(): Promise<void> }>> = {
  Redis: async () => {
    const redis: TestRedis = await startRedis()
    return {
      redisUrl: redis.url,
      databaseUrl: 'postgres://127.0.0.1:1/none',
      away: () => redis.stop(),
      silent: () => redis.pause(),
      back: async (how) => (how === 'away' ? redis.start() : redis.resume()),
      async empty() {
        const raw = new Redis(redis.url)
        await raw.flushall()
        raw.disconnect()
      },
      close: () => redis.close(),
    }
  },
  PostgreSQL: async () => {
    const storage: TestDatabase = await createTestDatabase({ isMigrated: false })
    const way: BreakableConnection = await createBreakableConnection(storage.url)
    return {
      redisUrl: null,
      databaseUrl: way.url,
      away: () => way.cut(),
      silent: () => way.silence(),
      back: () => way.restore(),
      async empty() {
        const tables = await storage.database.query<{ name: string }>(
          `select format('bullmq.%I', tablename) as name from pg_tables
           where schemaname = 'bullmq' and tablename <> 'migration'`,
        )
        if (tables.length > 0)
          await storage.database.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`)
      },
      close: async () => {
        await way.close()
        await storage.close()
      },
    }
  },
}

/** What holds of the queue wherever it is. In files of their own, which wait side by side. */
export const contractOf = (kind: keyof typeof servers) => () => {
  let server: Server & { close(): Promise<void> }
  let queue: JobQueue
  let faults: QueueFault[]
  let closing: { close(): Promise<void> }[]
  let events: QueueEvent[]
  let number = 100_000_000
  let company: string

  beforeAll(async () => {
    server = await servers[kind]()
  })
  afterAll(() => server.close())
  const listen = (event: unknown) => void events.push(event as QueueEvent)
  beforeEach(async () => {
    await server.empty()
    subscribe(QUEUE_CHANNEL, listen)
    events = []
    faults = []
    closing = []
    company = String(number++)
    queue = open()
  })
  afterEach(async () => {
    for (const thing of closing.reverse()) await thing.close()
    unsubscribe(QUEUE_CHANNEL, listen)
  })

  function open(more: { waitingMax?: number; policy?: typeof policy } = {}): JobQueue {
    const { redisUrl, databaseUrl } = server
    const opened = openQueue({
      redisUrl,
      databaseUrl,
      waitingMax: 1000,
      policy,
      onFault: (fault) => void faults.push(fault),
      ...more,
    })
    closing.push(opened)
    return opened
  }
  function work(handlers: Partial<Handlers>, pace: Pace = unhurried) {
    const missing = async () => {
      throw new Error('not expected here')
    }
    const working = queue.work(handlersOf(handlers, missing), pace)
    closing.push(working)
    return working
  }
  const refresh = (...seksjoner: CompanySource[]) =>
    queue.enqueue(
      'refresh-company',
      seksjoner.map((seksjon) => ({ organisasjonsnummer: company, seksjon })),
    )
  const backend = (): QueueBackend =>
    server.redisUrl === null
      ? createPostgresBackend({ databaseUrl: server.databaseUrl, deadlineMs: 2000 })
      : createRedisBackend({ url: server.redisUrl, deadlineMs: 2000 })

  test('every job reaches its handler, whatever lane it is in', async () => {
    expect(queue.kind).toBe(kind.toLowerCase())
    const done: string[] = []
    work({
      'refresh-company': async ({ organisasjonsnummer, seksjon }) =>
        void done.push(`${organisasjonsnummer} ${seksjon}`),
      'erase-company': async ({ organisasjonsnummer }) => void done.push(`${organisasjonsnummer} erased`),
    })
    expect(await refresh(...companySources)).toEqual({ queued: companySources.length, refused: 0 })
    await queue.enqueue('erase-company', [{ organisasjonsnummer: company }])
    await eventually('all jobs done', () => new Set(done).size === companySources.length + 1)
    expect(new Set(done)).toEqual(
      new Set([...companySources.map((seksjon) => `${company} ${seksjon}`), `${company} erased`]),
    )
    expect(faults).toEqual([])
  })

  test('P156: what a job asks PostgreSQL for is asked in its lane’s name, behind the keys of those who come', async () => {
    const names: string[] = []
    work({ 'erase-company': async () => void names.push(whoAsks()) })
    await queue.enqueue('erase-company', [{ organisasjonsnummer: company }])
    await eventually('it is done', () => names.length === 1)
    expect(names[0]).toMatch(/^arbeid ./)
  })

  test('two of a kind are one while they wait, and afterwards there is room for the next', async () => {
    await refresh('enhet', 'roller')
    await refresh('enhet')
    await refresh('enhet', 'roller')
    const done: string[] = []
    work({ 'refresh-company': async ({ seksjon }) => void done.push(seksjon) })
    await eventually('both jobs done', () => done.length === 2)
    await refresh('regnskap')
    await eventually('another lane is through', () => done.includes('regnskap'))
    expect(done.sort()).toEqual(['enhet', 'regnskap', 'roller'])
    await refresh('enhet')
    await eventually('the next of its kind', () => done.length === 4)
  })

  test('P17: what is asked for while it is being fetched is fetched once more afterwards', async () => {
    const first = Promise.withResolvers<void>()
    let begun = 0
    work({
      'refresh-company': async () => {
        begun += 1
        if (begun === 1) await first.promise
      },
    })
    await refresh('enhet')
    await eventually('the first is under way', () => begun === 1)
    await refresh('enhet')
    await refresh('enhet')
    first.resolve()
    await eventually('the second ran', () => events.filter((event) => event.kind === 'done').length === 2)
    expect(begun).toBe(2)
  })

  test('a job that fails is tried again, and one that goes on failing does not keep the next of its kind out', async () => {
    let attempts = 0
    let isBroken = true
    work({
      'erase-company': async () => {
        attempts += 1
        if (isBroken) throw new Error('Kari Nordmann is in this message')
      },
    })
    const erase = () => queue.enqueue('erase-company', [{ organisasjonsnummer: company }])
    await erase()
    await eventually('all attempts are used', () =>
      events.some((event) => event.kind === 'failed' && event.isLast),
    )
    expect(attempts).toBe(3)
    isBroken = false
    await eventually('the next of its kind runs', async () => {
      await erase()
      return attempts > 3
    })
    expect(events.filter((event) => event.kind === 'failed').map(({ code }) => code)).toEqual(
      Array(3).fill('ukjent_feil'),
    )
  })

  test('nothing is kept of a job that is over, however it ended', async () => {
    let ended = 0
    work({
      'erase-company': async () => {
        ended += 1
        if (ended > 1) throw new Error('not this time')
      },
    })
    const nothing = { active: 0, completed: 0, failed: 0, delayed: 0, waiting: 0 }
    await queue.enqueue('erase-company', [{ organisasjonsnummer: company }])
    await eventually('the good one is over', () => events.some((event) => event.kind === 'done'))
    await eventually('nothing of it is left', async () => isEqual(await jobsIn('utvisking'), nothing))
    await queue.enqueue('erase-company', [{ organisasjonsnummer: String(number++) }])
    await eventually('the bad one is over', () =>
      events.some((event) => event.kind === 'failed' && event.isLast),
    )
    await eventually('nothing of it is left', async () => isEqual(await jobsIn('utvisking'), nothing))
  })

  test('no more is kept than there is room for, and what is refused is counted', async () => {
    const small = open({ waitingMax: 3 })
    const payloads = Array.from({ length: 5 }, (_, index) => ({
      organisasjonsnummer: String(200_000_000 + index),
      seksjon: 'kunngjoringer' as const,
    }))
    expect(await small.enqueue('refresh-company', payloads)).toEqual({ queued: 3, refused: 2 })
    expect(events).toContainEqual({
      kind: 'refused',
      lane: 'kunngjoringer',
      job: 'refresh-company',
      count: 2,
    })
    const done: string[] = []
    work({ 'refresh-company': async () => void done.push('') })
    await eventually('the three are done', () => done.length === 3)
  })

  test('P17: attack: what a feed has told of is fetched before all that is merely old, however much of that is asked for', async () => {
    const small = open({ waitingMax: 20 })
    const old = Array.from({ length: 30 }, (_, index) => ({
      organisasjonsnummer: String(200_000_000 + index),
      seksjon: 'enhet' as const,
    }))
    const watched = { organisasjonsnummer: '300000000', seksjon: 'enhet' as const }
    const told = { organisasjonsnummer: old[19]?.organisasjonsnummer ?? '', seksjon: 'enhet' as const }
    expect(await small.enqueue('refresh-company', [{ ...watched, kanVente: true }])).toMatchObject({
      queued: 1,
    })
    expect(await small.enqueue('refresh-company', old)).toEqual({ queued: 19, refused: 11 })
    expect(await small.enqueue('refresh-company', [{ ...told, fortalt: true }])).toEqual({
      queued: 1,
      refused: 0,
    })
    const done: string[] = []
    work(
      { 'refresh-company': async ({ organisasjonsnummer }) => void done.push(organisasjonsnummer) },
      { ...unhurried, registers: everyLane({ atOnce: 1, callsPerSecond: 1000 }) },
    )
    await eventually('all are done', () => done.length === 21)
    expect([done[0], done.at(-1)]).toEqual([told.organisasjonsnummer, watched.organisasjonsnummer])
  })

  test('P61: attack: what one asks for a thousand times keeps neither another’s first waiting nor a look at what is watched', async () => {
    const placeOf = createLinePlaces({ perSecond: 20, linesMax: 10, placesMax: 1000 })
    const asked = (by: string, index: number, more: object = {}) => ({
      organisasjonsnummer: String(200_000_000 + index),
      seksjon: 'enhet' as const,
      plass: placeOf(by),
      ...more,
    })
    await queue.enqueue(
      'refresh-company',
      Array.from({ length: 300 }, (_, index) => asked('one', index)),
    )
    await queue.enqueue('refresh-company', [asked('looks', 300, { kanVente: true }), asked('another', 301)])
    const done: number[] = []
    work(
      {
        'refresh-company': async ({ organisasjonsnummer }) =>
          void done.push(Number(organisasjonsnummer) - 200_000_000),
      },
      { ...unhurried, registers: everyLane({ atOnce: 1, callsPerSecond: 1000 }) },
    )
    await eventually('all are done', () => done.length === 302)
    expect(done.indexOf(301)).toBeLessThan(3)
    expect(done.indexOf(300)).toBeLessThan(50)
  })

  test('P61: attack: what one asks for behind a thousand others is fetched for another as soon as if nobody had asked', async () => {
    const placeOf = createLinePlaces({ perSecond: 20, linesMax: 10, placesMax: 1000 })
    const asked = (by: string, index: number) => ({
      organisasjonsnummer: String(200_000_000 + index),
      seksjon: 'enhet' as const,
      plass: placeOf(by),
    })
    await queue.enqueue(
      'refresh-company',
      Array.from({ length: 300 }, (_, index) => asked('one', index)),
    )
    await queue.enqueue('refresh-company', [asked('another', 299)])
    const done: number[] = []
    work(
      {
        'refresh-company': async ({ organisasjonsnummer }) =>
          void done.push(Number(organisasjonsnummer) - 200_000_000),
      },
      { ...unhurried, registers: everyLane({ atOnce: 1, callsPerSecond: 1000 }) },
    )
    await eventually('all are done', () => new Set(done).size === 300)
    expect(done.indexOf(299)).toBeLessThan(3)
  })

  test('P61: attack: who asks for more than a lane has room for leaves room for another’s first, and for looks', async () => {
    const small = open({ waitingMax: 60 })
    const placeOf = createLinePlaces({ perSecond: 20, linesMax: 10, placesMax: 1000 })
    const ask = (by: string, index: number, more: object = {}) =>
      small.enqueue('refresh-company', [
        { organisasjonsnummer: String(200_000_000 + index), seksjon: 'enhet', plass: placeOf(by), ...more },
      ])
    for (let index = 0; index < 100; index++) await ask('one', index)
    expect(await ask('one', 100)).toEqual({ queued: 0, refused: 1 })
    expect(await ask('another', 101)).toEqual({ queued: 1, refused: 0 })
    expect(await ask('looks', 102, { kanVente: true })).toEqual({ queued: 1, refused: 0 })
  })

  test('P11: the refreshes of a company that wait can be taken out', async () => {
    await refresh('enhet', 'prokura')
    await queue.enqueue('refresh-company', [
      { organisasjonsnummer: company, seksjon: 'enhet', fortalt: true },
      { organisasjonsnummer: company, seksjon: 'enhet', kanVente: true },
      { organisasjonsnummer: company, seksjon: 'enhet', plass: 1000 },
    ])
    const other = company
    company = String(number++)
    await refresh('enhet')
    await queue.forget(other)
    await queue.forget(other)
    const done: string[] = []
    work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.push(organisasjonsnummer) })
    await refresh('prokura')
    await eventually('the other company is done', () => done.length === 2)
    expect(done).toEqual([company, company])
    company = other
    await refresh('enhet')
    await eventually('it can be asked for again', () => done.includes(other))
  })

  test('a job that is not understood is refused at the door and goes', async () => {
    const raw = backend()
    await raw.prove()
    const bare = raw.openQueue('enhetsregisteret')
    closing.push(raw, bare)
    bare.on('error', () => {})
    await bare.addBulk([
      { name: 'refresh-company', data: { organisasjonsnummer: '../1', seksjon: 'enhet' } },
      { name: 'no-such-job', data: { organisasjonsnummer: company } },
    ])
    const done: string[] = []
    work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.push(organisasjonsnummer) })
    await refresh('enhet')
    await eventually('the good one is done', () => done.length === 1)
    expect(done).toEqual([company])
    await eventually('nothing waits', async () => (await bare.count()) === 0)
  })

  test('a register is not asked more often than its budget, by all workers together', async () => {
    const pace = structuredClone(unhurried)
    pace.registers.fullmakt.callsPerSecond = 3
    const begunAt: number[] = []
    const handlers = { 'refresh-company': async () => void begunAt.push(Date.now()) }
    await queue.enqueue(
      'refresh-company',
      Array.from({ length: 7 }, (_, index) => ({
        organisasjonsnummer: String(300_000_000 + index),
        seksjon: 'signatur' as const,
      })),
    )
    const openedAt = Date.now()
    work(handlers, pace)
    work(handlers, pace)
    await eventually('all are done', () => begunAt.length >= 7)
    // One by one, a third of a second apart, of which there are six between seven. A busy machine tells late of the first.
    expect(Math.max(...begunAt) - openedAt).toBeGreaterThan(1900)
  })

  test('P195: attack: a clock that was an hour ahead, a worker’s or the server’s, holds up no lane when it is right again', async () => {
    const pace = structuredClone(unhurried)
    pace.registers.enhetsregisteret.callsPerSecond = 5
    const begun: string[] = []
    let isBroken = true
    const handlers: Partial<Handlers> = {
      'refresh-company': async ({ organisasjonsnummer }) => {
        begun.push(organisasjonsnummer)
        if (isBroken) throw new Error('not yet')
      },
    }
    await refresh('enhet')
    const clock = Date.now.bind(Date)
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => clock() + HOUR_MS)
    const worker = work(handlers, pace)
    try {
      while (!events.some((event) => event.kind === 'failed')) await new Promise(setImmediate)
      await worker.close()
    } finally {
      ahead.mockRestore()
    }
    isBroken = false
    const putOff = company
    company = String(number++)
    const died = company
    await refresh('enhet')
    await leaveAhead()
    company = String(number++)
    await refresh('enhet')
    work(handlers, pace)
    await eventually('all are done', () =>
      [putOff, died, company].every((each) => begun.slice(1).includes(each)),
    )
  })

  /** What no clock of this process can be made to leave: a window of Redis' own, and a job of a worker that died. */
  async function leaveAhead(): Promise<void> {
    if (server.redisUrl !== null) {
      const raw = new Redis(server.redisUrl)
      await raw.set('ko:bedriftsoppslag-enhetsregisteret:limiter', 1, 'PX', HOUR_MS)
      raw.disconnect()
      return
    }
    const raw = openTestPool(server.databaseUrl, 1)
    await raw.query(
      `update bullmq.job set state = 'active', lock_token = 'gone', locked_until_ms = $1 where state = 'waiting'`,
      [Date.now() + HOUR_MS],
    )
    await raw.close()
  }

  test('a register may be asked less often than once a second, also by workers that were at work before', async () => {
    const begunAt: number[] = []
    const seven = Array.from({ length: 7 }, (_, index) => ({
      organisasjonsnummer: String(310_000_000 + index),
      seksjon: 'signatur' as const,
    }))
    const handlers = { 'refresh-company': async () => void begunAt.push(Date.now()) }
    work(handlers)
    await queue.enqueue('refresh-company', seven.slice(0, 1))
    await eventually('they are at work', () => begunAt.length === 1)
    await queue.setPace('fullmakt', 0.5)
    work(handlers)
    begunAt.length = 0
    await queue.enqueue('refresh-company', seven.slice(1, 3))
    await eventually('both are done', () => begunAt.length === 2)
    // The window of two seconds is the server's, and the first may be heard of late on a slow machine.
    expect((begunAt.at(-1) ?? 0) - (begunAt[0] ?? 0)).toBeGreaterThan(1500)
  })

  test('P37: opened while the server is away, it fails at once, and works when the server is back', async () => {
    await server.away()
    const done = new Set<string>()
    work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.add(organisasjonsnummer) })
    await expect(refresh('enhet')).rejects.toMatchObject({ code: 'ko_utilgjengelig' })
    await expect(queue.check()).rejects.toMatchObject({ code: 'ko_utilgjengelig' })
    await server.back('away')
    await eventually('a job can be added and is done', async () => {
      await refresh('enhet').catch(() => {})
      return done.has(company)
    })
    await queue.check()
  })

  test.each(['away', 'silent'] as const)(
    'P37: a server that is %s for a while stops nothing for good',
    async (how) => {
      const done = new Set<string>()
      work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.add(organisasjonsnummer) })
      await refresh('enhet')
      await eventually('it works', () => done.has(company))
      await server[how]()
      await expect(refresh('enhet')).rejects.toMatchObject({ code: 'ko_utilgjengelig' })
      await server.back(how)
      company = String(number++)
      await eventually('a job can be added and is done', async () => {
        await refresh('enhet').catch(() => {})
        return done.has(company)
      })
    },
  )

  test('P55: a server that goes and comes back is two lines to the operator, with how many errors there were', async () => {
    const done = new Set<string>()
    work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.add(organisasjonsnummer) })
    // For each lane a worker, and somebody who adds.
    const all = () => refresh('enhet', 'prokura', 'regnskap', 'kunngjoringer').catch(() => {})
    await all()
    await eventually('it works', () => done.has(company))
    expect(faults).toEqual([])
    await server.away()
    await eventually('it is told', () => faults.length > 0)
    await all()
    await server.back('away')
    await eventually('it is told to work again', () => faults.at(-1)?.kind === 'well')
    // A job that was being worked on when everything went may be missed once more, in two lines of its own.
    expect(faults.slice(0, 2)).toEqual([
      expect.objectContaining({ kind: 'failing' }),
      expect.objectContaining({ kind: 'well', errors: expect.any(Number) }),
    ])
    expect(faults.length).toBeLessThanOrEqual(4)
    company = String(number++)
    await eventually('a job can be added and is done', async () => {
      await all()
      return done.has(company)
    })
  })

  test('P55: a refresh that fails for good is kept to be looked at and tried again, and counted; of an erasure nothing is', async () => {
    const fail = async () => {
      throw new SourceError('regnskap', 'sperret', 'left alone')
    }
    work({ 'refresh-company': fail, 'erase-company': fail })
    await refresh('regnskap')
    await queue.enqueue('erase-company', [{ organisasjonsnummer: company }])
    await eventually(
      'all attempts are used',
      () => events.filter((event) => event.kind === 'failed' && event.isLast).length === 2,
    )
    await eventually('it is kept', async () => (await depth('regnskap')).failed === 1)
    expect(await depth('utvisking')).toMatchObject({ failed: 0, waiting: 0, active: 0, delayed: 0 })
    // Which lane comes to its last attempt first is nobody's promise.
    const told = faults.filter(({ kind }) => kind === 'job')
    expect(told).toHaveLength(2)
    expect(told).toContainEqual(
      expect.objectContaining({
        job: 'refresh-company',
        error: expect.objectContaining({ code: 'kilde_sperret' }),
      }),
    )
    expect(told).toContainEqual(expect.objectContaining({ job: 'erase-company' }))
    const kept = (await shownQueue('regnskap')) as unknown as {
      getFailed(from: number, to: number): Promise<{ failedReason?: string }[]>
    }
    const [shown] = await kept.getFailed(0, 9)
    expect(shown?.failedReason).toBe('kilde_sperret')
    // It keeps nobody out, and a company that is removed leaves the board, too.
    expect(await refresh('regnskap')).toMatchObject({ queued: 1 })
    await queue.forget(String(number++))
    expect((await depth('regnskap')).failed).toBe(1)
    await queue.forget(company)
    expect((await depth('regnskap')).failed).toBe(0)
  }, 30_000)

  test('P55: a lane that is paused is shown as paused, with what waits in it', async () => {
    const bare = (await shownQueue('fullmakt')) as unknown as {
      pause(): Promise<void>
      resume(): Promise<void>
    }
    await bare.pause()
    await refresh('prokura')
    expect(await depth('fullmakt')).toMatchObject({ isPaused: true, waiting: 1 })
    expect(await depth('regnskap')).toMatchObject({ isPaused: false })
    await bare.resume()
    expect(await depth('fullmakt')).toMatchObject({ isPaused: false, waiting: 1 })
  })

  const shownQueue = async (lane: JobLane) => (await queue.board())[lanes.indexOf(lane)] as BackendQueue
  async function depth(lane: JobLane): Promise<Depth> {
    const found = (await queue.depths()).find((each) => each.lane === lane)
    if (found === undefined) throw new Error(`no lane ${lane}`)
    return found
  }

  test('P37: a job whose worker died is done again by another', async () => {
    const raw = backend()
    await raw.prove()
    let begun = 0
    const dying = raw.openWorker('regnskap', {
      atOnce: 1,
      limiter: null,
      lockMs: 500,
      process: () => {
        begun += 1
        return new Promise(() => {})
      },
    })
    dying.on('error', () => {})
    await refresh('regnskap')
    await eventually('it has begun', () => begun === 1)
    void dying.close()
    await dying.getBackend().close(true)
    await raw.close()
    const done: string[] = []
    queue = open({ policy: { ...policy, lockMs: 500 } })
    work({ 'refresh-company': async ({ organisasjonsnummer }) => void done.push(organisasjonsnummer) })
    await eventually('it is done', () => done.length > 0)
    expect(done).toEqual([company])
  })

  test('P36: closing lets what is in progress finish, and leaves nothing in progress', async () => {
    const end = Promise.withResolvers<void>()
    let state = 'waiting'
    const working = work({
      'refresh-company': async () => {
        state = 'begun'
        await end.promise
        state = 'finished'
      },
    })
    await refresh('regnskap')
    await eventually('it has begun', () => state === 'begun')
    const closed = working.close()
    end.resolve()
    await closed
    expect(state).toBe('finished')
    expect((await jobsIn('regnskap')).active).toBe(0)
  })

  test('P36: what does not finish is told to stop, and is done again later', async () => {
    let isStopped = false
    const working = work({
      'refresh-company': (_payload, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            isStopped = true
            reject(new Error('stopped'))
          }),
        ),
    })
    await refresh('regnskap')
    await eventually('it has begun', async () => (await jobsIn('regnskap')).active === 1)
    await working.close()
    expect(isStopped).toBe(true)
    expect((await jobsIn('regnskap')).active).toBe(0)
    const done: string[] = []
    work({ 'refresh-company': async () => void done.push('') })
    await eventually('it is done again', () => done.length === 1)
  })

  async function jobsIn(lane: JobLane): Promise<Record<string, number>> {
    const raw = backend()
    await raw.prove()
    const bare = raw.openQueue(lane) as unknown as Counting
    try {
      return await bare.getJobCounts('active', 'completed', 'failed', 'delayed', 'waiting')
    } finally {
      await bare.close()
      await raw.close()
    }
  }
}

function isEqual(found: Record<string, number>, expected: Record<string, number>): boolean {
  return Object.entries(expected).every(([state, count]) => found[state] === count)
}

type Counting = { getJobCounts(...states: string[]): Promise<Record<string, number>>; close(): Promise<void> }
