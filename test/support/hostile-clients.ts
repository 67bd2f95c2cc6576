import { connect, type Socket } from 'node:net'

type Hostile = {
  /** Sockets the server has not closed yet. */
  readonly open: number
  /** What the server wrote to them before it closed them. */
  readonly answers: readonly string[]
  end(): void
}

/** Connections that begin a request and then send next to nothing. */
export function openSlowSockets(
  address: string,
  count: number,
  { begins, drips = '', everyMs = 1000 }: { begins: string; drips?: string; everyMs?: number },
): Hostile {
  const sockets = new Set<Socket>()
  const answers: string[] = []
  for (let index = 0; index < count; index++) {
    const socket = open(address)
    let answer = ''
    sockets.add(socket)
    socket.write(begins)
    const timer = drips === '' ? undefined : setInterval(() => socket.write(drips), everyMs)
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
    })
    socket.once('close', () => {
      clearInterval(timer)
      sockets.delete(socket)
      answers.push(answer)
    })
  }
  return {
    get open() {
      return sockets.size
    },
    answers,
    end: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Connections that send this at once, and then read nothing of what they are answered.
 *
 * @param from addresses of this machine's own, which take turns: each is another network
 * @returns what ends them
 */
export function openUnreadSockets(
  address: string,
  { count, from, sends }: { count: number; from: readonly string[]; sends: string },
): () => void {
  const sockets = Array.from({ length: count }, (_, index) => open(address, from[index % from.length]))
  for (const socket of sockets) {
    // Only the system's buffers take what comes.
    socket.pause()
    socket.write(sends)
  }
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** A connection that sends this, reads what it is answered, and stays. */
export function askAndStay(
  address: string,
  sends: string,
  from: string,
): { isSettled: () => boolean; end: () => number | null } {
  const socket = open(address, from)
  let status: number | null = null
  socket.on('data', (bytes) => {
    status ??= Number(bytes.toString('latin1', 9, 12))
  })
  socket.write(sends)
  return {
    /** It is connected, or is not any more. */
    isSettled: () => !socket.connecting,
    end() {
      socket.destroy()
      return status
    },
  }
}

/** As many of this request as Node reads in one go, and a few more. */
export function pipeline(path: string, headers = ''): string {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
  return request.repeat(Math.ceil(65_536 / request.length))
}

/** Sends this as it is, and reads until the server closes. @returns the status of the answer; null when there was none */
export function sendRaw(address: string, chunks: Iterable<string | Buffer>): Promise<number | null> {
  const socket = open(address)
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  const rest = chunks[Symbol.iterator]()

  /** As fast as it is taken, and no further than that. */
  function sendMore(): void {
    while (!socket.destroyed) {
      const { value, done } = rest.next()
      if (done) return
      if (!socket.write(value)) {
        socket.once('drain', sendMore)
        return
      }
    }
  }

  sendMore()
  return new Promise((resolve) => {
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? Number.NaN) || null))
  })
}

function open(address: string, from?: string): Socket {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  // That the server breaks off is what is waited for.
  socket.on('error', () => {})
  return socket
}
