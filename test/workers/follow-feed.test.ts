import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { FEED_CHANNEL, type FeedName, type FeedReport, feedNames } from '#src/ops/feed-report.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'
import type { ApplyPorts } from '#workers/apply-page.ts'
import type { Follower, FollowerPolicy } from '#workers/follow-feed.ts'
import type { CopyNotes } from '#workers/marked-copies.ts'
import { companies, emptyRegister, follow, recordingPorts } from './following.ts'

const [A, B, C] = companies(3) as [Organisasjonsnummer, Organisasjonsnummer, Organisasjonsnummer]

let storage: TestDatabase
let register: RegisterStandIn
let following: Follower[]
let reports: FeedReport[]
const listen = (report: unknown) => void reports.push(report as FeedReport)

beforeEach(async () => {
  following = []
  reports = []
  subscribe(FEED_CHANNEL, listen)
  storage = await createTestDatabase()
  register = await emptyRegister()
})
afterEach(async () => {
  await Promise.all(following.map((follower) => follower.close()))
  unsubscribe(FEED_CHANNEL, listen)
  await register.close()
  await storage.close()
})

function start(
  feed: FeedName,
  ports: ApplyPorts,
  { notes, ...policy }: Partial<FollowerPolicy> & { notes?: CopyNotes } = {},
): Follower {
  const shared = notes === undefined ? {} : { notes }
  const follower = follow({ feed, register, database: storage.database, ports, policy, ...shared })
  following.push(follower)
  return follower
}
async function position(feed: FeedName) {
  const [row] = await storage.database.query<{ siste_id: string | null; siste_at: Date | null }>(
    'select siste_id, siste_at from feed_posisjon where feed = $1',
    [feed],
  )
  return row ?? null
}
const read = (id: number, feed: FeedName = 'enheter') =>
  eventually(`event ${id} is done`, async () => (await position(feed))?.siste_id === String(id))
const calls = (feed: FeedName) => register.calls.count(`oppdateringer/${feed}`)
const publish = (feed: FeedName, organisasjonsnummer: string, endringstype = 'Endring', dato?: string) =>
  register.publish(feed, { organisasjonsnummer, endringstype }, dato === undefined ? {} : { dato })

