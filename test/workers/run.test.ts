import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { openQueue } from '#src/queue/open-queue.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'
import { findErasure } from '#src/storage/tombstones.ts'
import { clientFor } from '#test/sources/asking.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { everyLane } from '#test/support/register-paces.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'
import type { SearchIndexWork } from '#workers/keep-search-index.ts'
import { startWorkers, type Upkeep } from '#workers/run.ts'
import { companies, emptyRegister, noNotes } from './following.ts'

const [A, B] = companies(2)

let redis: TestRedis
let storage: TestDatabase
let register: RegisterStandIn
let closing: (() => Promise<void>)[]

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())
beforeEach(async () => {
  closing = []
  storage = await createTestDatabase()
  register = await emptyRegister()
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await register.close()
  await storage.close()
})

const noCodes = (): StoredIndustryCodes => ({
  loadedAt: new Date(),
  correspondences: [],
  sn2025Codes: [],
  sn2007Codes: [],
})

const nothingWatched: Upkeep['watched'] = {
  touched: async () => new Map(),
  linesOf: async () => new Map(),
  held: async () => {},
  lookSoon: async () => {},
  askSoon: async () => {},
  unanswered: async () => [],
  due: async () => [],
  tidy: async () => {},
  lookInArchive: async () => {},
  lookAtInvented: async () => {},
}

/** All the background work of one process, with a cache that holds what it is told to. */
function start(
  redisUrl: string | null,
  cached: Set<string>,
  more: Partial<Upkeep> = {},
  searchIndex: SearchIndexWork | null = null,
  readHeld = async () => noCodes(),
) {
  const told: string[] = []
  const log = pino({ level: 'silent' })
  const client = clientFor(register.registerUrl)
  const queue = openQueue({
    redisUrl,
    databaseUrl: storage.url,
    waitingMax: 1000,
    policy: {
      deadlineMs: 30_000,
      retryMs: 20,
      retryMsMax: 100,
      lockMs: 500,
      quietMs: 100,
      bringBackEveryMs: 15_000,
      finishMs: 500,
      closeMs: 5000,
    },
    onFault: () => {},
  })
  const workers = startWorkers({
    clock: systemClock,
    log,
    webhooks: null,
    changeMails: { writeDown: async () => {}, send: async () => {}, removeOver: async () => {} },
    searchIndex: () => searchIndex,
    industryCodes: {
      readHeld,
      fetch: () => Promise.reject(new Error('not needed')),
      replace: async () => {},
    },
    batches: {
      turn: async (nokkel) => {
        told.push(`turn ${nokkel}`)
        return false
      },
      due: async () => [],
      removeOld: async () => 0,
    },
    push: {
      follow: () => ({ close: async () => {} }),
      fanOut: async () => ({ endpoints: [], hasMore: false }),
      due: async () => [],
      turn: async (endepunkt) => {
        told.push(`turn ${endepunkt}`)
        return false
      },
      upkeep: async () => {},
    },
    upkeep: {
      database: storage.database,
      queue,
      feeds: createFeedSource(client),
      cache: {
        invalidate: async (changes) => new Map([...changes].filter(([company]) => cached.has(company))),
        invalidateAll: async () => {},
      },
      notes: noNotes,
      learned: () => {},
      bringBack: async () => {},
      watched: nothingWatched,
      refresh: async (company, section) => void told.push(`refresh ${company} ${section}`),
      budgets: () => everyLane(1000),
      erasers: [{ name: 'minne', erase: async (company) => void told.push(`erase ${company}`) }],
      ...more,
    },
    sales: {
      follow: async (subject) => void told.push(`follow ${subject}`),
      checkPayments: async () => {},
      runErrands: async () => {},
      mailTestKeys: async () => {},
      forgetTestKeyWishes: async () => {},
      lookAgain: async () => {},
      writeReminders: async () => {},
      removeOldTraces: async () => {},
    },
  })
  closing.push(() => client.close(), queue.close, workers.close)
  return { told, workers, queue }
}

