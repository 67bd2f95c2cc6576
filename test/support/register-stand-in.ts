import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnswersCatalogue, RegisterAnswer } from '#src/samples/answers.ts'
import type { CompanySource } from '#src/sources/index.ts'
import { type Calls, createCalls } from './register-stand-in/calls.ts'
import { createFaults, type Faults } from './register-stand-in/faults.ts'
import { createFeeds, type Feeds } from './register-stand-in/feeds.ts'
import { send } from './register-stand-in/misbehave.ts'
import { ask } from './register-stand-in/routes.ts'

export type { Fault } from './register-stand-in/faults.ts'
export type { StandInSource } from './register-stand-in/source.ts'

/** Only there to make a whole address of a path. */
const ORIGIN = 'http://register.invalid'

/** A running stand-in for the registers. */
export type RegisterStandIn = Faults &
  Feeds & {
    /** Origin, without a slash at the end. All the registers are behind the one. */
    url: string
    registerUrl: string
    kunngjoringUrl: string
    klassUrl: string
    calls: Calls
    /** What one source answers about one company from now on; null is what it says when it has nothing. */
    set(orgnr: string, source: CompanySource, answer: RegisterAnswer | null): void
    /** Ends every connection, and with it every wait, and stops listening. */
    close(): Promise<void>
  }

/**
 * Starts a real HTTP server that answers like the Norwegian registers: the entity register with roles, search and
 * change feeds, the mandate service, the accounts register, the announcements page, and SSB's KLASS, each at its own
 * path with its own statuses, types and traps. It can be made to fail, and it counts what it is asked.
 *
 * @param answers what the registers know; it is copied, so two stand-ins can start from one catalogue.
 * @param port 0 takes any free one.
 */
export async function startRegisterStandIn({
  answers,
  port = 0,
  host = '127.0.0.1',
}: {
  answers: AnswersCatalogue
  port?: number
  host?: string
}): Promise<RegisterStandIn> {
  const companies = new Map(answers.companies)
  const feeds = createFeeds()
  const faults = createFaults()
  const { calls, arrived } = createCalls()
  const registers = { companies, klass: answers.klass, readFeed: feeds.read }

  // Room for the addresses that the real front-end proxy refuses: the refusal is ours to give, not Node's.
  const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: 60_000 }, answerOne)
  server.on('connection', (socket) => {
    if (faults.refusesEverything()) socket.resetAndDestroy()
  })

  async function answerOne(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(`${ORIGIN}${request.url}`) ?? new URL(ORIGIN)
    const path = url.pathname + url.search
    const { source, orgnr, reply } = ask(registers, url, request.headers.accept)
    const isOver = arrived({ source, orgnr, path, headers: request.headers })
    const left = new AbortController()
    response.once('close', () => {
      isOver()
      left.abort()
    })
    const fault = source === 'ukjent' ? null : faults.meets(source, orgnr)
    await send(response, reply, fault, { path, orgnr, gone: left.signal })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const url = `http://${host}:${(server.address() as AddressInfo).port}`

  return {
    url,
    registerUrl: url,
    kunngjoringUrl: url,
    klassUrl: url,
    calls,
    publish: feeds.publish,
    forgetBefore: feeds.forgetBefore,
    setFault: faults.setFault,
    clearFaults: faults.clearFaults,
    set(orgnr, source, answer) {
      const { [source]: _replaced, ...others } = companies.get(orgnr) ?? {}
      companies.set(orgnr, answer === null ? others : { ...others, [source]: answer })
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
