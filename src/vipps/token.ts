import type { Clock } from '#src/core/clock.ts'

/** A token and how long it lives, as it was just answered. */
type IssuedToken = { token: string; livesForSeconds: number }

type Tokens = {
  /** The token in use; fetched when there is none or nine tenths of its life are over. */
  current(): Promise<string>
  /** Vipps refused this one. Only that one is dropped: a call that is late with its refusal does not cost the next. */
  drop(token: string): void
}

/**
 * Holds the one access token of this process. It is kept here and in the header it is sent in, and nowhere else.
 * Many callers at once make one fetch; a fetch that fails is shared by those who waited for it and by no later one.
 */
export function createTokens(options: { fetch: () => Promise<IssuedToken>; clock: Clock }): Tokens {
  const { fetch, clock } = options
  let held: { token: string; refreshFromMs: number } | null = null
  let underWay: Promise<string> | null = null

  async function renewed(): Promise<string> {
    const askedAtMs = clock.now().getTime()
    const { token, livesForSeconds } = await fetch()
    held = { token, refreshFromMs: askedAtMs + livesForSeconds * 1000 * SHARE_OF_LIFE }
    return token
  }

  return {
    current() {
      if (held !== null && clock.now().getTime() < held.refreshFromMs) return Promise.resolve(held.token)
      underWay ??= renewed().finally(() => {
        underWay = null
      })
      return underWay
    },
    drop(token) {
      if (held?.token === token) held = null
    },
  }
}

/** One hour in test and a day in production: the last tenth covers clocks that differ and calls that take long. */
const SHARE_OF_LIFE = 0.9
