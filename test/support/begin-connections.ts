import { connect } from 'node:net'
import { createInterface } from 'node:readline'

type Asked = { to: string; port: number; from: readonly string[]; count: number; patienceMs: number }

/** Begins the connections it is asked for, a line each, until its input ends. Those that were begun are reset when all are told. */
process.stdout.write('is there\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { to, port, from, count, patienceMs }: Asked = JSON.parse(line)
  const told = await Promise.all(
    from.map(async (localAddress) => {
      const begun = Array.from({ length: count }, () => connect({ host: to, port, localAddress }))
      const answers = await Promise.all(begun.map((socket) => isAnswered(socket, patienceMs)))
      for (const socket of begun) {
        // One that is not begun yet would wait for it.
        if (socket.connecting) socket.destroy()
        else socket.resetAndDestroy()
      }
      const answered = answers.filter(Boolean).length
      return { from: localAddress, answered, unanswered: count - answered }
    }),
  )
  process.stdout.write(`${JSON.stringify(told)}\n`)
}

function isAnswered(socket: ReturnType<typeof connect>, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve(false), patienceMs)
    const tell = (is: boolean) => {
      clearTimeout(patience)
      resolve(is)
    }
    socket.once('connect', () => tell(true)).once('error', () => tell(false))
  })
}
