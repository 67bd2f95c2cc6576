import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { askedBy, askerIs, ownLine } from '#src/core/asker.ts'
import { createTurns, NoTurnError, type Turn } from '#src/core/turns.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { eventually } from '#test/support/eventually.ts'

/** Turns whose work is held until it is let go, and the order it was begun in. */
function held(options: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(options)
  const begun: string[] = []
  const holds: (() => void)[] = []
  return {
    turns,
    begun,
    ask(
      of: string,
      { rank = 0, leads = false, signal }: Partial<Turn> & { signal?: AbortSignal } = {},
    ): Promise<string> {
      const work = () =>
        new Promise<void>((resolve) => {
          begun.push(leads ? `${of}!` : of)
          holds.push(resolve)
        })
      return turns.run({ of, rank, leads }, work, signal).then(
        () => 'done',
        (error) => (error instanceof NoTurnError ? 'no turn' : 'gave up'),
      )
    },
    /** One after the other, until there are so many. */
    async goOn(count: number): Promise<void> {
      while (begun.length < count) {
        const hold = holds.shift()
        hold?.()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

describe('turns', () => {
  it('P61: are equal, however many one has waiting, and in the order they came', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 100 })
    for (let count = 0; count < 50; count++) void ask('many')
    void ask('one')
    for (let count = 0; count < 2; count++) void ask('two')
    await goOn(8)
    expect(begun.slice(0, 8)).toEqual(['many', 'many', 'one', 'two', 'many', 'two', 'many', 'many'])
  })

  it('P61: attack: of strangers, from however many networks, are every other where others wait, and half of a full line', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 10 })
    const stranger = (of: number) => askedBy(`192.0.2.${of}`, () => ask(`stranger ${of}`))
    const customer = (of: string) =>
      askedBy('192.0.2.99', () => {
        askerIs(of)
        return ask(of)
      })
    const crowd = Array.from({ length: 15 }, (_, of) => stranger(of))
    const customers = ['one', 'two', 'three'].map(customer)
    await goOn(6)
    expect(begun.slice(1, 6)).toEqual(['one', 'stranger 1', 'two', 'stranger 2', 'three'])
    await goOn(8 + customers.length)
    expect(begun).toHaveLength(8 + customers.length)
    expect((await Promise.all(crowd.slice(8))).every((told) => told === 'no turn')).toBe(true)
  })

  it('come at once to whoever asks for one, and no oftener to whoever asks for one after the other', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 100 })
    for (let count = 0; count < 50; count++) void ask('many')
    await goOn(3)
    void ask('one').then(() => ask('one').then(() => ask('one')))
    await goOn(10)
    expect(begun.slice(3, 9)).toEqual(['one', 'many', 'one', 'many', 'one', 'many'])
  })

  it('are first those of the first rank', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 100 })
    for (let count = 0; count < 5; count++) void ask('later', { rank: 1 })
    for (let count = 0; count < 2; count++) void ask('sooner')
    await goOn(4)
    expect(begun.slice(0, 4)).toEqual(['later', 'sooner', 'sooner', 'later'])
  })

  it('P61: of one name are first those that lead, in the order they came, and never before another’s', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 100 })
    for (let count = 0; count < 3; count++) void ask('many')
    for (let count = 0; count < 2; count++) void ask('many', { leads: true })
    for (let count = 0; count < 2; count++) void ask('one')
    await goOn(7)
    expect(begun).toEqual(['many', 'many!', 'one', 'many!', 'one', 'many', 'many'])
  })

  it('P61: attack: of one name what does not lead is passed by a crowd, and not by those who come without end', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 100 })
    for (let count = 0; count < 3; count++) void ask('many')
    for (let count = 0; count < 40; count++) void ask('many', { leads: true })
    for (let count = 0; count < 100; count++) {
      void ask('many', { leads: true })
      await goOn(count + 2)
    }
    expect(begun.slice(1, 41)).toEqual(Array.from({ length: 40 }, () => 'many!'))
    expect(begun.filter((each) => each === 'many')).toHaveLength(3)
  })

  it('leave places for another while one alone would take them all', async () => {
    const { ask, begun, turns } = held({ atOnce: 4, atOnceForOne: 3, waitingMax: 100 })
    for (let count = 0; count < 10; count++) void ask('many')
    await eventually('places are taken', () => begun.length === 3)
    expect(turns.waiting()).toBe(7)
    void ask('one')
    await eventually('it is begun', () => begun.at(-1) === 'one')
  })

  it('P149: keep places for those of the first rank, whoever else waits', async () => {
    const { ask, begun } = held({ atOnce: 4, atOnceForOne: 3, keptForFirst: 2, waitingMax: 100 })
    for (const name of ['a', 'b', 'c']) void ask(name, { rank: 1 })
    await eventually('places are taken', () => begun.length === 2)
    void ask('')
    void ask('')
    await eventually('both are begun', () => begun.length === 4)
    expect(begun).toEqual(['a', 'b', '', ''])
  })

  it('tell whether somebody who waits would have a place, were it given back', async () => {
    const { ask, begun, turns } = held({ atOnce: 3, atOnceForOne: 2, waitingMax: 100 })
    for (const name of ['a', 'a', 'a']) void ask(name)
    await eventually('places are taken', () => begun.length === 2)
    expect(['a', 'b'].map(turns.isWanted)).toEqual([true, false])
    for (const name of ['b', 'b']) void ask(name)
    await eventually('all are taken', () => begun.length === 3)
    expect(['a', 'b', 'c'].map(turns.isWanted)).toEqual([true, true, true])
  })

  it('are waited for in a line that is bounded: who has the most waiting gives up the newest', async () => {
    const { ask, begun, goOn } = held({ atOnce: 1, waitingMax: 10 })
    const many = Array.from({ length: 12 }, () => ask('many'))
    expect(await many[11]).toBe('no turn')
    void ask('one')
    expect(await many[10]).toBe('no turn')
    for (let index = 0; index < 4; index++) void ask(`other ${index}`)
    await goOn(11)
    expect(begun.filter((of) => of !== 'many')).toEqual(['one', 'other 0', 'other 1', 'other 2', 'other 3'])
    expect(begun.lastIndexOf('other 3')).toBeLessThan(8)
  })

  it('are not for whoever has gone', async () => {
    const { ask, begun, goOn, turns } = held({ atOnce: 1, waitingMax: 10 })
    void ask('first')
    const gone = new AbortController()
    const left = ask('second', { signal: gone.signal })
    void ask('third')
    gone.abort()
    expect(await left).toBe('gave up')
    expect(turns.waiting()).toBe(1)
    await goOn(2)
    expect(begun).toEqual(['first', 'third'])
    expect(await ask('fourth', { signal: AbortSignal.abort() })).toBe('gave up')
  })

  it('come at a pace, if there is one', async () => {
    let isTime = false
    const { ask, begun } = held({ atOnce: 5, waitingMax: 10, waitMs: () => (isTime ? 0 : 1) })
    void ask('one')
    void ask('two')
    expect(begun).toEqual([])
    isTime = true
    await eventually('they are begun', () => begun.length === 2)
  })

  it('come to a lower rank that may go at once while a higher one waits for its pace', async () => {
    const { begun, ask, turns } = held({
      atOnce: 5,
      waitingMax: 5,
      waitMs: ({ rank }) => (rank === 0 ? 0 : 60_000),
    })
    const leaving = new AbortController()
    const later = ask('many', { rank: 2, signal: leaving.signal })
    ask('single')
    await eventually('it has begun', () => begun.length === 1)
    expect([begun, turns.waiting()]).toEqual([['single'], 1])
    leaving.abort()
    expect(await later).toBe('gave up')
  })

  it('P54: attack: many who each have much wait for one another: that a turn does not come is for none of their own', async () => {
    const { ask, turns } = held({ atOnce: 2, atOnceForOne: 2, waitingMax: 6 })
    const [late, full] = [new Error('late'), new NoTurnError(6)]
    void ask('a')
    void ask('a')
    for (const name of ['b', 'b', 'c', 'c']) void ask(name)
    const isForOwn = (error: Error) => ['a', 'b', 'c'].map((of) => turns.isForOwn(of, error))
    // All places are one's: another of that one's waits for those, and the others' for a turn.
    expect(isForOwn(late)).toEqual([true, false, false])
    expect(isForOwn(full)).toEqual([false, false, false])
    void ask('c')
    void ask('c')
    expect(isForOwn(full)).toEqual([false, false, true])
  })

  it('P54: what is waited for behind what the same name has is measured, each moment once; behind others it is not', async () => {
    const lines = [1, 2].map(() => held({ atOnce: 2, waitingMax: 9 }))
    const asked = (of: string) =>
      askedBy(of, () => ({ ms: ownLine().ms, done: Promise.all(lines.map(({ ask }) => ask(of))) }))
    const taken = ['a', 'a'].map(asked)
    const begunAtMs = performance.now()
    const behindOwn = asked('a')
    // The last of them has another of its name before it, and more of others.
    const behindOthers = ['b', 'c', 'b'].map(asked)
    await eventually('some time has gone by', () => behindOwn.ms() > 1)
    for (const { goOn } of lines) await goOn(6)
    const waitedMs = behindOwn.ms()
    expect(waitedMs).toBeLessThanOrEqual(performance.now() - begunAtMs)
    await Promise.all([
      behindOwn.done,
      eventually('it is later', () => performance.now() > begunAtMs + waitedMs + 2),
    ])
    expect(behindOwn.ms()).toBe(waitedMs)
    expect([...taken, ...behindOthers].map(({ ms }) => ms())).toEqual([0, 0, 0, 0, 0])
  })

  it('P61: attack: come to who waits when the process has stood still and they have come meanwhile', async () => {
    const turns = createTurns({ atOnce: 1, waitingMax: 1 })
    // From here on timers come before what is read.
    await new Promise(setImmediate)
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const { port1, port2 } = new MessageChannel()
    port1.once('message', () => end())
    const first = turns.run({ of: 'a', rank: 0 }, () => over)
    const waiting = turns.runWithin(1, { of: 'b', rank: 0 }, async () => 'done')
    port2.postMessage('it is over')
    beBusyFor(5)
    expect(await waiting).toEqual({ hadTurn: true, value: 'done' })
    await first
    port1.close()
  })

  it('are waited for so long and no longer, which is told apart from how the work itself ends', async () => {
    const turns = createTurns({ atOnce: 1, waitingMax: 1 })
    const turn = { of: 'b', rank: 0 }
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    const done = async () => 'done'
    expect(await turns.runWithin(0, turn, done)).toEqual({ hadTurn: true, value: 'done' })
    const others = new NoTurnError(1)
    await expect(turns.runWithin(60_000, turn, () => Promise.reject(others))).rejects.toBe(others)
    const first = turns.run({ of: 'a', rank: 0 }, () => over)
    expect(await turns.runWithin(1, turn, done)).toMatchObject({ hadTurn: false, isOwn: false })
    expect(turns.waiting()).toBe(0)
    const coming = turns.runWithin(60_000, turn, done)
    end()
    await first
    expect(await coming).toEqual({ hadTurn: true, value: 'done' })
  })

  it('come again after work that failed', async () => {
    const turns = createTurns({ atOnce: 1, waitingMax: 1 })
    const turn = { of: '', rank: 0 }
    await expect(turns.run(turn, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await turns.run(turn, async () => 'done')).toBe('done')
  })
})
