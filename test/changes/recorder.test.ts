import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { askedBy, askedByNobody } from '#src/core/asker.ts'
import { changesAfter } from '#src/storage/changes/change-log.ts'
import { eraseFromChanges } from '#src/storage/changes/forget.ts'
import { lockAllLooks } from '#src/storage/changes/known-answers.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { createDatabase, type Queryable } from '#src/storage/database.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { type BreakableConnection, createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestClock, HOUR_MS, MINUTE_MS } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { killChild } from '#test/support/kill-child.ts'
import { openTestPool } from '#test/support/test-pool.ts'
import { held, ORGNR, recorderOver, unitAt } from './looking.ts'

const PROGRAM = fileURLToPath(new URL('recorder-process.ts', import.meta.url))
const NOON = new Date('2026-11-22T12:00:00Z')
const at = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE_MS)

let storage: TestDatabase
let way: BreakableConnection

beforeAll(async () => {
  storage = await createTestDatabase()
  way = await createBreakableConnection(storage.url)
})
beforeEach(() =>
  storage.database.query('truncate endring, grunnlag, overvaking, blikk, registerhendelse, fjernet'),
)
afterAll(async () => {
  await way.close()
  await storage.close()
})

const watch = (orgnr = ORGNR) =>
  putWatches(
    storage.database,
    { eier: 'kjede1234567', prove: false },
    [{ orgnr, navn: null, typer: null, epost: null }],
    { max: 10, at: NOON },
  )
const log = () => changesAfter(storage.database, { after: 0, prove: false, limit: 1000 })
const told = async () => (await log()).map(({ type }) => type)
/** As whoever erases a company holds them all. */
const heldLooks = () => holding(lockAllLooks)
/** As a session that somebody has left open. */
const heldTable = (table: string, mode: string) =>
  holding((connection) => connection.query(`lock table ${table} in ${mode} mode`))

async function holding(lock: (connection: Queryable) => Promise<unknown>) {
  const held = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const holding = storage.database.transaction(async (connection) => {
    await lock(connection)
    held.resolve()
    await over.promise
  })
  await held.promise
  return {
    end() {
      over.resolve()
      return holding
    },
  }
}
const waitingForLooks = async () => {
  const [row] = await storage.database.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
  )
  return row?.waiting ?? 0
}
const grounds = () => storage.database.query('select orgnr from grunnlag')

/** Looks as a fill does: with what was at hand, and what came. */
async function look(
  recorder: ReturnType<typeof recorderOver>,
  before: ReturnType<typeof unitAt> | null,
  now: ReturnType<typeof unitAt>,
): Promise<void> {
  await recorder.begin(ORGNR, 'enhet', before && held(before))?.(() => now)
  expect(recorder.faults).toEqual([])
}

