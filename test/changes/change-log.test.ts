import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { createWaiting, type WaitingReaders } from '#src/changes/waiting.ts'
import { eventually } from '#test/support/eventually.ts'

const READERS = 1500

describe('readers who wait for changes', () => {
  let waiting: WaitingReaders
  afterEach(() => waiting.close())

  it('P167: who are all woken at once read a few at a time, and each is answered', async () => {
    let [reading, most, read] = [0, 0, 0]
    const db = {
      async query() {
        reading += 1
        most = Math.max(most, reading)
        await turn()
        reading -= 1
        read += 1
        return []
      },
    }
    const written = 0
    waiting = createWaiting({
      newest: async () => written,
      concerned: async () => ({ newest: written, owners: new Set(), anyInvented: true }),
      onFault: () => {},
      policy: { lookEveryMs: 60_000, ofOneMax: 8, ofTestsMax: READERS, inAllMax: READERS },
    })
    const log = createChangeLog({ db, waiting, policy: policy.changeLog })
    const question = { after: null, orgnr: null, types: null, size: 10 }
    const leaving = new AbortController()
    const answers = Array.from({ length: READERS }, (_, index) =>
      log.read({ eier: null, prove: true }, question, {
        of: `network ${index >> 3}`,
        ms: 60_000,
        signal: leaving.signal,
      }),
    )
    await eventually('all have come', () => read === READERS)
    waiting.ring()
    await eventually('all of them are woken', () => read === 2 * READERS)
    expect(most).toBe(policy.changeLog.pagesAtOnce)
    leaving.abort()
    expect(new Set((await Promise.all(answers)).map(({ outcome }) => outcome))).toEqual(new Set(['page']))
  })
})
