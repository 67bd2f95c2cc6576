import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

const ORGNR = '923609016'
/** Of a connection on which nothing comes and goes. */
const SILENT_MS = 200

it.each(['text/csv', 'application/x-ndjson'])(
  'P99: many companies that nothing can be sent of for longer than a silent client is kept are answered whole (%s)',
  async (accept) => {
    const front = await startPageFront(closedPages(), {
      changes: {
        verifier: { verify: () => ({ ok: true, key: KEY }), atHand: () => null },
        policy: { ...policy.http, connectionTimeoutMs: SILENT_MS },
        many: {
          erased: () => '',
          turn: () => null,
          waiting: () => 0,
          async *read() {
            await pause(5 * SILENT_MS)
            yield [{ outcome: 'unknown' as const, forced: null }]
          },
        },
      },
    })
    try {
      const answer = await fetch(`${front.origin}/api/bedrift/oppslag`, {
        method: 'POST',
        headers: { authorization: 'Bearer bo_test', 'content-type': 'text/plain', accept },
        body: ORGNR,
      })
      expect(await answer.text()).toContain('ukjent_organisasjonsnummer')
    } finally {
      await front.close()
    }
  },
)
