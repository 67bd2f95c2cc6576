import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createPlaces } from '#src/http/places.ts'

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
