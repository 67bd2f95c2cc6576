import { forAllWhoJoin } from '#src/core/asker.ts'
import { untilAborted, within } from '#src/core/wait.ts'
import { FillDeadlineError, FillsExceededError } from './errors.ts'
import type { Key } from './key.ts'

/**
 * One flight per key at a time: who asks for what is on its way waits for it instead of asking again.
 *
 * A flight belongs to nobody who waits for it: it has a deadline of its own and goes on when all have left. Its failure is
 * told to those who waited; whoever comes later starts anew.
 */
export function createSingleFlight<T>({ flightsMax }: { flightsMax: number }) {
  const byCompany = new Map<string, Map<string, () => Promise<T>>>()
  let count = 0

  function depart({ company, section }: Key, flight: () => Promise<T>): Promise<T> {
    const flights = byCompany.get(company) ?? new Map<string, () => Promise<T>>()
    flights.set(section, flight)
    byCompany.set(company, flights)
    count++
    const landed = () => {
      count--
      if (flights.get(section) !== flight) return
      flights.delete(section)
      if (flights.size === 0 && byCompany.get(company) === flights) byCompany.delete(company)
    }
    // Handles the failure as well: it may have nobody left who waits for it.
    const landing = flight()
    landing.then(landed, landed)
    return landing
  }

  return {
    /**
     * Joins the flight that is on its way to this key, or starts one.
     *
     * @param deadlineMs for the whole flight, when it is started here; null: `start` has a bound of its own
     * @param signal of this caller alone: ends this wait and nothing else
     * @throws FillDeadlineError, FillsExceededError, `signal`'s reason, or what the flight failed with
     */
    async join(
      key: Key,
      { deadlineMs, signal }: { deadlineMs: number | null; signal?: AbortSignal | undefined },
      start: (signal: AbortSignal) => Promise<T>,
    ): Promise<{ value: T; isFirst: boolean }> {
      signal?.throwIfAborted()
      const underway = byCompany.get(key.company)?.get(key.section)
      if (underway !== undefined) return { value: await untilAborted(underway(), signal), isFirst: false }
      if (count >= flightsMax) throw new FillsExceededError(flightsMax)
      const flight = forAllWhoJoin(() => (deadlineMs === null ? start(NEVER) : fly(start, deadlineMs)))
      return { value: await untilAborted(depart(key, flight), signal), isFirst: true }
    },

    /** Lets go of a company's flights: they land for those who wait, and nobody joins them any more. */
    forget(company: string): void {
      byCompany.delete(company)
    },

    forgetAll(prefix: string): void {
      for (const company of [...byCompany.keys()]) if (company.startsWith(prefix)) byCompany.delete(company)
    },

    underway: (): number => count,
  }
}

const NEVER = new AbortController().signal

/** Ends with the deadline even when `start` does not listen to its signal. */
async function fly<T>(start: (signal: AbortSignal) => Promise<T>, deadlineMs: number): Promise<T> {
  const deadline = new AbortController()
  try {
    return await within(start(deadline.signal), deadlineMs, () => {
      throw new FillDeadlineError(deadlineMs)
    })
  } catch (error) {
    // Told after it was given up, so that this is the failure and not what `start` makes of its signal.
    deadline.abort(error)
    throw error
  }
}
