import { createServer } from 'node:net'

/** Listens at every address, until its input ends. */
const server = createServer((socket) => void socket.on('error', () => {}))
server.listen({ port: Number(process.argv[2]), host: '::', backlog: 65_535 }, () =>
  process.stdout.write('listens\n'),
)
process.stdin.resume().on('end', () => process.exit())
