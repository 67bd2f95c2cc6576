import { describe, expect, it } from 'vitest'
import { FillDeadlineError, FillsExceededError } from '#src/cache/errors.ts'
import { createSingleFlight } from '#src/cache/single-flight.ts'
import { gate, KEY } from './one-process.ts'

const other = { ...KEY, section: 'roller' }
const plenty = { deadlineMs: 10_000 }

describe('a single flight', () => {
  it('P7: is started once for a thousand who ask', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const answer = gate<string>()
    let started = 0
    const asked = Array.from({ length: 1000 }, () =>
      flights.join(KEY, plenty, () => {
        started++
        return answer.promise
      }),
    )
    answer.open('x')
    const results = await Promise.all(asked)
    expect(started).toBe(1)
    expect(results.filter(({ isFirst }) => isFirst)).toHaveLength(1)
    expect(flights.underway()).toBe(0)
  })

  it('goes to each key by itself', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const [a, b] = await Promise.all([
      flights.join(KEY, plenty, async () => 'a'),
      flights.join(other, plenty, async () => 'b'),
    ])
    expect([a.value, b.value]).toEqual(['a', 'b'])
  })

  it('P7: goes on when those who waited have left, also the first', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const answer = gate<string>()
    const first = new AbortController()
    let flightSignal: AbortSignal | undefined
    const leaving = flights.join(KEY, { ...plenty, signal: first.signal }, (signal) => {
      flightSignal = signal
      return answer.promise
    })
    const staying = flights.join(KEY, plenty, () => Promise.reject(new Error('started twice')))
    first.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    expect(flightSignal?.aborted).toBe(false)
    answer.open('x')
    expect(await staying).toEqual({ value: 'x', isFirst: false })
  })

  it('is not joined by one who has left already', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const signal = AbortSignal.abort(new Error('left'))
    await expect(flights.join(KEY, { ...plenty, signal }, async () => 'x')).rejects.toThrow('left')
    expect(flights.underway()).toBe(0)
  })

  it('tells its failure to those who waited and to nobody who comes later', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const failing = gate<string>()
    const waiting = [0, 1].map(() => flights.join(KEY, plenty, () => failing.promise))
    failing.fail(new Error('away'))
    for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected')
    expect((await flights.join(KEY, plenty, async () => 'x')).value).toBe('x')
  })

  it('has a deadline of its own, also when what it started does not listen', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    let reason: unknown
    const flight = flights.join(KEY, { deadlineMs: 1 }, (signal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
      })
      return new Promise(() => {})
    })
    await expect(flight).rejects.toBeInstanceOf(FillDeadlineError)
    expect(reason).toBeInstanceOf(FillDeadlineError)
    expect(flights.underway()).toBe(0)
  })

  it('is not joined after it was let go of, and still lands for those who wait', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 10 })
    const old = gate<string>()
    const waiting = flights.join(KEY, plenty, () => old.promise)
    flights.forget(KEY.company)
    const newer = gate<string>()
    const later = flights.join(KEY, plenty, () => newer.promise)
    old.open('old')
    expect((await waiting).value).toBe('old')
    // The newer one is still there to be joined after the old one has landed.
    const joined = flights.join(KEY, plenty, async () => 'third')
    newer.open('newer')
    expect((await later).value).toBe('newer')
    expect((await joined).value).toBe('newer')
    expect(flights.underway()).toBe(0)
  })

  it('is refused when too many are under way', async () => {
    const flights = createSingleFlight<string>({ flightsMax: 1 })
    const answer = gate<string>()
    const first = flights.join(KEY, plenty, () => answer.promise)
    await expect(flights.join(other, plenty, async () => 'x')).rejects.toBeInstanceOf(FillsExceededError)
    const joined = flights.join(KEY, plenty, async () => 'x')
    answer.open('x')
    await Promise.all([first, joined])
    expect((await flights.join(other, plenty, async () => 'y')).value).toBe('y')
  })
})
