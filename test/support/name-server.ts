import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'

export type NameServer = {
  /** As a resolver takes it. */
  address: string
  /** What a name has from now on; asked anew at each question, with how many came before it. */
  says(name: string, addresses: (questionsBefore: number) => readonly string[] | 'silence'): void
  /** Questions about a name, of either kind. */
  questions(name: string): number
  close(): Promise<void>
}

/** A real name server on UDP, which says what it is told: also one thing first and another after. */
export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, (questionsBefore: number) => readonly string[] | 'silence'>()
  const asked: { name: string; type: number }[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    const { name, type, end } = questionIn(question)
    const before = asked.filter((each) => each.name === name && each.type === type).length
    asked.push({ name, type })
    const addresses = known.get(name)?.(before) ?? []
    if (addresses === 'silence') return
    const records = addresses
      .filter((each) => isIPv4(each) === (type === A))
      .map((each) => record(type, bytesOf(each)))
    const head = Buffer.alloc(12)
    question.copy(head, 0, 0, 2)
    head.writeUInt16BE(known.has(name) ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    says: (name, addresses) => void known.set(name, addresses),
    questions: (name) => asked.filter((each) => each.name === name).length,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

const A = 1

function questionIn(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

function record(type: number, bytes: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([head, bytes])
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) =>
    text.split(':').flatMap((group) => {
      if (group === '') return []
      return isIPv4(group)
        ? [...bytesOf(group)]
        : [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]
    })
  const first = groups(before)
  const last = groups(after)
  return Buffer.from([...first, ...Array<number>(16 - first.length - last.length).fill(0), ...last])
}
