import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { whoAsks } from '#src/core/asker.ts'
import { noChanges } from '#test/support/closed-pages.ts'
import { KEY } from '../pages/page-front.ts'
import { askedBySixtyAndAnother } from './sixty-and-another.ts'

const { historyMax, sizeMax } = policy.changeLog

it.each(['/api/bedrift/923609016/historikk', `/api/bedrift/923609016/endringer?size=${sizeMax}`])(
  'P183: attack: of sixty who ask at once by one key for the longest there is of what changed, some are told at a time, and another’s is told meanwhile (%s)',
  async (path) => {
    let [held, heldMost] = [0, 0]
    const anothersIsTold = Promise.withResolvers<void>()
    // A history is told from the oldest on, a page from the newest.
    const toldLast = path.endsWith('/historikk') ? historyMax : historyMax - sizeMax + 1
    /** A line as it was, `nr` below the last of the page before. */
    const line = (nr: number) => ({
      nr,
      orgnr: '923609016',
      seksjon: 'roller',
      type: 'roller.styre.endret',
      get felt() {
        if (nr === toldLast) held -= 1
        return [{ felt: '/roller/data/styremedlemmer', for: null, etter: { navn: `MEDLEM ${nr}` } }]
      },
      nevner: [],
      hendelse: null,
      forrige: new Date('2026-11-20T08:00:00Z'),
      sett: new Date('2026-11-21T08:00:00Z'),
      prove: false,
    })
    const ofCompany = async (_orgnr: string, { before }: { before: number | null }) => {
      if (before === null) held += 1
      heldMost = Math.max(heldMost, held)
      if (whoAsks() === KEY.right) await anothersIsTold.promise
      const from = before ?? historyMax + 1
      const lines = Array.from({ length: sizeMax }, (_, at) => line(from - 1 - at))
      return { changes: lines, last: from - sizeMax > 1 ? (lines.at(-1) ?? null) : null }
    }
    await askedBySixtyAndAnother(path, { log: { ...noChanges.log, ofCompany } }, anothersIsTold.resolve)
    expect(heldMost).toBeLessThan(10)
  },
)
