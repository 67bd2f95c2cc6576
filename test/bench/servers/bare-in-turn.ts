import { createServer } from 'node:http'
import { record } from './given.ts'

/** As many as are asked for in turn, each in memory of its own as held ones are. */
const records = Array.from({ length: 100 }, () => Buffer.concat([record]))
let asked = 0

/** `node:http` and the bytes of one company after another: a constant buffer lies in the processor's nearest cache, these do not. */
createServer((_request, response) => {
  const next = records[asked++ % records.length] as Buffer
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': next.length,
  })
  response.end(next)
}).listen(0, '127.0.0.1')
