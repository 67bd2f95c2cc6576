import { createServer } from 'node:http'

/** `node:http` and a head without a body: the least that can be said to who has it already. */
createServer((_request, response) => {
  response.writeHead(304).end()
}).listen(0, '127.0.0.1')
