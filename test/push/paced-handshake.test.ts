import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { createPacedHandshakes } from '#src/push/paced-handshake.ts'
import { beBusyFor } from '../support/be-busy.ts'

const DEAR_MS = 20

it('P125: attack: who has many receivers whose handshakes are dear leaves others their turns', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).write('what is dear')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const paced = createPacedHandshakes()
  const heard: string[] = []
  const open = async (of: string) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const over = paced(socket, of)
    over.on('data', () => {
      heard.push(of)
      if (of === 'dear') beBusyFor(DEAR_MS)
    })
    return over
  }
  const dear = await Promise.all(Array.from({ length: 10 }, () => open('dear')))
  for (let times = 0; times < 3; times += 1) {
    const other = await open('other')
    const before = heard.length
    await once(other, 'data')
    // One may have begun, and another by when it is looked.
    expect(heard.length - before).toBeLessThanOrEqual(3)
    other.destroy()
  }
  expect(heard.filter((of) => of === 'dear').length).toBeLessThan(10)
  for (const each of dear) each.destroy()
  await new Promise((resolve) => server.close(resolve))
})

it('P125: when they have shown who they are, what they say is read as it comes, whole', async () => {
  const whole = Buffer.alloc(200_000, 'a')
  const server = createServer((socket) => socket.on('error', () => {}).end(whole)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const over = createPacedHandshakes()(socket, 'one')
  over.once('data', () => over.hearAsItComes())
  const pieces = await over.toArray()
  expect(Buffer.concat(pieces).equals(whole)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
})

it('P125: attack: who ends while what they say last waits for its turn is heard to the end', async () => {
  const whole = Buffer.alloc(90_000, 'a')
  const server = createServer((socket) => socket.on('error', () => {}).end(whole)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  const pieces = await createPacedHandshakes()(socket, 'one').toArray()
  expect(Buffer.concat(pieces).equals(whole)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
})

it('P125: attack: who says more than handshake and answer are, whatever it is, is broken off', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(Buffer.alloc(50_000_000, 'a'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const over = createPacedHandshakes()(socket, 'one')
  let heardBytes = 0
  over.on('data', (piece) => {
    over.hearAsItComes()
    heardBytes += piece.length
  })
  const [error] = await once(over, 'error')
  expect(error.message).toContain('more than receivers do')
  expect(heardBytes).toBeLessThan(300_000)
  await new Promise((resolve) => server.close(resolve))
})