describe('P118: what was held and is fetched anew', () => {
  test('P118: attack: is told though whoever had it fetched has as much under way in PostgreSQL as they may', async () => {
    const database = createDatabase({
      url: storage.url,
      poolMax: 3,
      forOneMax: 1,
      applicationName: 'test',
      connectTimeoutMs: 30_000,
      statementTimeoutMs: 30_000,
    })
    const over = Promise.withResolvers<void>()
    const all = askedBy('en', () => database.transaction(() => over.promise))
    const recorder = recorderOver(database)
    await askedBy('en', () => look(recorder, unitAt({}, at(0)), unitAt({ navn: 'NYTT NAVN AS' }, at(1))))
    expect([await told(), recorder.waiting()]).toEqual([['foretak.navn.endret'], 0])
    over.resolve()
    await all
    await recorder.close()
    await database.close()
  })

  describe('as much of it as one likes', () => {
    const numbers = inventNumbers(10)
    let database: ReturnType<typeof createDatabase>
    let recorder: ReturnType<typeof recorderOver>
    let goOn: () => Promise<unknown>
    /** One has all of them fetched, and none can be written. */
    async function begin(most: { poolMax: number; forOneMax: number }) {
      const times = { connectTimeoutMs: 5000, statementTimeoutMs: 30_000 }
      database = createDatabase({ url: storage.url, applicationName: 'test', ...most, ...times })
      recorder = recorderOver(database, { turnMs: 100 })
      const lock = await heldLooks()
      for (const orgnr of numbers) await watch(orgnr)
      const looks = askedBy('en', () =>
        // What was seen long ago would be looked at anew, and waits no longer.
        numbers.map((orgnr) => recorder.begin(orgnr, 'enhet', null)?.(() => unitAt({}, new Date()))),
      )
      goOn = () => Promise.all([lock.end(), ...looks])
    }
    afterEach(async () => {
      await recorder.close()
      await database.close()
    })

    test('P61: attack: is written in no place of what all others wait for', async () => {
      await begin({ poolMax: 4, forOneMax: 2 })
      await eventually('they are being written', async () => (await waitingForLooks()) > 1)
      const key = await askedByNobody(() => database.query('select 1 as en')).catch((error) => error)
      await goOn()
      expect(key).toEqual([{ en: 1 }])
    })

    test('P61: attack: is written a few at a time: the others are remembered and written later', async () => {
      await begin({ poolMax: 14, forOneMax: 10 })
      const { writesAtOnce } = policy.looks
      // One of them may be tried again just then.
      await eventually('they wait', () => recorder.waiting() >= numbers.length - writesAtOnce - 1)
      await eventually(
        'those that are written wait as well',
        async () => (await waitingForLooks()) >= writesAtOnce,
      )
      const atOnce = await waitingForLooks()
      await goOn()
      expect(atOnce).toBe(writesAtOnce)
    })
  })

  test('is told with both values, between which two looks, and once however many see it', async () => {
    const recorders = Array.from({ length: 4 }, () => recorderOver(openTestPool(storage.url, 2)))
    const before = unitAt({}, at(0))
    const now = unitAt({ konkurs: true, konkursdato: '2026-11-22' }, at(30))
    await Promise.all(recorders.flatMap((each) => Array.from({ length: 5 }, () => look(each, before, now))))
    expect(await log()).toEqual([
      {
        nr: expect.any(Number),
        orgnr: ORGNR,
        seksjon: 'status',
        type: 'foretak.konkurs.apnet',
        felt: [
          { felt: '/status/data/konkurs/gjelder', for: false, etter: true },
          { felt: '/status/data/konkurs/dato', for: null, etter: '2026-11-22' },
        ],
        nevner: [],
        hendelse: null,
        forrige: at(0),
        sett: at(30),
        prove: false,
      },
    ])
    await Promise.all(recorders.map((each) => each.close()))
  })

  test('is told of what came back as well, and never of what was the same', async () => {
    const recorder = recorderOver(storage.database)
    const names = ['EN AS', 'TO AS', 'TO AS', 'EN AS', 'EN AS', 'TO AS']
    for (const [index, navn] of names.entries()) {
      if (index === 0) continue
      await look(recorder, unitAt({ navn: names[index - 1] }, at(index - 1)), unitAt({ navn }, at(index)))
    }
    expect((await log()).map(({ felt }) => felt.map(({ etter }) => etter))).toEqual([
      ['TO AS'],
      ['EN AS'],
      ['TO AS'],
    ])
    await recorder.close()
  })

  test('of a company that nobody held and nobody watches nothing is written at all', async () => {
    const recorder = recorderOver(storage.database)
    await look(recorder, null, unitAt({}, at(0)))
    await look(recorder, null, unitAt({ konkurs: true }, at(1)))
    await look(recorder, unitAt({ konkurs: true }, at(1)), unitAt({ konkurs: true }, at(2)))
    expect(await grounds()).toEqual([])
    expect(await log()).toEqual([])
    await recorder.close()
  })

  test('an older answer that comes late undoes nothing', async () => {
    const lookedAgain: string[] = []
    const recorder = recorderOver(storage.database, { lookAgain: (orgnr) => lookedAgain.push(orgnr) })
    const before = unitAt({}, at(0))
    await look(recorder, before, unitAt({ konkurs: true }, at(6)))
    await look(recorder, before, unitAt({}, at(5)))
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
    await recorder.close()
  })

  test('a clock that was set back holds up no change for long, and nothing is seen before it was', async () => {
    const recorder = recorderOver(storage.database)
    await look(recorder, unitAt({}, at(0)), unitAt({ navn: 'EN AS' }, at(600)))
    await look(recorder, unitAt({ navn: 'EN AS' }, at(600)), unitAt({ navn: 'TO AS' }, at(2)))
    const [, second] = await log()
    expect(second).toMatchObject({ type: 'foretak.navn.endret', forrige: at(2), sett: at(2) })
    await recorder.close()
  })
})

