import { type Answer, type Connection, openConnection } from './connection.ts'

/** What is asked, and what the answers have to be like: a bench of failures measures nothing. */
export type Course = {
  /** Connections are spread over them. */
  addresses: readonly string[]
  /** Asked in turn, from the beginning again after the last. */
  requests: Buffer[]
  isRight: (answer: Answer) => boolean
  connections: number
}

/** Latencies in milliseconds, sorted. */
export type Run = {
  answered: number
  wrong: { count: number; heads: string[] }
  elapsedMs: number
  latenciesMs: Float64Array
}

/**
 * Each connection asks again as soon as it is answered: as much as the server can do. Ends after `durationMs`, or when
 * `total` have been answered.
 */
export async function closedLoop(
  course: Course,
  { durationMs, total = Number.POSITIVE_INFINITY }: { durationMs: number; total?: number },
): Promise<Run> {
  return withConnections(course, (connections, record, done) => {
    const startedAt = performance.now()
    let asked = 0
    let underway = connections.length
    function next(connection: Connection): void {
      const at = performance.now()
      const request = asked < total && at - startedAt < durationMs ? take(course, asked++) : undefined
      if (request !== undefined) {
        connection.ask(request, (answer) => {
          record(at, answer)
          next(connection)
        })
        return
      }
      underway--
      if (underway === 0) done()
    }
    for (const connection of connections) next(connection)
    // Awake all the time: to wake a sleeping client is work for the kernel, and it would be counted as the server's.
    function stayAwake(): void {
      if (underway > 0) setImmediate(stayAwake)
    }
    stayAwake()
  })
}

/**
 * Asks at a fixed rate, whether or not the server keeps up. Each latency counts from the moment its question was due, so
 * that a stall is felt by all who would have asked meanwhile.
 */
export async function openLoop(
  course: Course,
  { durationMs, perSecond }: { durationMs: number; perSecond: number },
): Promise<Run> {
  return withConnections(course, (connections, record, done) => {
    const free = [...connections]
    const total = Math.floor((durationMs * perSecond) / 1000)
    const startedAt = performance.now()
    let asked = 0
    let answered = 0
    function askDue(): void {
      while (asked < total) {
        const dueAt = startedAt + (asked * 1000) / perSecond
        const request = take(course, asked)
        // Each in its turn: one that was opened and asks nothing is let go of.
        const connection = dueAt <= performance.now() ? free.shift() : undefined
        if (connection === undefined || request === undefined) break
        asked++
        connection.ask(request, (answer) => {
          record(dueAt, answer)
          free.push(connection)
          answered++
          if (answered === total) done()
        })
      }
      if (asked >= total) return
      // Timers come to the millisecond, which is more than most answers take: the last of a wait is looked away. What is due later
      // than that leaves the core to the others on it, and has its turn before them when it wakes.
      const leftMs = startedAt + (asked * 1000) / perSecond - performance.now()
      if (leftMs > AWAKE_MS) setTimeout(askDue, leftMs - AWAKE_MS)
      else setImmediate(askDue)
    }
    askDue()
  })
}

function take({ requests }: Course, index: number): Buffer | undefined {
  return requests[index % requests.length]
}

async function withConnections(
  { addresses, connections: count, isRight }: Course,
  run: (connections: Connection[], record: (dueAt: number, answer: Answer) => void, done: () => void) => void,
): Promise<Run> {
  const latencies: number[] = []
  const wrong: Run['wrong'] = { count: 0, heads: [] }
  const finished = Promise.withResolvers<void>()
  const connections: Connection[] = []
  try {
    for (let index = 0; index < count; index++) {
      const address = addresses[index % addresses.length] ?? ''
      connections.push(await openConnection(address, finished.reject))
    }
    const startedAt = performance.now()
    const record = (dueAt: number, answer: Answer) => {
      latencies.push(performance.now() - dueAt)
      if (isRight(answer)) return
      wrong.count++
      if (wrong.heads.length < HEADS_MAX) wrong.heads.push(answer.head)
    }
    run(connections, record, finished.resolve)
    await finished.promise
    const elapsedMs = performance.now() - startedAt
    return { answered: latencies.length, wrong, elapsedMs, latenciesMs: Float64Array.from(latencies).sort() }
  } finally {
    for (const connection of connections) connection.close()
  }
}

const AWAKE_MS = 1
const HEADS_MAX = 3
