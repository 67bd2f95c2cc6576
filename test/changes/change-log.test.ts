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
    const log = createChangeLog({ db, waiting, isErased: () => false, policy: policy.changeLog })
    const question = { after: null, orgnr: null, types: null, size: 10 }
    const leaving = new AbortController()
    const answers = Array.from({ length: READERS }, (_, index) =>
      log.read({ eier: null, prove: true }, question, {
        of: `network ${index >> 3}`,
        ms: 60_000,
        signal: leaving.signal,
        room: async () => () => {},
      }),
    )
    await eventually('all have come', () => read === READERS)
    waiting.ring()
    await eventually('all of them are woken', () => read === 2 * READERS)
    expect(most).toBe(policy.changeLog.pagesAtOnce)
    leaving.abort()
    expect(new Set((await Promise.all(answers)).map(({ outcome }) => outcome))).toEqual(new Set(['page']))
  })

  it.each([0, 60_000])(
    'P183: attack: a page that is asked for while many are told waits for room before it is read, and has none where it has nothing (vent %i ms)',
    async (ms) => {
      let read = 0
      const db = {
        async query() {
          read += 1
          return []
        },
      }
      waiting = createWaiting({
        newest: async () => 0,
        concerned: async () => ({ newest: 0, owners: new Set(), anyInvented: true }),
        onFault: () => {},
        policy: { lookEveryMs: 60_000, ofOneMax: 8, ofTestsMax: READERS, inAllMax: READERS },
      })
      const log = createChangeLog({ db, waiting, isErased: () => false, policy: policy.changeLog })
      const room = Promise.withResolvers<void>()
      let givenBack = 0
      const leaving = new AbortController()
      const answer = log.read(
        { eier: null, prove: true },
        { after: null, orgnr: null, types: null, size: 10 },
        {
          of: 'network',
          ms,
          signal: leaving.signal,
          room: async () => {
            await room.promise
            return () => {
              givenBack += 1
            }
          },
        },
      )
      for (let times = 0; times < 20; times++) await turn()
      expect(read).toBe(0)
      room.resolve()
      await eventually('it is read', () => read > 0)
      if (ms > 0) await eventually('it has nothing, and no room', () => givenBack === 1)
      leaving.abort()
      expect((await answer).outcome).toBe('page')
    },
  )
})