describe('P118: what is watched', () => {
  test('is remembered from the first sight, which is no change, whoever holds it', async () => {
    await watch()
    const first = recorderOver(storage.database)
    await look(first, null, unitAt({}, at(0)))
    expect(await told()).toEqual([])
    // Another process, after any time, that holds nothing.
    const second = recorderOver(storage.database)
    await look(second, null, unitAt({ konkurs: true }, at(5000)))
    const [change] = await log()
    expect(change).toMatchObject({ type: 'foretak.konkurs.apnet', forrige: at(0), sett: at(5000) })
    await Promise.all([first.close(), second.close()])
  })

  test('the last look at which it was as before is known, to some minutes', async () => {
    await watch()
    const recorder = recorderOver(storage.database)
    for (const minutes of [0, 30, 60]) await look(recorder, null, unitAt({}, at(minutes)))
    await recorder.close()
    const another = recorderOver(storage.database)
    await look(another, null, unitAt({ konkurs: true }, at(90)))
    const [change] = await log()
    expect(change?.forrige.getTime()).toBeGreaterThanOrEqual(at(30).getTime())
    await another.close()
  })

  test('a change names the event of the register that it came after, and each event once', async () => {
    await watch()
    const recorder = recorderOver(storage.database)
    await look(recorder, null, unitAt({}, at(0)))
    const heard = (id: string) =>
      storage.database.query(`insert into registerhendelse values ($1, 'enhet', $2, $3, now())`, [
        Number(ORGNR),
        id,
        NOON,
      ])
    await heard('enheter:77')
    await look(recorder, null, unitAt({ konkurs: true }, at(5)))
    await look(recorder, null, unitAt({ konkurs: true, navn: 'NYTT AS' }, at(8)))
    expect((await log()).map(({ type, hendelse }) => [type, hendelse])).toEqual([
      ['foretak.konkurs.apnet', { id: 'enheter:77', at: NOON }],
      ['foretak.navn.endret', null],
    ])
    // One that brought nothing is not left for what comes later.
    await heard('enheter:78')
    await look(recorder, null, unitAt({ konkurs: true, navn: 'NYTT AS' }, at(9)))
    await eventually(
      'the event is looked after',
      async () => (await storage.database.query('select 1 from registerhendelse')).length === 0,
    )
    await recorder.close()
  })

  test('an answer that could not be read in part takes nothing away, and what was known stays known', async () => {
    await watch()
    const recorder = recorderOver(storage.database)
    const unread = { ...unitAt({ navn: null, konkurs: null }, at(5)), avvik: ['/navn', '/konkurs'] }
    await look(recorder, null, unitAt({ navn: 'EN AS' }, at(0)))
    await look(recorder, null, unread as ReturnType<typeof unitAt>)
    await look(recorder, null, unitAt({ navn: 'EN AS' }, at(20)))
    expect(await told()).toEqual([])
    await look(recorder, null, unread as ReturnType<typeof unitAt>)
    await look(recorder, null, unitAt({ navn: 'TO AS' }, at(40)))
    expect((await log()).flatMap(({ felt }) => felt)).toEqual([
      { felt: '/navn', for: 'EN AS', etter: 'TO AS' },
    ])
    await recorder.close()
  })

  test('what another release wrote of it in another way is a first sight', async () => {
    await watch()
    const recorder = recorderOver(storage.database)
    await look(recorder, null, unitAt({}, at(0)))
    await storage.database.query(
      `update grunnlag set fakta = 'else', avtrykk = decode(repeat('00', 16), 'hex')`,
    )
    await look(recorder, null, unitAt({ konkurs: true }, at(5)))
    expect(await told()).toEqual([])
    await look(recorder, null, unitAt({}, at(20)))
    expect(await told()).toEqual(['foretak.konkurs.avsluttet'])
    await recorder.close()
  })
})

