import { createServer } from 'node:net'

/** Listens at every address, until its input ends. */
const open = new Set<import('node:net').Socket>()
const server = createServer((socket) => {
  open.add(socket)
  socket.on('close', () => open.delete(socket)).on('error', () => {})
})
server.listen({ port: Number(process.argv[2]), host: '::', backlog: 65_535 }, () =>
  process.stdout.write('listens\n'),
)
process.stdin.resume().on('end', () => process.exit())
