import { expect, it } from 'vitest'
import { closedPages } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

it.each(['text/csv', XLSX])(
  'P26: a table that is made when its key ends is given to nobody (%s)',
  async (accept) => {
    let isFound = false
    let looks = 0
    const front = await startPageFront(closedPages(), {
      changes: {
        verifier: {
          verify() {
            if (isFound) looks += 1
            // Still good when the last company was found.
            return looks > 1
              ? { ok: false, why: 'tilbakekalt', utloper: KEY.utloper }
              : { ok: true, key: KEY }
          },
          atHand: () => null,
        },
        many: {
          erased: () => '',
          turn: () => null,
          waiting: () => 0,
          async *read() {
            isFound = true
            yield [{ outcome: 'unknown' as const, forced: null }]
          },
        },
      },
    })
    try {
      const answer = await fetch(`${front.origin}/api/bedrift/oppslag`, {
        method: 'POST',
        headers: { authorization: 'Bearer bo_test', 'content-type': 'text/plain', accept },
        body: '923609016',
      })
      expect([answer.status, ((await answer.json()) as { kode: string }).kode]).toEqual([
        401,
        'tilbakekalt_nokkel',
      ])
      expect(looks).toBe(2)
    } finally {
      await front.close()
    }
  },
)
