import dns, { type LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUpstreamClient } from '#src/upstream/client.ts'
import { createLookUp } from '#src/upstream/look-up.ts'

const opened: { close(): unknown }[] = []

beforeEach(() => {
  silence = Promise.withResolvers()
  silence.promise.catch(() => {})
})

afterEach(async () => {
  vi.restoreAllMocks()
  silence.reject(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }))
  for (const each of opened.splice(0)) await each.close()
})

/** The machine's name server, of which `says` is the answer. The real one is set in files that are everybody's. */
function asked(says: (host: string) => Promise<LookupAddress[]>): () => number {
  const spies = [
    vi.spyOn(dns.promises, 'lookup').mockImplementation(says as never),
    vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: unknown, answer: Answer) => {
      says(host).then((addresses) => answer(null, addresses), answer)
    }) as never),
  ]
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
}

type Answer = (error: Error | null, addresses?: LookupAddress[]) => void
/** It ends with the test, as a real one does after ten seconds: names are looked up one after the other in the whole process. */
let silence: PromiseWithResolvers<never>
const HERE = [{ address: '127.0.0.1', family: 4 }]
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))

function clientOf(port: number) {
  const client = createUpstreamClient({
    name: 'peer',
    // A name of its own each time: what is known of one is known to the whole process.
    baseUrl: new URL(`http://name-${++made}.example:${port}`),
    connectionsMax: 48,
    connectTimeoutMs: 1000,
    silenceMs: 5000,
    bodyBytesMax: 1000,
  })
  opened.push(client)
  return (ms = 5000) => client.ask({ path: '/', headers: {}, signal: AbortSignal.timeout(ms) })
}
let made = 0

async function aPeer(): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close').end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return (server.address() as AddressInfo).port
}

describe('a name server that is silent', () => {
  it('P178: of a register is waited for in one thread, however many calls there are, one after the other', async () => {
    const questions = asked(() => silence.promise)
    const ask = clientOf(9)
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 48 }, () => ask(100))
      for (const call of calls) await expect(call).rejects.toMatchObject({ failure: 'deadline' })
    }
    expect(questions()).toBe(1)
  })

  it('P178: of two registers holds one thread: whoever else looks a name up has the other', async () => {
    const questions = asked(() => silence.promise)
    const asks = [clientOf(9), clientOf(9)]
    const calls = asks.map((ask) => ask(100))
    for (const call of calls) await expect(call).rejects.toMatchObject({ failure: 'deadline' })
    expect(questions()).toBe(1)
  })

  it.each([
    ['does not answer', () => silence.promise],
    ['has given up', () => failing('EAI_AGAIN')],
  ])('P178: where it %s, a register is asked where it was last', async (_, says) => {
    const port = await aPeer()
    const ask = clientOf(port)
    asked(async () => HERE)
    expect((await ask()).status).toBe(200)
    vi.restoreAllMocks()
    asked(says)
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(200)
  })
})

describe('a name', () => {
  it('that moved is asked where it is now, and one that is gone is gone', async () => {
    const lookUp = createLookUp({ lateMs: 60_000 })
    const addresses = () =>
      new Promise((resolve, reject) => {
        lookUp('name.example', { all: true }, (error, found) =>
          error === null ? resolve(found) : reject(error),
        )
      })
    const there = [{ address: '127.0.0.2', family: 4 }]
    let says = async (): Promise<LookupAddress[]> => HERE
    asked(() => says())
    expect(await addresses()).toEqual(HERE)
    says = async () => there
    expect(await addresses()).toEqual(there)
    says = () => failing('ENOTFOUND')
    await expect(addresses()).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})
