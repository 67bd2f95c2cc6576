import { Resolver } from 'node:dns/promises'

/** Looks a name up once. @throws the signal's reason; a name without addresses has none */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

/**
 * Asks DNS itself, and not the machine: its own list of names does not count, and a name server that is silent holds none of the
 * few threads that files and passwords are waited for in.
 *
 * @param servers others than the machine's, as `127.0.0.1:5353`
 */
export function createResolve({
  timeoutMs,
  servers,
}: {
  timeoutMs: number
  servers?: readonly string[] | undefined
}): Resolve {
  return async function resolve(host, signal) {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      // Both are waited for: one address that must not be reached is reason enough, whichever list it stands in.
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      signal.throwIfAborted()
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
