import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { createChangeMails } from '#src/changes/mails/mail-changes.ts'
import { createStopLinks } from '#src/changes/mails/stop-links.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import type { Letter } from '#src/sales/ports.ts'
import { removeOverWatches, stopMails, writeDownMails } from '#src/storage/changes/change-mails.ts'
import { findWatch, type NewWatch, putWatches } from '#src/storage/changes/watches.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { HOUR_MS, MINUTE_MS, type TestClock } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const NOON = new Date('2026-11-23T11:00:00Z')
const numbers = inventNumbers(40)
const [A = '', B = '', C = ''] = numbers
const call = { signal: new AbortController().signal }

let storage: TestDatabase
let clock: TestClock
let sent: Extract<Letter, { kind: 'changes' }>[]
let outcomes: (MailOutcome | (() => void))[]

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(async () => {
  await storage.database.query(
    'truncate endring, overvaking, varsel, varsel_linje, varsel_stilling, blikk, fjernet, api_nokkel cascade',
  )
  let time = NOON.getTime()
  clock = {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
  sent = []
  outcomes = []
})
afterAll(() => storage.close())

const mails = (isErased: (orgnr: string) => boolean = () => false) =>
  createChangeMails({
    db: storage.database,
    isErased,
    post: {
      async send(letter) {
        if (letter.kind !== 'changes') throw new Error('only changes are mailed here')
        const next = outcomes.shift() ?? 'accepted'
        if (typeof next === 'function') {
          sent.push(letter)
          next()
          return 'accepted'
        }
        if (next === 'accepted' || next === 'unknown') sent.push(letter)
        return next
      },
    },
    mailDomain: 'oppslag.example',
    links: { list: () => 'https://x.example/overvaking', stop: (token) => `https://x.example/stop/${token}` },
    stopLinks: createStopLinks({ secret: async () => Buffer.alloc(32, 7) }),
    clock,
    log: pino({ level: 'silent' }),
    policy: { ...policy.sales, ...policy.changeMails, ...policy.watches },
  })

async function owner(epost = 'kari@example.no'): Promise<string> {
  return (await issueKey({ db: storage.database, clock }, { epost, miljo: 'test' })).id
}
const watch = (eier: string, orgnr: string, epost: NewWatch['epost'], rest: Partial<NewWatch> = {}) =>
  putWatches(storage.database, { eier, prove: false }, [{ orgnr, navn: null, typer: null, epost, ...rest }], {
    max: 100,
    at: clock.now(),
  })
const write = (...changes: [orgnr: string, type: string][]) =>
  writeInLog(
    storage.database,
    ...changes.map(([orgnr, type]) =>
      changeOf(orgnr, {
        type,
        felt: [{ felt: '/navn', for: 'FØR AS', etter: 'NÅ AS' }],
        forrige: NOON,
        sett: NOON,
      }),
    ),
  )
async function look(): Promise<void> {
  await mails().writeDown(call)
  await mails().send(call)
}
const told = (letters = sent) =>
  letters.map(({ to, companies }) => [
    to,
    ...companies.flatMap(({ orgnr, changes }) => changes.map(({ nb }) => `${orgnr} ${nb}`)),
  ])

describe('P123: mails of changes', () => {
  it('what changes together comes soon, in one mail, to the address of the chain’s key; what is not wanted does not', async () => {
    const eier = await owner()
    await write([A, 'foretak.konkurs.apnet'])
    await watch(eier, A, 'straks', { navn: 'Kunden', typer: ['foretak'] })
    await watch(eier, B, 'straks')
    await watch(eier, C, null)
    await write(
      [A, 'foretak.navn.endret'],
      [A, 'roller.styre.endret'],
      [B, 'noe.nytt'],
      [C, 'foretak.slettet'],
    )
    await look()
    expect(sent).toEqual([])
    clock.advance(11_000)
    await look()
    expect(told()).toEqual([
      ['kari@example.no', `${A} Navnet er endret (FØR AS → NÅ AS)`, `${B} noe.nytt (FØR AS → NÅ AS)`],
    ])
    expect(sent[0]).toMatchObject({
      cadence: 'straks',
      more: 0,
      companies: [{ name: 'Kunden' }, { name: null }],
    })
    clock.advance(HOUR_MS)
    await look()
    expect(sent).toHaveLength(1)
  })

  it('that of a day comes at seven in Norway with all of it, and one that is chosen anew is told neither twice nor not', async () => {
    const eier = await owner()
    await watch(eier, A, 'daglig')
    await write([A, 'foretak.navn.endret'])
    await look()
    await watch(eier, A, 'straks')
    await write([A, 'roller.styre.endret'])
    await look()
    clock.advance(MINUTE_MS)
    await look()
    expect(told()).toEqual([['kari@example.no', `${A} Styret er endret (FØR AS → NÅ AS)`]])
    clock.advance(new Date('2026-11-24T05:59:00Z').getTime() - clock.now().getTime())
    await look()
    expect(sent).toHaveLength(1)
    clock.advance(2 * MINUTE_MS)
    await look()
    expect(told(sent.slice(1))).toEqual([['kari@example.no', `${A} Navnet er endret (FØR AS → NÅ AS)`]])
    expect(sent[1]?.cadence).toBe('daglig')
  })

  it('P123: that of a day comes in the morning also of the day that lacks an hour', async () => {
    const eier = await owner()
    await watch(eier, A, 'daglig')
    clock.advance(new Date('2027-03-27T22:30:00Z').getTime() - clock.now().getTime())
    await write([A, 'foretak.navn.endret'])
    await look()
    clock.advance(new Date('2027-03-28T05:01:00Z').getTime() - clock.now().getTime())
    await look()
    expect(sent).toHaveLength(1)
  })

  it('one that may have gone is sent again as it was, under the same id; one that has not is sent with what has come since', async () => {
    const eier = await owner()
    await watch(eier, A, 'straks')
    await write([A, 'foretak.navn.endret'])
    await look()
    clock.advance(11_000)
    outcomes = ['temporary']
    await look()
    expect(sent).toEqual([])
    await write([A, 'roller.styre.endret'])
    clock.advance(2 * MINUTE_MS)
    outcomes = ['unknown']
    await look()
    await write([A, 'foretak.slettet'])
    clock.advance(6 * MINUTE_MS)
    // Killed when it has gone, before that is stored.
    outcomes = [
      () => {
        throw new Error('killed')
      },
    ]
    await look()
    clock.advance(20 * MINUTE_MS)
    await look()
    clock.advance(20 * MINUTE_MS)
    await look()
    const both = [
      'kari@example.no',
      `${A} Navnet er endret (FØR AS → NÅ AS)`,
      `${A} Styret er endret (FØR AS → NÅ AS)`,
    ]
    const last = ['kari@example.no', `${A} Foretaket er slettet (FØR AS → NÅ AS)`]
    expect(told()).toEqual([both, both, both, last])
    expect(new Set(sent.slice(0, 3).map(({ messageId }) => messageId)).size).toBe(1)
    expect(sent[3]?.messageId).not.toBe(sent[0]?.messageId)
  })

  it('P123: attack: of what many watch so much is written down at a time, each line whole, and all of it in the end', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, (_, nr) => owner(`kari${nr}@example.no`)))
    for (const eier of owners) for (const orgnr of [A, B, C]) await watch(eier, orgnr, 'straks')
    await write([A, 'foretak.slettet'], [B, 'foretak.slettet'], [C, 'foretak.slettet'])
    const due = { straks: NOON, daglig: NOON, day: '2026-11-23' }
    const written: number[] = []
    for (let hasMore = true; hasMore; ) {
      hasMore = await writeDownMails(storage.database, due, { linesMax: 100, mailedMax: 4, perDayMax: 9 })
      written.push((await storage.database.query('select 1 from varsel_linje')).length)
    }
    expect(written).toEqual([3, 6, 9])
  })

  it('attack: eight who write down and send at once, while twelve write, tell each owner each change once', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, (_, nr) => owner(`kari${nr}@example.no`)))
    for (const eier of owners) for (const orgnr of numbers) await watch(eier, orgnr, 'straks')
    let isWriting = true
    const working = Array.from({ length: 8 }, async () => {
      while (isWriting) await look()
    })
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let times = 0; times < 6; times++) {
          await write([numbers[(writer * 3 + times) % 40] ?? '', `type.${writer}.${times}`])
          // Within the time that one who has taken a mail on is believed to be at it.
          clock.advance(400)
        }
      }),
    )
    isWriting = false
    await Promise.all(working)
    // What was too much for the day comes in the morning.
    for (let times = 0; times < 3; times++) {
      clock.advance(25 * HOUR_MS)
      await look()
    }
    const all = Array.from({ length: 72 }, (_, nr) => `type.${Math.floor(nr / 6)}.${nr % 6}`).sort()
    for (const [nr] of owners.entries()) {
      const mine = told()
        .filter(([to]) => to === `kari${nr}@example.no`)
        .flatMap(([, ...changes]) => changes.map((each) => each.split(' ')[1] ?? ''))
      expect(mine.sort()).toEqual(all)
    }
    expect(await storage.database.query('select 1 from varsel_linje')).toEqual([])
  })

  it('no more than so many in a day: what comes then waits for the morning, in one', async () => {
    const eier = await owner()
    await watch(eier, A, 'straks')
    for (let times = 0; times < policy.changeMails.perDayMax + 5; times++) {
      await write([A, 'foretak.navn.endret'])
      await look()
      clock.advance(11_000)
      await look()
    }
    expect(sent).toHaveLength(policy.changeMails.perDayMax)
    clock.advance(20 * HOUR_MS)
    await look()
    expect(sent).toHaveLength(policy.changeMails.perDayMax + 1)
    expect(sent.at(-1)?.companies[0]?.changes).toHaveLength(5)
  })

  it('lists so many and says how many there are besides', async () => {
    const eier = await owner()
    await watch(eier, A, 'straks')
    const { listedMax } = policy.changeMails
    await write(...Array.from({ length: listedMax + 7 }, (): [string, string] => [A, 'foretak.endret']))
    await look()
    clock.advance(11_000)
    await look()
    expect([sent[0]?.companies[0]?.changes.length, sent[0]?.more]).toEqual([listedMax, 7])
    clock.advance(HOUR_MS)
    await look()
    expect(sent).toHaveLength(1)
  })

  it('P11: nothing of a removed company, of one that is not watched any more, or to a key that has ended', async () => {
    const eier = await owner()
    for (const orgnr of [A, B, C]) await watch(eier, orgnr, 'straks')
    const ended = await owner('ola@example.no')
    await watch(ended, A, 'straks')
    await write([A, 'foretak.navn.endret'], [B, 'foretak.navn.endret'], [C, 'foretak.navn.endret'])
    await look()
    await buryCompanies(storage.database, [{ organisasjonsnummer: A, slettedato: null, at: NOON }])
    await storage.database.query('delete from overvaking where orgnr = $1', [Number(B)])
    await storage.database.query('update api_nokkel set tilbakekalt_at = $2 where id = $1', [ended, NOON])
    clock.advance(11_000)
    await look()
    expect(told()).toEqual([['kari@example.no', `${C} Navnet er endret (FØR AS → NÅ AS)`]])
    expect(await storage.database.query('select 1 from varsel where neste_at is not null')).toEqual([])
  })

  it('P11: attack: nothing of one that could not be buried yet, whose own it is or who is named in another’s', async () => {
    const eier = await owner()
    for (const orgnr of [A, B, C]) await watch(eier, orgnr, 'straks')
    await write([A, 'foretak.navn.endret'], [C, 'foretak.navn.endret'])
    await writeInLog(storage.database, changeOf(B, { nevner: [Number(A)] }))
    const { writeDown, send } = mails((orgnr) => orgnr === A)
    await writeDown(call)
    clock.advance(11_000)
    await send(call)
    expect(told()).toEqual([['kari@example.no', `${C} Navnet er endret (FØR AS → NÅ AS)`]])
    expect(sent.map(({ more }) => more)).toEqual([0])
  })

  it('an address that refuses three in a row is not mailed any more; who stops is mailed nothing that waits', async () => {
    const eier = await owner()
    await watch(eier, A, 'straks')
    for (let times = 0; times < 3; times++) {
      await write([A, 'foretak.navn.endret'])
      await look()
      clock.advance(11_000)
      outcomes = ['refused_recipient']
      await look()
    }
    expect((await findWatch(storage.database, eier, A))?.epost).toBeNull()
    const other = await owner('ola@example.no')
    await watch(other, B, 'daglig')
    await write([B, 'foretak.navn.endret'])
    await look()
    await stopMails(storage.database, other)
    clock.advance(25 * HOUR_MS)
    await look()
    expect(sent).toEqual([])
    expect(await findWatch(storage.database, other, B)).toMatchObject({ epost: null })
  })

  it('a watch ends some weeks after the last key of its chain, and with a removed company', async () => {
    const [gone, alive] = [await owner(), await owner()]
    await watch(gone, A, null)
    await watch(alive, A, null)
    await watch(alive, B, null)
    await storage.database.query('update api_nokkel set tilbakekalt_at = $2 where id = $1', [gone, NOON])
    await buryCompanies(storage.database, [{ organisasjonsnummer: B, slettedato: null, at: NOON }])
    clock.advance(29 * 24 * HOUR_MS)
    await mails().removeOver()
    expect(await findWatch(storage.database, alive, B)).toBeNull()
    expect(await findWatch(storage.database, gone, A)).not.toBeNull()
    clock.advance(2 * 24 * HOUR_MS)
    await mails().removeOver()
    expect(await findWatch(storage.database, gone, A)).toBeNull()
    expect(await findWatch(storage.database, alive, A)).not.toBeNull()
  })

  it('P122: attack: however much was watched with keys that ended together, it is taken away a key at a time', async () => {
    const { database } = storage
    const gone = await Promise.all([owner(), owner(), owner()])
    for (const eier of gone) for (const orgnr of [A, B, C]) await watch(eier, orgnr, 'straks')
    await database.query('update api_nokkel set tilbakekalt_at = $1', [NOON])
    const alive = await owner()
    await watch(alive, A, 'straks')
    const takenAway: number[] = []
    const removed = await removeOverWatches(
      {
        ...database,
        async query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) {
          const rows = await database.query<Row>(text, values)
          if (/delete from overvaking /.test(text)) takenAway.push(rows.length)
          return rows
        },
      },
      { ended: new Date(NOON.getTime() + MINUTE_MS), tests: NOON },
    )
    expect(removed).toBe(9)
    expect(takenAway).toEqual([3, 3, 3, 0])
    expect(await database.query('select eier from overvaking')).toEqual([{ eier: alive }])
  })

  it('P122: who renews while what is over is taken away keeps what they watch', async () => {
    const { database } = storage
    const eier = await owner()
    await watch(eier, A, 'straks')
    await database.query('update api_nokkel set tilbakekalt_at = $1', [NOON])
    await removeOverWatches(
      {
        ...database,
        async query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) {
          if (/delete from overvaking /.test(text))
            await database.query('update api_nokkel set tilbakekalt_at = null')
          return database.query<Row>(text, values)
        },
      },
      { ended: new Date(NOON.getTime() + MINUTE_MS), tests: NOON },
    )
    expect(await findWatch(database, eier, A)).not.toBeNull()
  })
})