describe('P118: while PostgreSQL is away', () => {
  test.each(['cut', 'silence'] as const)(
    '(%s) nobody waits long, and the change is written once when it is back',
    async (how) => {
      await watch()
      const database = openTestPool(way.url, 2)
      const recorder = recorderOver(database)
      await look(recorder, null, unitAt({}, new Date()))
      if (how === 'cut') await way.cut()
      else {
        way.silence()
        setTimeout(() => void way.restore(), 500)
      }
      const seen = unitAt({ konkurs: true }, new Date(Date.now() + 1000))
      await look(recorder, null, seen)
      await way.restore()
      await eventually('it is written', async () => (await told()).length > 0)
      await look(recorder, null, unitAt({ konkurs: true }, new Date(Date.now() + 2000)))
      expect(await told()).toEqual(['foretak.konkurs.apnet'])
      expect(recorder.waiting()).toBe(0)
      await recorder.close()
      await database.close()
    },
  )

  test('for long: what is watched is looked at anew, and compared with what it was before', async () => {
    await watch()
    const clock = createTestClock()
    const lookedAgain: string[] = []
    const database = openTestPool(way.url, 2)
    const recorder = recorderOver(database, {
      clock,
      lookAgain: (orgnr, source) => lookedAgain.push(`${orgnr} ${source}`),
    })
    await look(recorder, null, unitAt({}, clock.now()))
    await way.cut()
    await look(recorder, null, unitAt({ konkurs: true }, clock.now()))
    clock.advance(HOUR_MS)
    await way.restore()
    await eventually('it is looked at again', () => lookedAgain.length > 0)
    expect(lookedAgain).toEqual([`${ORGNR} enhet`])
    expect(await told()).toEqual([])
    await look(recorder, null, unitAt({ konkurs: true }, clock.now()))
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
    await recorder.close()
    await database.close()
  })
})

