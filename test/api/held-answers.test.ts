import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createHeldAnswers } from '#src/api/held-answers.ts'

const BYTES_MAX = 2 * 1024 * 1024
/** Of a process that holds 13,000 of them in four forms, after what nobody holds has been given back. */
const MEASURED_BYTES = 1900

it('P148: attack: as many short answers as are held take no more memory than all of them may', async () => {
  const held = createHeldAnswers({
    clock: { now: () => new Date(0) },
    mayShow: () => true,
    policy: { searchHeldMs: 10_000, searchHeldBytesMax: BYTES_MAX },
  })
  let made = 0
  const ask = (nr: number) =>
    held.send(request, reply, `forslag q=${nr}`, async () => {
      made += 1
      return { answer: { avbrutt: false, grunnlag: 'indeks', treff: [] }, essence: { nr }, orgnrs: [] }
    })
  for (let nr = 0; nr < 3000; nr += 1) await ask(nr)
  let again = 0
  made = 0
  for (let nr = 2999; nr >= 0 && made === 0; nr -= 1) {
    await ask(nr)
    if (made === 0) again += 1
  }
  expect(again).toBeGreaterThan(0)
  expect(again * MEASURED_BYTES).toBeLessThan(BYTES_MAX)
})

const request = { url: '/', headers: {} } as unknown as FastifyRequest
/** Takes whatever it is sent. */
const reply = new Proxy({} as FastifyReply, {
  get: (_, name) => (name === 'then' ? undefined : () => reply),
})
