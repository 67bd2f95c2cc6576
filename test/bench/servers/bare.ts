import { createServer } from 'node:http'
import { record } from './given.ts'

/** `node:http` and one constant buffer: what no server in Node can be cheaper than, or hardly. */
createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': record.length,
  })
  response.end(record)
}).listen(0, '127.0.0.1')
