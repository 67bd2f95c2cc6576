import { afterEach, describe, expect, it } from 'vitest'
import { type ChangeWaiter, createWaiting, type WaitingReaders } from '#src/changes/waiting.ts'

const EVERYBODY = { eier: null, prove: true }
const OWN_TEST = { eier: 'abcdefghijkl', prove: true }
const CUSTOMER = { eier: 'kjede', prove: false }

it('P193: attack: who waits for changes is woken by a log that was set back: what is new in it has numbers that were looked at', async () => {
  let newest = 10
  const waiting = createWaiting({
    newest: async () => newest,
    concerned: async () => ({ newest, owners: new Set(), anyInvented: false }),
    onFault: () => {},
    policy: { lookEveryMs: 60_000, ofOneMax: 2, ofTestsMax: 4, inAllMax: 10 },
  })
  const waiter = waiting.enter(CUSTOMER, 'a') as ChangeWaiter
  waiting.ring()
  expect(await waiter.woken()).toBe(true)
  newest = 5
  waiting.ring()
  expect(await waiter.woken()).toBe(true)
  waiter.leave()
  await waiting.close()
})

describe('P131: readers who wait', () => {
  let waiting: WaitingReaders
  const open = () =>
    createWaiting({
      newest: async () => 0,
      concerned: async () => ({ newest: 0, owners: new Set(), anyInvented: false }),
      onFault: () => {},
      policy: { lookEveryMs: 60_000, ofOneMax: 2, ofTestsMax: 4, inAllMax: 10 },
    })
  afterEach(() => waiting.close())

  it.each([
    ['the key that everybody has', EVERYBODY],
    ['test keys of their own', OWN_TEST],
  ])('with %s leave the customers theirs, from however many networks they come', (_, watcher) => {
    waiting = open()
    const crowd = Array.from({ length: 20 }, (_, network) => waiting.enter(watcher, `198.51.100.${network}`))
    expect(crowd.filter((each) => typeof each !== 'string')).toHaveLength(4)
    expect(crowd.at(-1)).toBe('one')
    expect(typeof waiting.enter(CUSTOMER, 'a')).toBe('object')
    const [first] = crowd as ChangeWaiter[]
    first?.leave()
    first?.leave()
    expect(typeof waiting.enter(EVERYBODY, '203.0.113.9')).toBe('object')
    expect(waiting.enter(EVERYBODY, '203.0.113.10')).toBe('one')
  })
})
