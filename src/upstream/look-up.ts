import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

type Name = { underWay: Promise<LookupAddress[]> | null; late: Promise<void>; last: LookupAddress[] | null }

/**
 * Looks names up as the machine does, its own list of names among them, and one at a time. It is done in two of the few threads that
 * everybody's names are waited for in, and takes ten seconds where a name server is silent: two such names, or the forty connections
 * of one register, would hold both for minutes, and the stores' names would wait behind them. Whoever asks meanwhile gets the same
 * answer. When it is late, or there is none, the one before counts: whether that is the right peer is for its certificate to say.
 */
export function createLookUp({ lateMs }: { lateMs: number }): LookupFunction {
  // Those of `baseUrl`s and of the mail server, and no more.
  const names = new Map<string, Name>()
  let turn: Promise<unknown> = Promise.resolve()

  async function ask(host: string, options: LookupOptions, name: Name): Promise<LookupAddress[]> {
    const asked = turn.then(() => dns.promises.lookup(host, { ...options, all: true }))
    turn = asked.catch(() => {})
    try {
      name.last = await asked
      return name.last
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOTFOUND'
      if (isGone || name.last === null) throw error
      return name.last
    } finally {
      name.underWay = null
    }
  }

  async function addressesOf(host: string, options: LookupOptions): Promise<LookupAddress[]> {
    const name = names.get(host) ?? { underWay: null, late: Promise.resolve(), last: null }
    names.set(host, name)
    if (name.underWay === null) {
      name.late = pause(lateMs, undefined, { ref: false })
      name.underWay = ask(host, options, name)
    }
    const { underWay, late, last } = name
    return last === null ? underWay : Promise.race([underWay, late.then(() => last)])
  }

  return (host, options, answer) => {
    addressesOf(host, options).then(
      (addresses) => {
        const [first] = addresses
        if (options.all === true || first === undefined) answer(null, addresses)
        else answer(null, first.address, first.family)
      },
      (error) => answer(error, []),
    )
  }
}

/** One for the whole process: several clients ask the same host. A name takes milliseconds, and a connection has a second or two. */
export const lookUp = createLookUp({ lateMs: 500 })
