import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { enhet } from '#src/sources/enhetsregisteret/unit.ts'
import { clientFor, ORGNR, OTHER, patient } from './asking.ts'

const close: (() => unknown)[] = []
afterEach(async () => {
  for (const each of close.splice(0).reverse()) await each()
})

/** Answers each request, and on a connection that is kept with what the one before was to be told. */
async function startLateRegister(answerTo: (path: string) => string): Promise<string> {
  const server = createServer((socket) => {
    let before: string | null = null
    socket.on('error', () => {})
    socket.on('data', (request) => {
      const own = answerTo(String(request).split(' ')[1] ?? '')
      socket.write(before ?? own)
      before = own
    })
    close.push(() => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  close.unshift(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function withBody(json: object): string {
  const body = JSON.stringify(json)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  return `${head}\r\n\r\n${body}`
}

const unit = (orgnr: string) => withBody({ organisasjonsnummer: orgnr, navn: 'Å' })

const nothing = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'

test.each([
  ['about another company', unit(ORGNR)],
  ['of another shape', withBody({ rollegrupper: [] })],
])(
  'P9: attack: where an answer is %s the connection is left, and what follows on it is nobody’s',
  async (_, first) => {
    const origin = await startLateRegister((path) =>
      path.endsWith('roller') ? first : path.endsWith(OTHER) ? nothing : unit(ORGNR),
    )
    const client = clientFor(origin, { connectionsMax: 1 })
    close.push(() => client.close())
    const ask = askOf(enhet, client)
    await client.get('roller', '/api/roller', { accept: '*/*', ...patient() })
    // The one before once more. Where it is not left the next company is told that there is nothing, which is the answer to this.
    await expect(ask(OTHER, patient())).rejects.toMatchObject({
      failure: expect.stringMatching(/feil|ugyldig/),
    })
    expect(await ask(ORGNR, patient())).toMatchObject({ outcome: 'found', value: { navn: 'Å' } })
  },
)

test('P36: a client that was closed is left without a word: what came last is found to be another’s after it', async () => {
  const faults: unknown[] = []
  const onFault = (fault: unknown) => faults.push(fault)
  process.on('unhandledRejection', onFault)
  close.push(() => process.off('unhandledRejection', onFault))
  const client = clientFor(await startLateRegister(() => nothing), { connectionsMax: 1 })
  await client.close()
  client.leave()
  await new Promise((resolve) => setImmediate(resolve))
  expect(faults).toEqual([])
})
