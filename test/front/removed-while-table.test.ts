import { expect, it } from 'vitest'
import type { Front } from '#src/front/app.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { createSamples } from '#src/wiring/samples.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The answer to whoever asks for a table while these are removed, each time in the moment its company is found. */
async function askedFor(accept: string, removedAs: (times: number) => string) {
  const reading = await createSamples({ clock: { now: () => new Date('2026-11-21T08:00:00Z') } }).read(
    SAMPLE.healthy,
  )
  const bytes = Buffer.from(JSON.stringify(reading.outcome === 'record' && reading.record))
  const removed = new Set<string>()
  let times = 0
  const front = await startPageFront(closedPages(), {
    changes: {
      verifier: { verify: () => ({ ok: true, key: KEY }), atHand: () => null },
      many: {
        erased: (named) => String((named?.intersection(removed) ?? removed).size),
        turn: () => null,
        waiting: () => 0,
        async *read() {
          times += 1
          removed.add(removedAs(times))
          const answer = { bytes }
          yield [
            { outcome: 'record', answer, came: { by: 'hit', tier: 'answers' }, lacking: null, forced: null },
          ]
        },
      } as Partial<Front['many']> as Front['many'],
    },
  })
  try {
    const { status } = await fetch(`${front.origin}/api/bedrift/oppslag`, {
      method: 'POST',
      headers: { authorization: 'Bearer bo_test', 'content-type': 'text/plain', accept },
      body: SAMPLE.healthy,
    })
    return { status, times }
  } finally {
    await front.close()
  }
}

it.each(['text/csv', XLSX])(
  'P11: attack: a table is made once where others than it names are removed, and again where one of its own is (%s)',
  async (accept) => {
    expect(await askedFor(accept, (times) => `another ${times}`)).toEqual({ status: 200, times: 1 })
    expect(await askedFor(accept, (times) => (times === 1 ? SAMPLE.healthy : 'another'))).toEqual({
      status: 200,
      times: 2,
    })
  },
)
