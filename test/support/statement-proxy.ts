import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { serverOf } from './server-of.ts'

/**
 * Where whoever uses the database dies: the `count`-th time a statement like this is on its way. `before`: it does not reach
 * the server. `after`: it was done, and nobody hears that it was.
 *
 * `follows`: only where a statement like that went before it in the same transaction.
 */
export type Death = { statement: RegExp; when: 'before' | 'after'; follows?: RegExp; count?: number }

/** A way to a real PostgreSQL that reads along, and on which one can die at a statement. */
export type StatementProxy = {
  /** The same database, by way of here. */
  readonly url: string
  /** Every statement that went by, oldest first; those that are prepared once are seen once. */
  readonly statements: readonly string[]
  /** From now on. @returns when it is reached: nothing comes or goes by here any more. */
  dieAt(death: Death): Promise<void>
  /** As if whoever uses it were killed: nothing comes or goes any more. */
  cut(): void
  close(): Promise<void>
}

/** @param onDeath at the very moment, before anything else passes */
export async function startStatementProxy(
  databaseUrl: string,
  onDeath: () => void = () => {},
): Promise<StatementProxy> {
  const target = serverOf(databaseUrl)
  const sockets = new Set<Socket>()
  const statements: string[] = []
  let waiting: { death: Death; left: number; reached: () => void } | null = null
  let isDead = false

  const server = createServer((near) => {
    if (isDead) {
      near.resetAndDestroy()
      return
    }
    const far = dial(target)
    /** What is still let through to the server, of a statement whose answer is kept from who asked. */
    let last: 'all' | 'to its end' | 'nothing' = 'all'
    // The far side is let go of by the near one's end.
    sockets.add(near)
    near.once('close', () => sockets.delete(near))
    for (const [own, other] of [[near, far] as const, [far, near] as const]) {
      own.setNoDelay(true)
      own.on('error', () => other.destroy())
      own.once('close', () => other.destroy())
    }
    let transaction: string[] = []
    const asked = frames({ hasStartup: true })
    const told = frames({ hasStartup: false })
    near.on('data', (chunk) => {
      for (const frame of asked(chunk)) {
        if (isDead || last === 'nothing') return
        const text = last === 'all' ? statementIn(frame) : null
        if (text !== null) {
          statements.push(text)
          transaction = /^begin/i.test(text) ? [] : [...transaction, text]
          const when = isReached(text, transaction)
          if (when === 'before') return die()
          if (when === 'after') last = 'to its end'
        }
        far.write(frame)
        const isEnd = frame[0] === SIMPLE_QUERY || frame[0] === SYNC
        if (last === 'to its end' && isEnd) last = 'nothing'
      }
    })
    far.on('data', (chunk) => {
      if (isDead) return
      const whole = [...told(chunk)]
      if (last === 'all') near.write(chunk)
      else if (whole.some(([kind]) => kind === READY)) die()
    })
  })

  function isReached(text: string, transaction: readonly string[]): Death['when'] | null {
    if (waiting === null || !waiting.death.statement.test(text)) return null
    const { follows } = waiting.death
    if (follows !== undefined && !transaction.some((each) => follows.test(each))) return null
    waiting.left -= 1
    return waiting.left === 0 ? waiting.death.when : null
  }

  function die(): void {
    if (isDead) return
    onDeath()
    cut()
    waiting?.reached()
  }

  function cut(): void {
    isDead = true
    for (const socket of sockets) socket.resetAndDestroy()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: url.href,
    statements,
    dieAt(death) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { death, left: death.count ?? 1, reached: resolve }
      return promise
    },
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

const [SIMPLE_QUERY, SYNC, READY] = [...'QSZ'].map((letter) => letter.charCodeAt(0))

/** Messages of PostgreSQL's protocol, whole: a kind and a length each, but the first of a client, which has no kind. */
function frames({ hasStartup }: { hasStartup: boolean }) {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = hasStartup
  return function* (chunk: Buffer): Generator<Buffer> {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const kindBytes = isFirst ? 0 : 1
      if (rest.length < kindBytes + 4) return
      const length = kindBytes + rest.readUInt32BE(kindBytes)
      if (rest.length < length) return
      const frame = rest.subarray(0, length)
      rest = rest.subarray(length)
      isFirst = false
      yield frame
    }
  }
}

/** Of a simple query, and of one that is parsed to be bound. */
function statementIn(frame: Buffer): string | null {
  const kind = String.fromCharCode(frame[0] ?? 0)
  if (kind === 'Q') return frame.toString('utf8', 5, frame.length - 1)
  if (kind !== 'P') return null
  const from = frame.indexOf(0, 5) + 1
  return frame.toString('utf8', from, frame.indexOf(0, from))
}
