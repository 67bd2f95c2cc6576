import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createFirstReads } from '#src/http/server/first-reads.ts'
import { eventually } from '#test/support/eventually.ts'

function open() {
  const read: string[] = []
  const names = new Map<Socket, string>()
  const reads = createFirstReads(policy.http, { read: (socket) => read.push(names.get(socket) ?? '') })
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

it('P43: whoever comes to a crowd of another network is read next', async () => {
  const { read, hold } = open()
  for (let each = 0; each < 200; each++) hold(`network ${each % 100}`, String(each))
  await eventually('it is being read', () => read.length > 0)
  const before = read.length
  hold('another', 'newcomer')
  await nextTurn()
  expect(read[before]).toBe('newcomer')
  await eventually('all are read', () => read.length === 201)
})

it('P43: who has left is passed over, and who comes alone does not wait', async () => {
  const { read, reads, hold } = open()
  hold('a', 'gone', { destroyed: true })
  hold('b', 'here')
  expect(reads.isCrowd()).toBe(true)
  await eventually('it is read', () => read.length === 1)
  expect(read).toEqual(['here'])
  expect(reads.isCrowd()).toBe(false)
})
