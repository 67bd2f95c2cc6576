import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Front } from '#src/front/app.ts'
import { createSamples } from '#src/wiring/samples.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { KEY, type PageFront, startPageFront } from './page-front.ts'

const REAL = '974760673'
const NAME = 'TINDEVÅG SJØMAT AS'
const cookie = `bedriftsoppslag=${'s'.repeat(43)}`

let front: PageFront
/** Who was removed is found, and read, so many times before it is heard of. */
let timesBefore = 1
let asked = 0
/** Of others, each time it is asked for. */
let areOthersRemoved = false
beforeEach(() => {
  timesBefore = 1
  asked = 0
  areOthersRemoved = false
})
beforeAll(async () => {
  const pages = closedPages()
  const reading = await createSamples({ clock: { now: () => new Date('2026-11-21T08:00:00Z') } }).read(
    SAMPLE.healthy,
  )
  const record = Buffer.from(JSON.stringify(reading.outcome === 'record' && reading.record))
  const isRemoved = () => asked > timesBefore
  front = await startPageFront(pages, {
    changes: {
      many: {
        read: () => expect.unreachable(),
        turn: () => null,
        waiting: () => 0,
        // Each time it is asked for somebody is removed in that moment, until it is known of this one.
        erased(named) {
          if (!areOthersRemoved) return String(Math.min(asked, timesBefore))
          return String(named === undefined ? asked : 0)
        },
      },
      sessions: {
        begin: () => expect.unreachable(),
        who: async () => ({ ok: true, key: KEY }),
        end: () => expect.unreachable(),
        rightLately: () => null,
      },
      search: {
        ...pages.samples.search,
        async finn(clues, caller) {
          const found = await pages.samples.search.finn(clues, caller)
          asked += 1
          return isRemoved()
            ? { ...found, answer: { ...found.answer, foretak: null, kandidater: [] } }
            : found
        },
        mayShow: () => true,
        toSn2025: () => [],
      },
      reader: {
        read: async () => {
          asked += 1
          return isRemoved()
            ? { outcome: 'removed', slettedato: null, forced: null }
            : {
                outcome: 'record',
                answer: { bytes: record },
                came: { by: 'hit', tier: 'answers' },
                lacking: null,
              }
        },
      } as unknown as Front['reader'],
    },
  })
})
afterAll(() => front.close())

async function listed(gjor: string) {
  const { text, headers } = await front.get('/liste', { cookie })
  const skjema = /name="skjema" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const cookies = [cookie, ...headers.getSetCookie().map((each) => each.split(';')[0])].join('; ')
  return front.post('/liste', { skjema, linjer: NAME, gjor }, { cookie: cookies })
}

it.each(['', 'csv'])(
  'P11: attack: who is removed while a list is looked up is not told of in what is made of it (%s)',
  async (gjor) => {
    const { status, text } = await listed(gjor)
    expect([status, text.includes(SAMPLE.healthy), asked]).toEqual([200, false, 2])
  },
)

it('P11: attack: who is removed while a workbook of it is written is not told of', async () => {
  const { status } = await front.get(`/foretak/${REAL}/xlsx`, { cookie })
  expect([status, asked]).toEqual([410, 2])
})

it('P11: attack: where others are removed again and again, it is told, and made once', async () => {
  areOthersRemoved = true
  timesBefore = 100
  const listing = await listed('csv')
  expect([listing.status, listing.text.includes(SAMPLE.healthy), asked]).toEqual([200, true, 1])
  const { status } = await front.get(`/foretak/${REAL}/xlsx`, { cookie })
  expect([status, asked]).toEqual([200, 2])
})

it('P11: attack: where one of them is removed again and again, nothing is told, and it is not tried without end', async () => {
  timesBefore = 100
  expect([(await listed('csv')).status, asked]).toEqual([503, 3])
})
