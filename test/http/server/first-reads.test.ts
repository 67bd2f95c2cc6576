import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { connectionTaken } from '#src/core/newcomers.ts'
import { createFirstReads } from '#src/http/server/first-reads.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { earlierClock } from '#test/support/earlier-clock.ts'
import { eventually } from '#test/support/eventually.ts'

function open({ onRead = (_: Socket) => {} } = {}) {
  const read: string[] = []
  const names = new Map<Socket, string>()
  const reads = createFirstReads(policy.http, {
    read(socket) {
      read.push(names.get(socket) ?? '')
      onRead(socket)
    },
  })
  const hold = (network: string, name: string, more: object = {}) => {
    const socket = { destroyed: false, pause: () => {}, ...more } as unknown as Socket
    names.set(socket, name)
    reads.hold(socket, network)
    return socket
  }
  return { read, reads, hold }
}

it('P43: of those who connected at one moment networks are read in turns, the one that came last first, and of one the oldest', async () => {
  const { read, hold } = open()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) hold(name.charAt(0), name)
  await eventually('all are read', () => read.length === 6)
  expect(read).toEqual(['c1', 'b1', 'a1', 'b2', 'a2', 'a3'])
})

it('P43: whoever comes to a crowd of another network is read next, or next but one', async () => {
  const { read, hold } = open()
  for (let each = 0; each < 200; each++) hold(`network ${each % 100}`, String(each))
  await nextTurn()
  const before = read.length
  expect(before).toBeGreaterThan(0)
  hold('another', 'newcomer')
  await eventually('all are read', () => read.length === 201)
  expect(read.slice(before, before + 2)).toContain('newcomer')
})

it('P43: attack: where as many wait as may the network of which most do gives up its oldest, and whoever comes of another is read next', async () => {
  const { read, hold } = open()
  const destroyed: string[] = []
  const come = (network: string, name: string) => hold(network, name, { destroy: () => destroyed.push(name) })
  const most = policy.http.firstReadsWaitingMax
  for (let each = 0; each < most; each++) come(`network ${Math.min(each, 9)}`, String(each))
  expect(destroyed).toEqual([])
  come('another', 'newcomer')
  expect(destroyed).toEqual(['9'])
  await eventually('all are read', () => read.length === most)
  expect(read[0]).toBe('newcomer')
  expect(read).not.toContain('9')
})

it('P43: attack: of networks without end the one that came first gives way, and is heard when it comes again', async () => {
  const { read, hold } = open()
  const destroyed: string[] = []
  const come = (network: string, name: string) => hold(network, name, { destroy: () => destroyed.push(name) })
  const most = policy.http.firstReadsWaitingMax
  for (let each = 0; each < most + 2; each++) come(`network ${each}`, String(each))
  expect(destroyed).toEqual(['0', '1'])
  come('network 0', 'again')
  await eventually('all are read', () => read.length === most)
  expect(read[0]).toBe('again')
})

it('P43: attack: who is taken at one moment is not read before all are, and for no longer are those kept waiting who were', async () => {
  const { read, hold } = open()
  const { firstReadsWaitingMax: most, firstReadsRestMsMax: restMs } = policy.http
  using clock = earlierClock()
  const readAfter = async (ms: number) => {
    clock.passes(ms)
    connectionTaken()
    await nextTurn()
    return read.length
  }
  for (let each = 0; each < 2 * most; each++)
    hold(`network ${each % 20}`, String(each), { destroy: () => {} })
  expect(await readAfter(0)).toBe(0)
  expect(await readAfter(restMs / 2)).toBe(0)
  expect(await readAfter(restMs)).toBe(1)
  // That took its time, and as many more come.
  expect(await readAfter(2 * restMs)).toBe(1)
  expect(await readAfter(restMs / 2)).toBe(1)
  expect(await readAfter(restMs)).toBe(2)
  clock[Symbol.dispose]()
  await eventually('all are read', () => read.length === most)
})

it('P43: attack: who waits is not passed by all who come after them, of however many networks those are', async () => {
  const { read, hold } = open()
  for (let each = 0; each < 20; each++) hold(`network ${each}`, String(each))
  hold('waiting', 'newcomer')
  for (let later = 0; !read.includes('newcomer') && later < 500; later++) {
    // As many come as are read, and more.
    for (let each = 0; each < policy.http.firstReadsATurnMax; each++) hold(`${later} ${each}`, 'later')
    await nextTurn()
  }
  expect(read).toContain('newcomer')
})

it('P43: attack: whose network had a turn before is not passed by all who come of others, without end', async () => {
  const { read, hold } = open()
  hold('office', 'first')
  for (let each = 0; each < 20; each++) hold(`network ${each}`, String(each))
  let later = 0
  const comeUntilRead = async (name: string) => {
    for (; !read.includes(name) && later < 500; later++) {
      for (let each = 0; each < policy.http.firstReadsATurnMax; each++) hold(`${later} ${each}`, 'later')
      await nextTurn()
    }
  }
  await comeUntilRead('first')
  hold('office', 'another')
  await comeUntilRead('another')
  expect(read).toContain('another')
})

it('P43: who has left is passed over, and who comes alone does not wait', async () => {
  const { read, reads, hold } = open()
  hold('b', 'here')
  hold('a', 'gone', { destroyed: true })
  expect(reads.isCrowd()).toBe(true)
  await eventually('it is read', () => read.length === 1)
  expect(read).toEqual(['here'])
  expect(reads.isCrowd()).toBe(false)
})

it('P43: attack: who comes after a quiet time is read, whoever else goes on connecting', async () => {
  const { read, hold } = open()
  using clock = earlierClock()
  hold('a', 'early')
  for (let turns = 0; turns < 5; turns++) {
    clock.passes(policy.http.firstReadsRestMsMax)
    await nextTurn()
  }
  expect(read).toEqual(['early'])
  clock.passes(10_000)
  hold('b', 'late')
  for (let turns = 0; turns < 20; turns++) {
    clock.passes(policy.http.firstReadsRestMs)
    connectionTaken()
    await nextTurn()
  }
  expect(read).toEqual(['early', 'late'])
})

it('P43: attack: of a process that is busy with something else those who wait have a part, and one by one they have not', async () => {
  const { read, hold } = open()
  for (let each = 0; each < 100; each++) hold(`network ${each}`, String(each))
  let turns = 0
  for (; read.length < 100; turns++) {
    beBusyFor(5)
    await nextTurn()
  }
  expect(turns).toBeLessThan(50)
})

it('P43: of what takes its time hardly more than one is read a turn', async () => {
  const { read, hold, reads } = open({
    onRead: (socket) =>
      setImmediate(() => {
        reads.noteRequest(socket)
        beBusyFor(3)
      }),
  })
  for (let each = 0; each < 20; each++) hold(`network ${each}`, String(each))
  let turns = 0
  for (; read.length < 20; turns++) await nextTurn()
  // Eight a turn would be five. What the system gives to others meanwhile may be taken for somebody else's now and then.
  expect(turns).toBeGreaterThan(12)
})
