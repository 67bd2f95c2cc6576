import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { endWhatIsHandedOver } from '#src/commands/fronts/handed-over.ts'

it('P37: attack: of a front that is killed before it has what it was handed the cluster hears, and counts on it no more', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [taken] = (await once(server, 'connection')) as [Socket & { _handle: object }]
  const front = spawn(process.execPath, ['-e', 'process.on("message", () => {})'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  front.kill('SIGSTOP')
  const onTheirWay: unknown[] = []
  let isHeard = false
  front.once('disconnect', () => {
    isHeard = true
  })
  endWhatIsHandedOver(front, { onItsWay: (connection) => onTheirWay.push(connection), onRefused: () => {} })
  const send = front.send.bind(front) as (message: object, connection: object) => boolean
  send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq: 1 }, taken._handle)
  expect(onTheirWay).toEqual([taken._handle])
  const told = once(client, 'close')
  front.kill('SIGKILL')
  await once(front, 'close')
  expect(isHeard).toBe(true)
  await told
  server.close()
})

it('P37: of what a front did not take, and only of that, it is told', async () => {
  const front = spawn(process.execPath, ['-e', 'process.on("message", () => {})'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const refused: unknown[] = []
  const connections = [1, 2].map(() => ({ close: () => {} }))
  front.send = () => true
  endWhatIsHandedOver(front, { onItsWay: () => {}, onRefused: (connection) => refused.push(connection) })
  const send = front.send as (message: object, connection: object) => boolean
  for (const [at, each] of connections.entries()) send({ act: 'newconn', seq: at + 1 }, each)
  front.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 1, accepted: true })
  front.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 2, accepted: false })
  expect(refused).toEqual([connections[1]])
  front.kill('SIGKILL')
  await once(front, 'close')
})
