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
