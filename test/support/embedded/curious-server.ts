import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const said = (name: string, ...bytes: number[]) =>
  Buffer.from([name.charCodeAt(0), 0, 0, 0, bytes.length + 4, ...bytes])

/** What somebody says who listens where PostgreSQL stood. */
const questions = {
  /** AuthenticationCleartextPassword */
  'for the password': Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]),
  /** AuthenticationMD5Password */
  'for its MD5': Buffer.from([82, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]),
  /** AuthenticationOk, ReadyForQuery */
  'for nothing': Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]),
  /** ReadyForQuery alone */
  'for a question at once': said('Z', 73),
  /** ErrorResponse of two gigabytes, which would be kept until it is whole */
  'for more patience': Buffer.concat([Buffer.from([69, 127, 255, 255, 255]), Buffer.alloc(128 * 1024, 83)]),
  /** An authentication there is not */
  'for what nobody knows': said('R', 0, 0, 0, 99),
  /** NoticeResponse, and ErrorResponse, of a field that does not end */
  'for attention': said('N', 83),
  'for attention, in anger': said('E', 83),
  /** AuthenticationSASL, by SCRAM-SHA-256 */
  'for proof after proof': said('R', 0, 0, 0, 10, ...Buffer.from('SCRAM-SHA-256\0\0')),
}

/** AuthenticationSASLContinue, as costly as pg takes it to be, many times over. */
function challenges(nonce: string): Buffer {
  const one = said('R', 0, 0, 0, 11, ...Buffer.from(`r=${nonce}x,s=AAAA,i=100000`))
  return Buffer.concat(Array<Buffer>(20).fill(one))
}

type Question = keyof typeof questions

/** By who wants proof as a server does: what is no secret of it is told. */
export const PROOF_AFTER_PROOF: Question = 'for proof after proof'
export const asked = (Object.keys(questions) as Question[]).filter((what) => what !== PROOF_AFTER_PROOF)

/** Listens on the loopback, asks whoever comes, and writes down what it is told. */
export async function startCuriousServer(what: Question, at = 0) {
  let heard = ''
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      const [, nonce] = /,r=([\w+/=]+)$/.exec(heard) ?? []
      if (nonce !== undefined) socket.write(challenges(nonce))
    })
    socket.write(questions[what])
  }).listen(at, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    heard: () => heard,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
