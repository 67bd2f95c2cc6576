import { bulkhead, isBulkheadRejectedError } from 'cockatiel'

/**
 * A ceiling on what we ask of a page made for people: so many calls a second, so many at once. What is above it is refused
 * at once and not kept waiting. The calls of one second may come together; then none until time has paid for the next. Below
 * one a second they come one by one.
 */
export function createBudget(options: {
  /** A function is asked for each call: it may be changed while the service runs. */
  callsPerSecond: number | (() => number)
  inFlightMax: number
  nowMs?: () => number
}) {
  const { inFlightMax, nowMs = () => performance.now() } = options
  const places = bulkhead(inFlightMax)
  let tokens = tokensMax(rate())
  let countedAtMs = nowMs()

  return {
    /** Runs `call`, or answers `spent` without having begun it. What `call` throws goes through. */
    async run<T>(call: () => Promise<T>): Promise<T | typeof spent> {
      try {
        return await places.execute<T | typeof spent>(() => (takeToken() ? call() : spent))
      } catch (error) {
        if (isBulkheadRejectedError(error)) return spent
        throw error
      }
    },
  }

  function rate(): number {
    const { callsPerSecond } = options
    return typeof callsPerSecond === 'number' ? callsPerSecond : callsPerSecond()
  }

  function takeToken(): boolean {
    const now = nowMs()
    const callsPerSecond = rate()
    tokens = Math.min(tokensMax(callsPerSecond), tokens + ((now - countedAtMs) / 1000) * callsPerSecond)
    countedAtMs = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

/** Half a token would never come to be one. */
function tokensMax(callsPerSecond: number): number {
  return Math.max(1, callsPerSecond)
}

export const spent = Symbol('budget is spent')
