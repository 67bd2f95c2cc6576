import { randomFillSync } from 'node:crypto'

/**
 * The next id of a request: a UUID of version 4 (RFC 9562, 5.4), as `randomUUID` draws them, for what comes by the ten thousand a
 * second. So many are drawn and written out at once, and each is a part of one text: put together one by one, from a dozen pieces,
 * they cost several times as much, here and once more where they are sent.
 */
export function nextRequestId(): string {
  if (next === text.length) draw()
  next += LENGTH
  return text.substring(next - LENGTH, next)
}

const AT_ONCE = 128
const LENGTH = 36
const BYTES = 16
const HYPHENS = new Set([8, 13, 18, 23])
const HEX = Buffer.from('0123456789abcdef')

const random = new Uint8Array(AT_ONCE * BYTES)
const written = Buffer.alloc(AT_ONCE * LENGTH)
let text = ''
let next = 0

function draw(): void {
  randomFillSync(random)
  for (let id = 0; id < AT_ONCE; id++) {
    random[id * BYTES + 6] = (byteAt(id, 6) & 0x0f) | 0x40
    random[id * BYTES + 8] = (byteAt(id, 8) & 0x3f) | 0x80
    write(id)
  }
  text = written.toString('latin1')
  next = 0
}

function write(id: number): void {
  let place = id * LENGTH
  for (let index = 0; index < BYTES; index++) {
    if (HYPHENS.has(place - id * LENGTH)) written[place++] = HYPHEN
    const byte = byteAt(id, index)
    written[place++] = HEX[byte >> 4] ?? 0
    written[place++] = HEX[byte & 15] ?? 0
  }
}

const HYPHEN = '-'.charCodeAt(0)

function byteAt(id: number, index: number): number {
  return random[id * BYTES + index] ?? 0
}
