import { setTimeout as pause } from 'node:timers/promises'

/**
 * Which hashes are of a token or a session that is good, without a query for each that is not: nobody who only reaches the
 * port can make PostgreSQL, or its connections, too busy for the operator. What is known is answered at once; what is not
 * waits for the next look at all there are, which everybody who waits shares, so that a token made a moment ago is found too.
 *
 * @param read all that are good now, in base64
 */
export function createKnownCredentials({
  read,
  everyMs,
}: {
  read: () => Promise<ReadonlySet<string>>
  /** At most one look in this time. */
  everyMs: number
}) {
  let known: ReadonlySet<string> = new Set()
  let lookedAt = Number.NEGATIVE_INFINITY
  let next: Promise<ReadonlySet<string>> | null = null

  /** A look that begins after this was asked for. */
  function look(): Promise<ReadonlySet<string>> {
    next ??= pause(Math.max(0, lookedAt + everyMs - performance.now()), undefined, { ref: false }).then(
      async () => {
        next = null
        lookedAt = performance.now()
        known = await read()
        return known
      },
    )
    return next
  }

  return {
    /** Of those that were good a moment ago; whoever is let in is looked up by themselves. @throws StorageUnavailableError */
    has: async (hash: Buffer): Promise<boolean> => {
      const name = hash.toString('base64')
      return known.has(name) || (await look()).has(name)
    },
    /** Whether there are any. */
    any: async (): Promise<boolean> => known.size > 0 || (await look()).size > 0,
  }
}
