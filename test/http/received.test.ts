import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { askedBy, askerIs } from '#src/core/asker.ts'
import { Problem } from '#src/http/problem.ts'
import { problems } from '#src/http/problems.ts'
import { createReceiving, type ReceivingBounds } from '#src/http/received.ts'
import { createReceivedSum } from '#src/http/received-sum.ts'
import { eventually } from '#test/support/eventually.ts'

const BYTES_MAX = 200_000
const CUSTOMER = 'a customer'
const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

/**
 * A server that receives in these bounds, of whoever `x-of` says, and answers with how much it was.
 *
 * @param held what is whole is answered then
 */
async function open(
  bounds: Partial<ReceivingBounds> = {},
  inAll: Partial<Parameters<typeof createReceivedSum>[0]> = {},
  held: Promise<void> = Promise.resolve(),
) {
  const receive = createReceiving(
    { freeBytes: 1000, atOnce: 2, forOneMax: 1, waitingMax: 10, waitMs: 60_000, heldMs: 100, ...bounds },
    () => new Problem('for_mange_oppslag'),
  )
  const app = Fastify({ bodyLimit: BYTES_MAX, forceCloseConnections: true })
  app.decorate(
    'receivedSum',
    createReceivedSum({ bytesMax: 1e9, bytesOfStrangersMax: 1e9, heldMs: 1e9, ...inAll }),
  )
  app.addHook('onRequest', (request, _reply, done) =>
    askedBy('a network', () => {
      if (request.headers['x-of'] === CUSTOMER) askerIs(CUSTOMER)
      done()
    }),
  )
  app.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const faults: unknown[] = []
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) faults.push(error)
    return reply.code(error instanceof Problem ? problems[error.kode].status : 500).send()
  })
  let [come, waiting] = [0, 0]
  app.post(
    '/',
    {
      preParsing: async (request, reply, payload) => {
        come += 1
        waiting += 1
        const of = String(request.headers['x-of'])
        const { payload: whole } = await receive(reply, payload, { of, bytesMax: BYTES_MAX }).finally(() => {
          waiting -= 1
        })
        return whole
      },
    },
    async (request) => {
      await held
      return String((request.body as Buffer).length)
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  ending.push(() => app.close())
  const { port } = app.server.address() as AddressInfo

  function send(of: string, bytes: number, sent = bytes) {
    const socket: Socket = connect({ port, host: '127.0.0.1' })
    ending.push(async () => socket.destroy())
    let text = ''
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more
    })
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nX-Of: ${of}\r\nContent-Type: text/plain\r\nContent-Length: ${bytes}\r\n\r\n`,
    )
    socket.write('a'.repeat(sent))
    return {
      socket,
      status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0),
      async answered(): Promise<[number, string | undefined]> {
        await eventually('it is answered', () => /\r\n\r\n/.test(text))
        return [this.status(), /\r\n\r\n(.+)$/.exec(text)?.[1]]
      },
    }
  }

  return { send, come: () => come, waiting: () => waiting, faults }
}

describe('P147: what is sent along', () => {
  it('is received whole, short or long', async () => {
    const { send } = await open()
    for (const bytes of [1, 999, 150_000, BYTES_MAX])
      expect(await send('en', bytes).answered()).toEqual([200, String(bytes)])
    expect(await send('en', BYTES_MAX + 1, 0).answered()).toEqual([413, undefined])
  })

  it('and is short takes nobody’s place, and needs none, whoever is slow beside it', async () => {
    const { send, waiting } = await open({ heldMs: 60_000 })
    for (const who of ['a', 'b', 'c']) send(who, 100_000, 50_000)
    for (let index = 0; index < 50; index += 1) send('d', 900, 10)
    await eventually('all are on their way', () => waiting() === 53)
    expect(await send('d', 900).answered()).toEqual([200, '900'])
  })

  it('slowly gives its place to whoever waits, and is told so; the others go on', async () => {
    const { send } = await open()
    const slow = ['a', 'b'].map((who) => send(who, 100_000, 50_000))
    for (const who of ['c', 'd']) expect(await send(who, 100_000).answered()).toEqual([200, '100000'])
    expect(await slow[0]?.answered()).toEqual([408, undefined])
    await eventually('it is let go', () => slow[0]?.socket.destroyed === true)
  })

  it('slowly by as many as there are places, as many waiting: whoever comes then has one in time', async () => {
    const PLACES = 60
    const { send, come } = await open({ atOnce: PLACES, waitingMax: 2 * PLACES, waitMs: 4000 })
    for (const who of ['slow', 'slow as well']) {
      const before = come()
      for (let index = 0; index < PLACES; index += 1) send(`${who} ${index}`, 100_000, 50_000)
      await eventually('they are all on their way', () => come() === before + PLACES)
    }
    expect(await send('next', 100_000).answered()).toEqual([200, '100000'])
  })

  it('slowly is waited for while nobody else wants the place', async () => {
    const { send, waiting } = await open()
    const slow = send('a', 100_000, 50_000)
    const since = performance.now()
    // There is another place, which is all that this one wants.
    await eventually('longer than a place is held', async () => {
      expect((await send('b', 100_000).answered())[0]).toBe(200)
      return performance.now() - since > 300
    })
    expect(waiting()).toBe(1)
    slow.socket.write('a'.repeat(50_000))
    expect(await slow.answered()).toEqual([200, '100000'])
  })

  it('by a client that leaves gives its place back, and is no fault of ours', async () => {
    const { send, waiting, faults } = await open({ heldMs: 60_000 })
    const gone = send('a', 100_000, 50_000)
    const next = send('a', 100_000)
    await eventually('both are on their way', () => waiting() === 2)
    gone.socket.destroy()
    expect(await next.answered()).toEqual([200, '100000'])
    await eventually('all are over', () => waiting() === 0)
    expect(faults).toEqual([])
  })
})

describe('P168: what is received of all, at whichever address', () => {
  it('is bounded: who has been at it for longer than a slow line takes is let go first', async () => {
    const { send, come } = await open({ atOnce: 20, heldMs: 60_000 }, { bytesMax: 400_000, heldMs: 100 })
    const slow = ['a', 'b', 'c'].map((of) => send(of, 150_000, 120_000))
    await eventually('they have begun', () => come() === 3)
    const since = performance.now()
    await eventually('they have had their time', () => performance.now() - since > 100)
    expect(await send('d', 150_000).answered()).toEqual([200, '150000'])
    expect(await slow[0]?.answered()).toEqual([408, undefined])
    expect(slow.slice(1).map((each) => each.status())).toEqual([0, 0])
    for (const each of slow.slice(1)) each.socket.write('a'.repeat(30_000))
    for (const each of slow.slice(1)) expect(await each.answered()).toEqual([200, '150000'])
  })

  it('and where nobody has, who holds the most gives up the newest', async () => {
    const { send, come } = await open(
      { atOnce: 20, forOneMax: 10, heldMs: 60_000 },
      { bytesMax: 400_000, heldMs: 60_000 },
    )
    const other = send('b', 150_000, 100_000)
    await eventually('it has begun', () => come() === 1)
    const crowd = Array.from({ length: 3 }, () => send('a', 150_000, 120_000))
    await eventually('one of them is let go', () => crowd.some((each) => each.status() === 408))
    other.socket.write('a'.repeat(50_000))
    expect(await other.answered()).toEqual([200, '150000'])
  })

  it('P168: attack: strangers’ lists that are whole, and wait, leave room for a customer’s', async () => {
    const held = Promise.withResolvers<void>()
    const { send, come, waiting } = await open(
      { atOnce: 20, heldMs: 60_000 },
      { bytesMax: 600_000, bytesOfStrangersMax: 300_000, heldMs: 60_000 },
      held.promise,
    )
    const strangers = ['a', 'b', 'c', 'd'].map((of) => send(of, 149_000))
    await eventually('what there is room for is whole', () => come() === 4 && waiting() === 0)
    const customer = send(CUSTOMER, 200_000)
    await eventually('it is whole as well, or let go', () => come() === 5 && waiting() === 0)
    held.resolve()
    expect(await customer.answered()).toEqual([200, '200000'])
    const statuses = await Promise.all(strangers.map(async (each) => (await each.answered())[0]))
    expect(statuses.toSorted()).toEqual([200, 200, 408, 408])
  })
})