describe('P118: attack: somebody holds what is written', () => {
  let usual: ReturnType<typeof openTestPool>
  let database: ReturnType<typeof createDatabase>
  let recorder: ReturnType<typeof recorderOver>
  beforeEach(async () => {
    usual = openTestPool(storage.url, 2)
    // PostgreSQL gives up what it waits for, as it does for readers.
    database = createDatabase({
      url: storage.url,
      poolMax: 2,
      applicationName: 'test',
      connectTimeoutMs: 20_000,
      statementTimeoutMs: 500,
    })
    recorder = recorderOver(database, { untakenToldMs: 0 })
    await watch()
    const before = recorderOver(usual)
    await look(before, null, unitAt({}, at(0)))
    expect(before.untakenMs()).toBe(0)
    await before.close()
  })
  afterEach(async () => {
    await recorder.close()
    await Promise.all([usual.close(), database.close()])
  })

  test('P118: attack: that nothing is written, while somebody holds what all that is seen is written under, is told', async () => {
    const lock = await heldLooks()
    await recorder.begin(ORGNR, 'enhet', null)?.(() => unitAt({ konkurs: true }, new Date()))
    await eventually('it is known for how long', () => recorder.untakenMs() > 0)
    await eventually('it is told', () => recorder.faults.length > 0)
    await lock.end()
    await eventually('it is written, and over', () => recorder.untakenMs() === 0)
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
  })

  test('P118: attack: that no change is written, while somebody holds the log alone and others are seen for the first time, is told', async () => {
    const others = inventNumbers(500)
    await putWatches(
      storage.database,
      { eier: 'kjede1234567', prove: false },
      others.map((orgnr) => ({ orgnr, navn: null, typer: null, epost: null })),
      { max: 1000, at: NOON },
    )
    const lock = await heldTable('endring', 'share')
    await recorder.begin(ORGNR, 'enhet', null)?.(() => unitAt({ konkurs: true }, new Date()))
    await eventually('it is known for how long', async () => {
      const orgnr = others.pop() ?? ''
      await recorder.begin(orgnr, 'enhet', null)?.(() => unitAt({ organisasjonsnummer: orgnr }, new Date()))
      return recorder.untakenMs() > 3000
    })
    expect((await grounds()).length).toBeGreaterThan(1)
    await lock.end()
    await eventually('it is written, and over', () => recorder.untakenMs() === 0)
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
  })

  test('P118: attack: that each change is refused for what is wrong in PostgreSQL itself is told, until none is', async () => {
    await storage.database.query('alter table endring add constraint ingen check (false) not valid')
    await recorder.begin(ORGNR, 'enhet', null)?.(() => unitAt({ konkurs: true }, new Date()))
    await eventually('it is known for how long', () => recorder.untakenMs() > 0)
    await storage.database.query('alter table endring drop constraint ingen')
    await eventually('it is written, and over', () => recorder.untakenMs() === 0)
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
  })

  test('P118: it is over when it is asked and answered again, also where nothing is to be written', async () => {
    const [unwatched = ''] = inventNumbers(1)
    const lock = await heldTable('grunnlag', 'access exclusive')
    await recorder.begin(unwatched, 'enhet', null)?.(() => unitAt({}, new Date()))
    await eventually('it is known for how long', () => recorder.untakenMs() > 0)
    await lock.end()
    await eventually('it is over', () => recorder.untakenMs() === 0)
    expect(await told()).toEqual([])
  })
})

describe('P118: a process that is killed', () => {
  const children: ChildProcess[] = []
  afterAll(() => Promise.all(children.map(killChild)))

  async function start() {
    const child = fork(PROGRAM, [storage.url], { execArgv: [] })
    children.push(child)
    return child
  }
  const said = async (child: ChildProcess, word: string) => {
    for (;;) if ((await once(child, 'message'))[0] === word) return
  }
  async function kill(child: ChildProcess) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  /** Whoever comes next still has the old copy, or already the new one. */
  async function next(hasNew: boolean) {
    const recorder = recorderOver(storage.database)
    const now = new Date()
    const bankrupt = unitAt({ konkurs: true }, new Date(now.getTime() + 1000))
    await look(recorder, hasNew ? bankrupt : unitAt({}, new Date(now.getTime() - 3_600_000)), {
      ...bankrupt,
      fetchedAt: new Date(now.getTime() + 2000),
    })
    await recorder.close()
  }

  test.each([
    ['fetched', false],
    ['written', false],
    ['visible', true],
  ] as const)('when it has %s: the change is told once', async (point, hasNew) => {
    const child = await start()
    await said(child, 'fetched')
    if (point !== 'fetched') {
      child.send('on')
      await said(child, 'written')
    }
    if (point === 'visible') {
      child.send('on')
      await said(child, 'visible')
    }
    await kill(child)
    await next(hasNew)
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
  })

  test('in the middle of writing: nothing is half written, and the change is told once', async () => {
    // The log is held by somebody, so that it stands between what is remembered and what is told.
    const hold = await storage.database.pool.connect()
    await hold.query('begin')
    await hold.query('select pg_advisory_xact_lock(720254)')
    const child = await start()
    await said(child, 'fetched')
    child.send('on')
    await eventually('it waits to write', async () => {
      const rows = await storage.database.query(
        `select 1 from pg_locks l join pg_stat_activity a using (pid)
         where l.locktype = 'advisory' and not l.granted and a.datname = current_database()`,
      )
      return rows.length > 0
    })
    await kill(child)
    await hold.query('rollback')
    hold.release()
    expect(await told()).toEqual([])
    await next(false)
    expect(await told()).toEqual(['foretak.konkurs.apnet'])
  })
})

