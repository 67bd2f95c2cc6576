import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'undici'

export type SteadyLoad = {
  /** Whole answers so far. */
  readonly answered: number
  /** Requests that got no whole answer, since their connection broke or was refused. */
  readonly broken: number
  readonly statuses: ReadonlySet<number>
  /** The different records seen, but for their times. */
  readonly texts: ReadonlySet<string>
  readonly latenciesMs: readonly number[]
  /** When every client has been told that its connection ends; never, unless they stop then. */
  readonly told: Promise<void>
  stop(): Promise<void>
}

/**
 * Clients with a connection of their own that they keep, each asking for one company again and again.
 *
 * @param options `stopsWhenTold`: a client whose answer says that its connection ends asks no more, as behind a balancer it
 *   would ask somebody else; otherwise it connects anew. `pauseMs`: between an answer and the next question. `othersMs`: what other
 *   processes of the machine have taken so far from whoever answers, and from whoever asks: it is in no latency
 */
export function startSteadyLoad(
  address: string,
  {
    token,
    orgnr,
    clients: count,
    stopsWhenTold = false,
    pauseMs = 0,
    othersMs = () => 0,
  }: {
    token: string
    orgnr: string
    clients: number
    stopsWhenTold?: boolean
    pauseMs?: number
    othersMs?: () => number
  },
): SteadyLoad {
  const seen = {
    answered: 0,
    broken: 0,
    statuses: new Set<number>(),
    texts: new Set<string>(),
    latenciesMs: [] as number[],
  }
  let isOver = false
  const clients = Array.from({ length: count }, () => new Client(address))

  async function ask(client: Client): Promise<void> {
    for (let isLast = false; !isOver && !isLast; ) {
      const startedAtMs = performance.now() - othersMs()
      try {
        const { statusCode, headers, body } = await client.request({
          method: 'GET',
          path: `/api/bedrift/${orgnr}`,
          headers: { authorization: `Bearer ${token}` },
        })
        const text = await body.text()
        seen.latenciesMs.push(Math.max(0, performance.now() - othersMs() - startedAtMs))
        seen.statuses.add(statusCode)
        // Two processes fetched at two times: all else is one text.
        seen.texts.add(JSON.stringify({ ...JSON.parse(text), kilder: null }))
        seen.answered += 1
        if (pauseMs > 0) await pause(pauseMs)
        isLast = stopsWhenTold && headers.connection === 'close'
      } catch {
        seen.broken += 1
        // A refused connection is told of at once.
        await pause(5)
      }
    }
  }

  const told = Promise.all(clients.map(ask)).then(() => {})
  return Object.assign(seen, {
    told,
    async stop() {
      isOver = true
      await told
      await Promise.all(clients.map((client) => client.destroy()))
    },
  })
}
