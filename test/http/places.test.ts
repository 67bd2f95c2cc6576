import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { MessageChannel } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createPlaces } from '#src/http/places.ts'
import { beBusyFor } from '#test/support/be-busy.ts'

it('a place that is given back earlier is another’s next, and nothing is left of it on the answer', async () => {
  const places = createPlaces(
    { atOnce: 1, forOneMax: 1, waitingMax: 10, waitMs: 60_000 },
    () => new Error('no place'),
  )
  // What it is asked for of an answer: whether it is over, and to be told when it is.
  const raw = Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse
  for (let look = 0; look < 20; look++) {
    const giveBack = await places.take({ raw }, 'one')
    giveBack()
  }
  expect(raw.listenerCount('close')).toBe(0)
})

it('P54: attack: who is refused for their own is told apart from who is for others’', async () => {
  const answer = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse
  const refusedFor: boolean[] = []
  const places = createPlaces({ atOnce: 2, forOneMax: 1, waitingMax: 2, waitMs: 60_000 }, (isOwn) => {
    refusedFor.push(isOwn)
    return new Error('no place')
  })
  const gone = answer()
  await places.take({ raw: answer() }, 'many')
  await places.take({ raw: answer() }, 'one')
  // Whose the most are gives up the last of them.
  const waiting = [places.take({ raw: answer() }, 'many'), places.take({ raw: gone }, 'another')]
  await expect(places.take({ raw: answer() }, 'many')).rejects.toThrow('no place')
  expect(refusedFor).toEqual([true])
  // This one has nothing besides, and waited for others.
  gone.emit('close')
  await expect(waiting[1]).rejects.toThrow('no place')
  expect(refusedFor).toEqual([true, false])
  // Where each has one it is the newcomer's that there is no room for, and no fault of theirs.
  const last = places.take({ raw: answer() }, 'a')
  await expect(places.take({ raw: answer() }, 'c')).rejects.toThrow('no place')
  expect(refusedFor).toEqual([true, false, false])
  expect(await Promise.race([waiting[0], last, 'both wait'])).toBe('both wait')
})

it('P99: attack: a place comes to who waits when the process has stood still and who had it has left meanwhile', async () => {
  const answer = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse
  const places = createPlaces(
    { atOnce: 1, forOneMax: 1, waitingMax: 1, waitMs: 1 },
    () => new Error('no place'),
  )
  // From here on timers come before what is read.
  await new Promise(setImmediate)
  const left = answer()
  const { port1, port2 } = new MessageChannel()
  port1.once('message', () => left.emit('close'))
  await places.take({ raw: left }, 'a')
  const waiting = places.take({ raw: answer() }, 'b')
  port2.postMessage('the client has left')
  beBusyFor(5)
  await expect(waiting).resolves.toBeTypeOf('function')
  port1.close()
})