describe('following a feed', () => {
  test('a new database begins now: what was published before is nobody’s business', async () => {
    publish('enheter', A, 'Endring', '2020-01-01T00:00:00.000Z')
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await eventually('it is caught up', () => calls('enheter') > 2)
    await read(publish('enheter', B))
    expect(told).toEqual([`invalidate ${B} enhet regnskap konsern underenheter regnskapskopier`])
  })

  test.each(feedNames)(
    'P17: a change in %s marks what is cached stale and asks for it anew',
    async (feed) => {
      const { told, ports } = recordingPorts(new Set([B]))
      start(feed, ports)
      await read(publish(feed, A), feed)
      await read(publish(feed, B), feed)
      const parts = {
        enheter: 'enhet regnskap konsern underenheter regnskapskopier',
        underenheter: 'underenhet',
        roller: 'roller signatur prokura',
      }
      expect(told).toEqual([
        `invalidate ${A} ${parts[feed]}`,
        `invalidate ${B} ${parts[feed]}`,
        `refresh ${B} ${parts[feed]}`,
      ])
    },
  )

  test('P11: a removed company is erased before anything else of its page', async () => {
    const { told, ports } = recordingPorts(new Set([A, B]))
    publish('enheter', B)
    publish('enheter', A)
    const last = publish('enheter', A, 'Fjernet')
    start('enheter', ports)
    await read(last)
    expect(told).toEqual([
      `remove ${A}`,
      `invalidate ${B} enhet regnskap konsern underenheter regnskapskopier`,
      `refresh ${B} enhet regnskap konsern underenheter regnskapskopier`,
    ])
  })

  test('goes on where it was left, across processes, without doing an event again', async () => {
    const before = recordingPorts()
    const first = start('roller', before.ports)
    await read(publish('roller', A), 'roller')
    await first.close()
    const last = publish('roller', B)
    const after = recordingPorts()
    start('roller', after.ports)
    await read(last, 'roller')
    expect(after.told).toEqual([`invalidate ${B} roller signatur prokura`])
  })

  test('many pages are read one after the other without a pause', async () => {
    const numbers = companies(250)
    const last = numbers.map((company) => publish('underenheter', company)).at(-1) ?? 0
    const { told, ports } = recordingPorts()
    start('underenheter', ports, { pollMs: 3_600_000 })
    await read(last, 'underenheter')
    expect(told).toEqual(numbers.map((company) => `invalidate ${company} underenhet`))
    expect(reports.filter((report) => report.kind === 'read')).toHaveLength(3)
  })

  test('where a new database begins is kept, also when no event comes before the next process', async () => {
    const first = start('enheter', recordingPorts().ports)
    await eventually('it is caught up', () => first.progress().isCaughtUp)
    await first.close()
    const { told, ports } = recordingPorts()
    const last = publish('enheter', A)
    start('enheter', ports, { beginEarlierMs: -3_600_000 })
    await read(last)
    expect(told).toHaveLength(1)
  })

  test('P193: attack: what was done since PostgreSQL was set back is done again, also by who has the lease all the while', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(publish('enheter', A))
    const { siste_id, siste_at } = (await position('enheter')) ?? {}
    await read(publish('enheter', B, 'Fjernet'))
    // A server that had not heard of the last commits: the lease, which was taken long before, is the same.
    await storage.database.query('update feed_posisjon set siste_id = $1, siste_at = $2', [
      siste_id,
      siste_at,
    ])
    told.length = 0
    const last = publish('enheter', C)
    await eventually('all is done', () => told.some((each) => each.startsWith(`invalidate ${C}`)))
    await read(last)
    expect(told).toContain(`remove ${B}`)
  })

  describe('P16: attack: copies that processes share go back to what they once held', () => {
    /** What stands beside them, and whether it can be asked and takes anything. */
    function shared() {
      const place = { note: null as string | null, isThere: true, isFull: false, looks: 0 }
      /** Whether it takes anything is tried with another. */
      let tried: string | null = null
      const notes: CopyNotes = {
        async read(name) {
          place.looks += 1
          if (!place.isThere) return null
          return name.endsWith('-tar-imot') ? tried : place.note
        },
        async write(name, note, { onlyFirst }) {
          if (!place.isThere || place.isFull) return
          if (name.endsWith('-tar-imot')) tried = note
          else if (!(onlyFirst && place.note !== null)) place.note = note
        },
      }
      const isNoted = (id: number) =>
        eventually(`${id} is noted`, () => place.note?.endsWith(` ${id}`) ?? false)
      const lookedTwice = () => {
        const before = place.looks
        return eventually('it has looked again', () => place.looks > before + 4)
      }
      return { place, notes, isNoted, lookedTwice }
    }
    const marked = (told: string[]) => told.map((each) => each.split(' ')[1])

    test('what was marked since is marked again, once, by who followed all the while', async () => {
      const { told, ports } = recordingPorts()
      const { place, notes, isNoted, lookedTwice } = shared()
      start('enheter', ports, { notes })
      await isNoted(publish('enheter', A))
      const before = place.note
      publish('enheter', B)
      const last = publish('enheter', C)
      await isNoted(last)
      await lookedTwice()
      told.length = 0
      place.note = before
      await isNoted(last)
      await lookedTwice()
      expect(marked(told)).toEqual([B, C])
      expect((await position('enheter'))?.siste_id).toBe(String(last))
    })

    test('also where they were away when they did, and more was told meanwhile', async () => {
      const { told, ports } = recordingPorts()
      const { place, notes, isNoted, lookedTwice } = shared()
      start('roller', ports, { notes })
      await isNoted(publish('roller', A))
      const before = place.note
      await isNoted(publish('roller', B))
      place.isThere = false
      const last = publish('roller', C)
      await read(last, 'roller')
      await lookedTwice()
      told.length = 0
      place.note = before
      place.isThere = true
      await isNoted(last)
      expect(marked(told)).toEqual([B, C])
    })

    test('also by who follows next', async () => {
      const { place, notes, isNoted } = shared()
      const first = start('enheter', recordingPorts().ports, { notes })
      await isNoted(publish('enheter', A))
      const before = place.note
      const last = publish('enheter', B)
      await isNoted(last)
      await first.close()
      place.note = before
      const { told, ports } = recordingPorts()
      start('enheter', ports, { notes })
      await isNoted(last)
      expect(marked(told)).toEqual([B])
    })

    test('also by who followed before another, to just what it noted then', async () => {
      const { told, ports } = recordingPorts()
      const { place, notes, isNoted, lookedTwice } = shared()
      const follower = start('enheter', ports, { notes })
      await isNoted(publish('enheter', A))
      await lookedTwice()
      const { query } = storage.database
      await query(
        `update feed_posisjon set leienummer = leienummer + 1, leid_av = 'another', leid_til = now() + interval '1900 ms'`,
      )
      await eventually('another follows', () => !follower.progress().isFollowing)
      told.length = 0
      const last = publish('enheter', B)
      await query('update feed_posisjon set siste_id = $1, siste_at = now(), leid_til = now()', [
        String(last),
      ])
      await isNoted(last)
      expect(marked(told)).toEqual([B])
      expect(place.note).toContain(String(last))
    })

    describe('P16: attack: or can not be marked', () => {
      /** As with a Redis that is away, or takes nothing. */
      function unmarkable(watched: readonly string[] = []) {
        const { told, ports } = recordingPorts()
        const marks = { areTaken: false, tries: 0 }
        const failing: ApplyPorts = {
          ...ports,
          async invalidate(changes) {
            marks.tries += 1
            if (!marks.areTaken) throw new Error('the shared copies are away')
            return ports.invalidate(changes)
          },
          async invalidateAll() {
            if (!marks.areTaken) throw new Error('the shared copies are away')
            await ports.invalidateAll()
          },
          noteWatched: async (changes) => new Map([...changes].filter(([each]) => watched.includes(each))),
        }
        return { told, marks, ports: failing }
      }

      const isRefreshed = (told: string[], company: string) =>
        eventually(`${company} is asked for`, () =>
          told.some((each) => each.startsWith(`refresh ${company}`)),
        )

      test('hold a page up for some tries, and neither the removals behind it nor what is watched', async () => {
        const { told, marks, ports } = unmarkable([B])
        const { place, notes } = shared()
        place.isThere = false
        publish('enheter', A)
        const follower = start('enheter', ports, { notes })
        await eventually('it goes on', () => follower.progress().isCaughtUp)
        expect(marks.tries).toBe(3)
        publish('enheter', B)
        publish('enheter', C, 'Fjernet')
        await eventually('the removal is heard', () => told.includes(`remove ${C}`))
        await isRefreshed(told, B)
        expect(await position('enheter')).toMatchObject({ siste_id: null })
      })

      test('nor do the queue and they hold it up one after the other, with both away', async () => {
        const { told, marks, ports } = unmarkable([A])
        let asked = 0
        const soon: string[] = []
        const follower = start('enheter', {
          ...ports,
          async enqueueRefresh() {
            asked += 1
            throw new Error('the queue is away')
          },
          async askSoon(looks) {
            soon.push(...looks.map(({ orgnr }) => orgnr))
          },
        })
        publish('enheter', A)
        await eventually('it goes on', () => follower.progress().isCaughtUp && soon.length > 0)
        expect({ marks: marks.tries, asked }).toEqual({ marks: 3, asked: 1 })
        publish('enheter', B)
        publish('enheter', C, 'Fjernet')
        await eventually('the removal is heard', () => told.includes(`remove ${C}`))
        expect(soon).toContain(A)
      })

      test('what was told meanwhile is marked when they are back, once, also where it was noted before', async () => {
        const { told, marks, ports } = unmarkable([C])
        const { place, notes, isNoted, lookedTwice } = shared()
        marks.areTaken = true
        start('enheter', ports, { notes })
        await isNoted(publish('enheter', A))
        place.isThere = marks.areTaken = false
        publish('enheter', B)
        const last = publish('enheter', C)
        await isRefreshed(told, C)
        await lookedTwice()
        told.length = 0
        place.isThere = marks.areTaken = true
        await isNoted(last)
        await lookedTwice()
        expect(marked(told.filter((each) => each.startsWith('invalidate')))).toEqual([B, C])
        expect(await position('enheter')).toMatchObject({ siste_id: String(last) })
      })

      test.each([
        ['something was noted', true],
        ['nothing was noted', false],
      ])('it is by who follows next, too, where %s before', async (_, isNotedBefore) => {
        const { told, marks, ports } = unmarkable([B])
        const { place, notes, isNoted } = shared()
        if (isNotedBefore) {
          marks.areTaken = true
          const before = start('enheter', ports, { notes })
          await isNoted(publish('enheter', A))
          await before.close()
          marks.areTaken = false
        }
        place.isThere = isNotedBefore
        const first = start('enheter', ports, { notes })
        const last = publish('enheter', B)
        await isRefreshed(told, B)
        await first.close()
        place.isThere = true
        const next = recordingPorts()
        start('enheter', next.ports, { notes })
        await isNoted(last)
        expect(new Set(marked(next.told))).toEqual(new Set([B]))
      })

      test('nor is a removal waited for behind a place the register has no more: all is marked when they are back', async () => {
        const { told, marks, ports } = unmarkable()
        const { place, notes, isNoted } = shared()
        marks.areTaken = true
        const before = start('enheter', ports, { notes })
        await isNoted(publish('enheter', A))
        await before.close()
        place.isThere = marks.areTaken = false
        publish('enheter', B)
        const last = publish('enheter', C, 'Fjernet')
        register.forgetBefore('enheter', last)
        start('enheter', ports, { notes })
        await eventually('the removal is heard', () => told.includes(`remove ${C}`))
        expect(told).not.toContain('invalidate all')
        place.isThere = marks.areTaken = true
        await isNoted(last)
        expect(told).toContain('invalidate all')
      })

      test('whatever becomes of PostgreSQL in the moment they are back', async () => {
        const { told, marks, ports } = unmarkable([B])
        const { place, notes, isNoted } = shared()
        marks.areTaken = true
        const { query } = storage.database
        start('enheter', ports, { notes })
        await isNoted(publish('enheter', A))
        place.isThere = marks.areTaken = false
        const last = publish('enheter', B)
        await isRefreshed(told, B)
        await query(
          `create function nei() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
        )
        await query('create trigger nei before update of siste_id on feed_posisjon execute function nei()')
        const failuresBefore = reports.filter(({ kind }) => kind === 'failed').length
        place.isThere = marks.areTaken = true
        await eventually(
          'it could not go back, twice',
          () => reports.filter(({ kind }) => kind === 'failed').length > failuresBefore + 1,
        )
        told.length = 0
        await query('drop trigger nei on feed_posisjon')
        await query('drop function nei')
        await isNoted(last)
        expect(marked(told.filter((each) => each.startsWith('invalidate')))).toContain(B)
      })

      test('those that take notes and no marks are not gone through time and again', async () => {
        const { marks, ports } = unmarkable()
        const { notes, lookedTwice } = shared()
        publish('enheter', A)
        start('enheter', ports, { notes, markAgainMs: 3_600_000 })
        await eventually('they were once', () => marks.tries === 4)
        await lookedTwice()
        await lookedTwice()
        expect(marks.tries).toBe(4)
      })
    })

    test('those that take nothing new have not gone back', async () => {
      const { told, ports } = recordingPorts()
      const { place, notes, isNoted, lookedTwice } = shared()
      start('enheter', ports, { notes })
      await isNoted(publish('enheter', A))
      await lookedTwice()
      place.isFull = true
      await read(publish('enheter', B))
      await lookedTwice()
      expect(marked(told)).toEqual([A, B])
    })
  })

  test('P16: an empty page is fine, and moves nothing', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await eventually('it has asked', () => calls('enheter') > 1)
    const before = await position('enheter')
    const asked = calls('enheter')
    await eventually('it has asked again', () => calls('enheter') > asked + 2)
    expect(told).toEqual([])
    expect(before).toMatchObject({ siste_id: null })
    expect(await position('enheter')).toEqual(before)
    expect(reports.filter((report) => report.kind === 'failed')).toEqual([])
  })

  test('P16: an event that can not be read is counted and passed over', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    publish('enheter', '12345')
    publish('enheter', A)
    await read(publish('enheter', '12345'))
    const asked = calls('enheter')
    await eventually('it has asked again', () => calls('enheter') > asked + 1)
    expect(told).toEqual([`invalidate ${A} enhet regnskap konsern underenheter regnskapskopier`])
    const unreadable = reports.reduce(
      (sum, report) => sum + (report.kind === 'read' ? report.unreadable : 0),
      0,
    )
    expect(unreadable).toBe(2)
  })
})

describe('when something fails', () => {
  test.each(feedNames)('P16: the register fails for a while: %s goes on where it was', async (feed) => {
    const { told, ports } = recordingPorts()
    const follower = start(feed, ports)
    await read(publish(feed, A), feed)
    register.setFault(`oppdateringer/${feed}`, { kind: 'status', code: 500 }, { times: 2 })
    register.setFault('alle', { kind: 'truncated' }, { times: 2 })
    const last = publish(feed, B)
    await read(last, feed)
    expect(told.map((line) => line.split(' ')[1])).toEqual([A, B])
    expect(reports).toContainEqual({ kind: 'failed', feed, code: 'kilde_feilstatus' })
    await eventually('it is caught up', () => follower.progress().isCaughtUp)
  })

  test('P176: a page that is too large is asked for in smaller pieces', async () => {
    const patch = [{ op: 'replace', path: '/vedtektsfestetFormaal', value: 'x'.repeat(60_000) }]
    const numbers = companies(100)
    const last = numbers.map((organisasjonsnummer) =>
      register.publish('enheter', { organisasjonsnummer, endringstype: 'Endring', endringer: patch }),
    )
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(last.at(-1) ?? 0)
    expect(told).toEqual(numbers.map((company) => `invalidate ${company} enhet`))
    expect(reports).toContainEqual({ kind: 'failed', feed: 'enheter', code: 'kilde_ugyldig_svar' })
  })

  test('P16: the position waits until who was removed is buried, however often that fails', async () => {
    const { told, ports } = recordingPorts()
    let failures = 0
    const failing: ApplyPorts = {
      ...ports,
      async remove(removals) {
        if (failures < 6) {
          failures += 1
          throw new Error('not now')
        }
        return ports.remove(removals)
      },
    }
    publish('enheter', A, 'Fjernet')
    const last = publish('enheter', B)
    start('enheter', failing)
    await eventually('it has failed a few times', () => failures > 3)
    expect(await position('enheter')).toMatchObject({ siste_id: null })
    await read(last)
    expect(told).toContain(`remove ${A}`)
    expect(told).toContain(`invalidate ${B} enhet regnskap konsern underenheter regnskapskopier`)
  })

  test('a queue that is away holds a page up for some tries, and not the removals behind it for ever', async () => {
    const { told, ports } = recordingPorts(new Set([A, B, C]))
    let tries = 0
    let isAway = true
    const enqueueRefresh: ApplyPorts['enqueueRefresh'] = async (changes, held) => {
      tries += 1
      if (isAway) throw new Error('the queue is away')
      await ports.enqueueRefresh(changes, held)
    }
    const soon: string[] = []
    start('enheter', {
      ...ports,
      enqueueRefresh,
      noteWatched: async (changes) => new Map([...changes].filter(([each]) => each === A)),
      async askSoon(looks) {
        soon.push(...looks.map(({ orgnr, source }) => `${orgnr} ${source}`))
      },
    })
    await read(publish('enheter', A))
    expect(tries).toBe(3)
    await read(publish('enheter', B))
    expect(tries).toBe(4)
    // Whoever reads the others asks for it.
    expect(soon).toContain(`${A} enhet`)
    expect(soon.filter((each) => !each.startsWith(A))).toEqual([])
    isAway = false
    await read(publish('enheter', C))
    expect(told.filter((line) => line.startsWith('refresh'))).toEqual([
      `refresh ${C} enhet regnskap konsern underenheter regnskapskopier`,
    ])
    expect(told).toContain(`invalidate ${B} enhet regnskap konsern underenheter regnskapskopier`)
  })
})

describe('P189: a feed that says what no register says', () => {
  const event = (id: unknown, time: unknown, organisasjonsnummer: string) => ({
    id,
    time,
    data: { organisasjonsnummer },
  })
  const answer = (rows: unknown[]) => ({
    kind: 'status' as const,
    code: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  const now = () => new Date().toISOString()

  test.each([
    ['a NUL in an id', 'x\u0000', now()],
    ['a space in an id', '1 2', now()],
    ['a time before all calendars', '9900001', '-271821-04-20T00:00:00.000Z'],
    ['a time after them', '9900002', '+275760-09-13T00:00:00.000Z'],
  ])('%s: the event is passed over, and those behind it are done', async (_, id, time) => {
    const { told, ports } = recordingPorts()
    register.setFault(
      'oppdateringer/roller',
      answer([event(id, time, A), event('9000000', now(), B), event(id, time, A)]),
    )
    start('roller', ports)
    await read(9_000_000, 'roller')
    expect(told[0]).toBe(`invalidate ${B} roller signatur prokura`)
  })
})

describe('P189: a feed that leads astray', () => {
  const page = (rows: { id: number; dato: string }[]) => ({
    kind: 'status' as const,
    code: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      _embedded: {
        oppdaterteEnheter: rows.map(({ id, dato }) => {
          return { oppdateringsid: id, dato, organisasjonsnummer: A, endringstype: 'Endring' }
        }),
      },
      page: { totalElements: rows.length },
    }),
  })
  const row = (id: number, dato = new Date().toISOString()) => ({ id, dato })
  const astray = (rows: { id: number; dato: string }[], times?: number) =>
    register.setFault('oppdateringer/enheter', page(rows), times === undefined ? {} : { times })

  test('ids before the one that was asked from are refused, and nothing is looked at anew for them', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    const last = publish('enheter', A)
    await read(last)
    astray([row(5), row(6)], 8)
    const asked = calls('enheter')
    await eventually('it has asked often', () => calls('enheter') > asked + 8)
    expect(await position('enheter')).toMatchObject({ siste_id: String(last) })
    await read(publish('enheter', B))
    expect(told.map((line) => line.split(' ')[1])).toEqual([A, B])
  })

  test('an event of a time to come passes over nothing that is published until then', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(publish('enheter', A))
    const { siste_id: before } = (await position('enheter')) ?? {}
    astray([row(Number(before)), row(900_000_000_000, '2999-01-01T00:00:00.000Z')], 1)
    await eventually('it is followed', async () => (await position('enheter'))?.siste_id === '900000000000')
    await read(publish('enheter', B, 'Fjernet'))
    expect(told).toContain(`remove ${B}`)
  })

  test.each([
    ['enheter', Number.MAX_SAFE_INTEGER],
    ['roller', 'none-of-its-numbers'],
  ] as const)('an id of %s that it then refuses to be asked from (%s) holds up nothing', async (feed, id) => {
    const { told, ports } = recordingPorts()
    start(feed, ports)
    await read(publish(feed, A), feed)
    const { siste_id: before } = (await position(feed)) ?? {}
    const time = new Date().toISOString()
    const event = (of: unknown) => ({ id: of, time, data: { organisasjonsnummer: A } })
    const rows = [event(before), event(id)]
    register.setFault(
      `oppdateringer/${feed}`,
      feed === 'enheter'
        ? page([row(Number(before)), row(Number(id))])
        : { ...page([]), body: JSON.stringify(rows) },
      { times: 1 },
    )
    await eventually('it stands there', async () => (await position(feed))?.siste_id === String(id))
    told.length = 0
    await read(publish(feed, B), feed)
    await read(publish(feed, C), feed)
    // What was published beside it may never have been told.
    expect(told.filter((each) => each === 'invalidate all')).toHaveLength(1)
    const marked = told.map((each) => each.split(' ')[1])
    expect([marked.includes(B), marked.includes(C)]).toEqual([true, true])
  })

  test('attack: one that goes on telling an id it refuses has all looked at anew once, and never stands there again', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(publish('enheter', A))
    const stray = { id: Number.MAX_SAFE_INTEGER, isStray: true }
    register.publish('enheter', { organisasjonsnummer: A, endringstype: 'Endring' }, stray)
    await eventually('all is looked at anew', () => told.includes('invalidate all'))
    const quiet = calls('enheter')
    await eventually('it is asked while nothing comes', () => calls('enheter') > quiet + 12)
    await read(publish('enheter', B))
    const busy = calls('enheter')
    await eventually('it is asked after more has come', () => calls('enheter') > busy + 12)
    await read(publish('enheter', C, 'Fjernet'))
    expect(told.filter((each) => each === 'invalidate all')).toHaveLength(1)
    expect(told.filter((each) => each.startsWith(`invalidate ${B}`))).toHaveLength(1)
    expect(told.at(-1)).toBe(`remove ${C}`)
  })

  test('attack: one that refuses each id is not followed by having all looked at anew time and again', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(publish('enheter', A))
    const times = () => told.filter((each) => each === 'invalidate all').length
    const failures = () => reports.filter(({ kind }) => kind === 'failed').length
    for (let stray = 0; failures() === 0; stray += 1) {
      const [before, id] = [times(), Number.MAX_SAFE_INTEGER - 100 + stray]
      register.publish('enheter', { organisasjonsnummer: B, endringstype: 'Endring' }, { id, isStray: true })
      await eventually('it is refused', () => times() > before || failures() > 0)
    }
    const asked = calls('enheter')
    await eventually('it is asked on', () => calls('enheter') > asked + 12)
    expect(times()).toBe(5)
  })

  test('one that refuses whatever it is asked is no place lost: it goes on where it was', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    const last = publish('enheter', A)
    await read(last)
    const asked = calls('enheter')
    register.setFault('oppdateringer/enheter', { kind: 'status', code: 400 }, { times: 12 })
    await eventually('it has asked often', () => calls('enheter') > asked + 12)
    await read(publish('enheter', B))
    expect(told).not.toContain('invalidate all')
  })

  test('a full page of the event it stands at is not asked for again at once', async () => {
    const last = publish('enheter', A)
    const first = start('enheter', recordingPorts().ports)
    await read(last)
    await first.close()
    astray([row(last), row(last)])
    const asked = calls('enheter')
    const follower = start('enheter', recordingPorts().ports, { pageSize: 2, pollMs: 3_600_000 })
    const done = () => reports.filter(({ kind }) => kind === 'progress').length
    const told = done()
    await eventually('it has been read', () => done() > told + 1)
    // As many questions to PostgreSQL as it would have had to ask the register by now.
    for (let turn = 0; turn < 20; turn += 1) await position('enheter')
    expect(calls('enheter')).toBe(asked + 1)
    await follower.close()
  })

  test('more events than were asked for are not looked at', async () => {
    const { told, ports } = recordingPorts()
    astray([row(7), row(8), row(9)], 1)
    start('enheter', ports, { pageSize: 2 })
    await eventually('it is refused', () => reports.some(({ kind }) => kind === 'failed'))
    expect(told).toEqual([])
  })
})

describe('P16: a gap leads to reconciliation', () => {
  test('the register has forgotten where we stand: everything is marked stale, and what it still has is done', async () => {
    const before = recordingPorts()
    const first = start('enheter', before.ports)
    await read(publish('enheter', A))
    await first.close()
    publish('enheter', B)
    const kept = publish('enheter', C, 'Fjernet')
    register.forgetBefore('enheter', kept)
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    await read(kept)
    expect(told).toEqual(['invalidate all', `remove ${C}`])
    expect(reports).toContainEqual({ kind: 'reconciled', feed: 'enheter' })
  })

  test.each(['enheter', 'roller'] as const)('%s has begun its numbering anew', async (feed) => {
    const { told, ports } = recordingPorts()
    start(feed, ports)
    await read(publish(feed, A), feed)
    const restarted = register.publish(feed, { organisasjonsnummer: B, endringstype: 'Endring' }, { id: 7 })
    await read(restarted, feed)
    await read(publish(feed, C), feed)
    expect(told.filter((line) => line === 'invalidate all')).toHaveLength(1)
    expect(told.indexOf('invalidate all')).toBe(1)
    expect(told.slice(2).map((line) => line.split(' ')[1])).toEqual([B, C])
  })

  test('ids far apart are no gap, and one strange answer is none either', async () => {
    const { told, ports } = recordingPorts()
    start('enheter', ports)
    const first = publish('enheter', A)
    await read(first)
    const empty = JSON.stringify({ page: { totalElements: 0 } })
    register.setFault(
      'oppdateringer/enheter',
      { kind: 'status', code: 200, headers: { 'content-type': 'application/json' }, body: empty },
      { times: 2 },
    )
    const next = register.publish(
      'enheter',
      { organisasjonsnummer: B, endringstype: 'Endring' },
      { id: first + 5_000_000 },
    )
    await read(next)
    expect(told.map((line) => line.split(' ')[1])).toEqual([A, B])
  })
})

describe('one follower at a time', () => {
  test('of three, one asks the register; when it ends the next goes on at once', async () => {
    const { told, ports } = recordingPorts()
    const forLong = { leaseMs: 3_600_000 }
    const followers = [1, 2, 3].map(() => start('roller', ports, forLong))
    await eventually('one follows', () => followers.some((follower) => follower.progress().isFollowing))
    await read(publish('roller', A), 'roller')
    const leaders = followers.filter((follower) => follower.progress().isFollowing)
    expect(leaders).toHaveLength(1)
    await leaders[0]?.close()
    await read(publish('roller', B), 'roller')
    expect(told.map((line) => line.split(' ')[1])).toEqual([A, B])
    expect(followers.filter((follower) => follower.progress().isFollowing)).toHaveLength(1)
  })

  test('P16: one that was away too long neither moves the position nor goes on', async () => {
    const slow = recordingPorts()
    const held = Promise.withResolvers<void>()
    let isBusy = false
    const invalidate: ApplyPorts['invalidate'] = async (changes) => {
      isBusy = true
      await held.promise
      return slow.ports.invalidate(changes)
    }
    const first = start('roller', { ...slow.ports, invalidate })
    const event = publish('roller', A)
    await eventually('the first is busy with it', () => isBusy)
    // As if its lease had run out while the process stood still.
    await storage.database.query(`update feed_posisjon set leid_til = now()`)
    await storage.database.query(
      `update feed_posisjon set leienummer = leienummer + 1, siste_id = '9999999', siste_at = now()`,
    )
    held.resolve()
    await eventually('the first has noticed', () => !first.progress().isFollowing || slow.told.length > 0)
    await first.close()
    expect((await position('roller'))?.siste_id).toBe('9999999')
    expect(event).toBeLessThan(9_999_999)
  })
})

describe('the lag is a metric', () => {
  test('P16: a quiet feed has none, and a register that does not answer lets it grow', async () => {
    const { ports } = recordingPorts()
    const follower = start('enheter', ports, { deadlineMs: 50 })
    await eventually('it is caught up', () => follower.progress().isCaughtUp)
    const last = publish('enheter', A, 'Endring', new Date(Date.now() - 7_200_000).toISOString())
    expect(last).toBeGreaterThan(0)
    expect(follower.progress().lagMs).toBeLessThan(5000)
    register.setFault('oppdateringer/enheter', { kind: 'hang' })
    await eventually('it is behind', () => !follower.progress().isCaughtUp)
    const { lagMs } = follower.progress()
    await eventually('it falls further behind', () => (follower.progress().lagMs ?? 0) > (lagMs ?? 0) + 50)
    expect(reports).toContainEqual({
      kind: 'progress',
      progress: expect.objectContaining({ feed: 'enheter', isFollowing: true, isCaughtUp: false }),
    })
  })

  test('before it is caught up it is as old as the newest event that is done', async () => {
    const { ports } = recordingPorts()
    const hold = Promise.withResolvers<void>()
    const hourAgo = new Date(Date.now() - 3_600_000)
    const numbers = companies(150)
    for (const company of numbers) publish('enheter', company, 'Endring', hourAgo.toISOString())
    let pages = 0
    const invalidate: ApplyPorts['invalidate'] = async (changes) => {
      pages += 1
      if (pages === 2) await hold.promise
      return ports.invalidate(changes)
    }
    const follower = start('enheter', { ...ports, invalidate }, { beginEarlierMs: 7_200_000 })
    await eventually('it is at its second page', () => pages === 2)
    expect(follower.progress()).toMatchObject({ isCaughtUp: false, newestAt: hourAgo })
    expect(follower.progress().lagMs).toBeGreaterThanOrEqual(3_600_000)
    hold.resolve()
    await eventually('it is caught up', () => follower.progress().isCaughtUp)
  })
})