describe.each(['Redis', 'PostgreSQL'])('the background work of a process, its queue in %s', (kind) => {
  const url = () => (kind === 'Redis' ? redis.url : null)

  test('P17, P11: from the event to the refresh, and from the removal to the erasure', async () => {
    const { told, workers } = start(url(), new Set([B ?? '']))
    register.publish('roller', { organisasjonsnummer: A ?? '' })
    register.publish('roller', { organisasjonsnummer: B ?? '' })
    register.publish('enheter', { organisasjonsnummer: A ?? '', endringstype: 'Fjernet' })
    await eventually('all is done', () => told.length === 4)
    expect(told.sort()).toEqual([
      `erase ${A}`,
      `refresh ${B} prokura`,
      `refresh ${B} roller`,
      `refresh ${B} signatur`,
    ])
    await eventually('both places are marked', async () => {
      const erasure = await findErasure(storage.database, A ?? '')
      return erasure?.erasedFrom.length === 2
    })
    expect(workers.feeds().map(({ feed }) => feed)).toEqual(['enheter', 'underenheter', 'roller'])
    await eventually('all feeds are read to the end', () => workers.feeds().every((feed) => feed.isCaughtUp))
  })

  test('P17: attack: of a long list that is told of all at once another’s one company waits for a few, not for all', async () => {
    const [others = '', ...list] = companies(101)
    const asked: string[] = []
    for (const organisasjonsnummer of [...list, others]) register.publish('roller', { organisasjonsnummer })
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    const { workers } = start(url(), new Set(), {
      refresh: async (company) => {
        asked.push(company)
        await mayGoOn
      },
      watched: {
        ...nothingWatched,
        touched: async (changes) => changes,
        linesOf: async (orgnrs) =>
          new Map(orgnrs.map((orgnr) => [orgnr, orgnr === others ? ['mange', 'en'] : ['mange']])),
      },
    })
    await eventually('all stand in line', () => workers.feeds().every((feed) => feed.isCaughtUp))
    goOn()
    await eventually('all are fetched', () => new Set(asked).size === 101)
    expect(new Set(asked.slice(0, asked.indexOf(others))).size).toBeLessThan(25)
  })

  test('two processes find that the search index is due: it is a job, done by one of them at a time', async () => {
    let underWay = 0
    let most = 0
    let built = 0
    const work: SearchIndexWork = {
      isBuildDue: async () => built === 0,
      isBuildLeft: async () => false,
      async build() {
        underWay += 1
        most = Math.max(most, underWay)
        await eventually('the other has looked too', async () => started.length === 2)
        built += 1
        underWay -= 1
      },
      noteChanges: async () => {},
      applyChanges: async () => {},
    }
    const started = [start(url(), new Set(), {}, work), start(url(), new Set(), {}, work)]
    await eventually('it is built, and nothing of it waits', async () => {
      const depths = (await started[0]?.queue.depths()) ?? []
      const lane = depths.find(({ lane }) => lane === 'sokeindeks')
      return built > 0 && lane?.waiting === 0 && lane.active === 0
    })
    expect(most).toBe(1)
  })

  test('P79: a build of the search index that was left is a job again, however seldom it is looked whether one is due', async () => {
    let built = 0
    start(
      url(),
      new Set(),
      {},
      {
        isBuildDue: async () => false,
        isBuildLeft: async () => built === 0,
        build: async () => {
          built += 1
        },
        noteChanges: async () => {},
        applyChanges: async () => {},
      },
    )
    await eventually('it is gone on with', () => built > 0)
  })

  test('a key that has handed in a list is rung for, and has its turn', async () => {
    const { told, queue } = start(url(), new Set())
    await queue.enqueue('go-through-batch', [{ nokkel: 'DenneHarListe'.slice(0, 12) }])
    await eventually('it has had its turn', () => told.includes('turn DenneHarList'))
  })
})

test('a first look for the search index and for the industry codes that fails is had again within seconds', async () => {
  const looks = { index: 0, codes: 0 }
  /** As a queue or a database does that has just been started on a busy machine. */
  const failingOnce = async (what: keyof typeof looks) => {
    looks[what] += 1
    if (looks[what] === 1) throw new Error('late')
  }
  start(
    redis.url,
    new Set(),
    {},
    {
      isBuildDue: () => failingOnce('index').then(() => false),
      isBuildLeft: async () => false,
      build: async () => {},
      noteChanges: async () => {},
      applyChanges: async () => {},
    },
    () => failingOnce('codes').then(noCodes),
  )
  await eventually('both are had again', () => looks.index > 1 && looks.codes > 1)
})

test('P11: the queue is away when a company is removed: it is buried, and erased when the queue’s place is back', async () => {
  await redis.stop()
  const { told } = start(redis.url, new Set())
  register.publish('enheter', { organisasjonsnummer: A ?? '', endringstype: 'Fjernet' })
  await eventually('it is buried', async () => (await findErasure(storage.database, A ?? '')) !== null)
  await redis.start()
  for (const close of closing.splice(0).reverse()) await close()
  // Another process, which knows nothing but what stands in PostgreSQL: its sweep comes first of all.
  const next = start(redis.url, new Set())
  await eventually('it is erased everywhere', async () => {
    const erasure = await findErasure(storage.database, A ?? '')
    return erasure?.erasedFrom.length === 2
  })
  expect(new Set([...told, ...next.told])).toEqual(new Set([`erase ${A}`]))
})