describe('P120: a removed company', () => {
  const bury = () =>
    buryCompanies(storage.database, [{ organisasjonsnummer: ORGNR, slettedato: null, at: NOON }])

  test('is never written of again, also by a process that has not heard of it', async () => {
    await watch()
    const recorder = recorderOver(storage.database)
    await look(recorder, null, unitAt({}, at(0)))
    await storage.database.query('delete from grunnlag')
    await bury()
    await look(recorder, unitAt({}, at(0)), unitAt({ konkurs: true }, at(5)))
    expect(await log()).toEqual([])
    expect(await grounds()).toEqual([])
    await recorder.close()
  })

  test('is waited for where it is looked at as it is erased, and where another names it', async () => {
    const [first, second] = [recorderOver(storage.database), recorderOver(storage.database)]
    // Whoever writes waits for the log, with the look all but done.
    const hold = await storage.database.pool.connect()
    await hold.query('begin')
    await hold.query('select pg_advisory_xact_lock(720254)')
    const looks = Promise.all([
      look(first, unitAt({}, at(0)), unitAt({ konkurs: true }, at(5))),
      second.begin(
        '974760673',
        'enhet',
        held(unitAt({ organisasjonsnummer: '974760673' }, at(0))),
      )?.(() => unitAt({ organisasjonsnummer: '974760673', overordnetEnhet: ORGNR }, at(5))),
    ])
    const waiting = (count: number) =>
      eventually(`${count} wait`, async () => {
        const rows = await storage.database.query(
          `select 1 from pg_locks l join pg_stat_activity a using (pid)
           where l.locktype = 'advisory' and not l.granted and a.datname = current_database()`,
        )
        return rows.length >= count
      })
    await waiting(2)
    await bury()
    const erased = eraseFromChanges(storage.database, ORGNR)
    await waiting(3)
    await hold.query('rollback')
    hold.release()
    await Promise.all([looks, erased])
    expect(await log()).toEqual([])
    expect(
      await storage.database.query('select 1 from grunnlag where orgnr = $1 or $1 = any(nevner)', [
        Number(ORGNR),
      ]),
    ).toEqual([])
    await Promise.all([first.close(), second.close()])
  })

  test('is not named by a process that has not heard of it', async () => {
    const recorder = recorderOver(storage.database)
    await bury()
    await recorder.begin(
      '974760673',
      'enhet',
      held(unitAt({ organisasjonsnummer: '974760673' }, at(0))),
    )?.(() => unitAt({ organisasjonsnummer: '974760673', overordnetEnhet: ORGNR }, at(5)))
    expect(await log()).toEqual([])
    expect(await grounds()).toEqual([])
    await recorder.close()
  })

  test('is not named where another company is told of', async () => {
    const recorder = recorderOver(storage.database, { isErased: (orgnr) => orgnr === '974760673' })
    const before = unitAt({}, at(0))
    await look(recorder, before, unitAt({ overordnetEnhet: '974760673', navn: 'NYTT AS' }, at(5)))
    const [change] = await log()
    expect(change?.type).toBe('foretak.navn.endret')
    expect(JSON.stringify(await storage.database.query('select felt, nevner from endring'))).not.toContain(
      '974760673',
    )
    await recorder.close()
  })
})
