import { createServer, type ServerResponse } from 'node:http'
import { record } from './given.ts'
import { IN_BULK } from './in-bulk.ts'

/** As many records as a list has, each in memory of its own as held ones are. */
const records = Array.from({ length: IN_BULK }, () => Buffer.concat([record]))
const TOGETHER = 10

/** `node:http` and nothing but the bytes of a list, some in each write: what the system takes for them is the least a list costs. */
createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-length': records.length * record.length,
    })
    send(response, 0)
  })
}).listen(0, '127.0.0.1')

function send(response: ServerResponse, from: number): void {
  const some = records.slice(from, from + TOGETHER)
  if (some.length === 0) {
    response.end()
    return
  }
  const { socket } = response
  socket?.cork()
  for (const each of some) response.write(each)
  socket?.uncork()
  const next = () => send(response, from + TOGETHER)
  if (response.writableNeedDrain) response.once('drain', next)
  else next()
}
