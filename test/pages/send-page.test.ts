import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readAssets } from '#src/pages/assets.ts'
import { createSendPage } from '#src/pages/send-page.ts'
import { visitorOf } from '#src/pages/visitor.ts'
import { eventually } from '#test/support/eventually.ts'

let app: FastifyInstance
/** How often the page was written; each time it takes until `isReady`. */
let written: number
let ready: PromiseWithResolvers<void>

beforeEach(() => {
  const send = createSendPage({ assets: readAssets(), seller: null, contact: 'drift@example.no' })
  written = 0
  ready = Promise.withResolvers()
  app = Fastify()
  app.get('/', (request, reply) =>
    send.common(request, reply, '/', visitorOf(request, '/'), {
      edition: 'a',
      content: async () => {
        written += 1
        await ready.promise
        return { title: 'Side', description: null, main: `<h1>${written}</h1>` }
      },
    }),
  )
})
afterEach(() => app.close())

const asked = () => app.inject({ url: '/', headers: { 'accept-language': 'nb' } })

it('P183: a page that is the same for everybody is written once, however many ask before it is', async () => {
  const crowd = Array.from({ length: 50 }, asked)
  await eventually('it is being written', () => written > 0)
  ready.resolve()
  const texts = (await Promise.all(crowd)).map(({ statusCode, body }) => `${statusCode} ${body}`)
  expect(texts[0]).toContain('<h1>1</h1>')
  expect(new Set(texts).size).toBe(1)
  expect(written).toBe(1)
})

it('a page that could not be written is for whoever asks next', async () => {
  const crowd = Array.from({ length: 5 }, asked)
  await eventually('it is being written', () => written > 0)
  const failing = ready
  ready = Promise.withResolvers()
  ready.resolve()
  failing.reject(new Error('not now'))
  expect((await Promise.all(crowd)).map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(500))
  expect((await asked()).statusCode).toBe(200)
  expect(written).toBe(2)
})
