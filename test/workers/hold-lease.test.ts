import { describe, expect, test } from 'vitest'
import { holdLease } from '#workers/hold-lease.ts'

function hold(renew: () => Promise<boolean>, options: { leaseMs?: number; signal?: AbortSignal } = {}) {
  const { leaseMs = 60_000, signal = new AbortController().signal } = options
  return holdLease(
    { takenAtMs: performance.now(), leaseMs, renewMs: 5, renew, signal },
    (held) => new Promise((resolve) => held.addEventListener('abort', () => resolve(), { once: true })),
  )
}

describe('a lease that is held', () => {
  test('ends when somebody else has taken it', async () => {
    let renewals = 0
    await hold(async () => {
      renewals += 1
      return renewals < 4
    })
    expect(renewals).toBe(4)
  })

  test('ends by itself when it can not be renewed for as long as it lasts', async () => {
    let renewals = 0
    await hold(
      async () => {
        renewals += 1
        throw new Error('PostgreSQL is away')
      },
      { leaseMs: 100 },
    )
    expect(renewals).toBeGreaterThan(1)
  })

  test('ends by itself also when the renewal gets no answer', async () => {
    await hold(() => new Promise((resolve) => setTimeout(resolve, 300, true)), { leaseMs: 50 })
  })

  test('lasts beyond its time for as long as it is renewed', async () => {
    const ours = new AbortController()
    let renewals = 0
    await hold(
      async () => {
        renewals += 1
        if (renewals === 60) ours.abort()
        return true
      },
      { leaseMs: 100, signal: ours.signal },
    )
    expect(renewals).toBe(60)
  })

  test('ends with the work, and what the work throws comes through', async () => {
    const work = holdLease(
      {
        takenAtMs: performance.now(),
        leaseMs: 60_000,
        renewMs: 5,
        renew: async () => true,
        signal: new AbortController().signal,
      },
      async () => {
        throw new Error('the work failed')
      },
    )
    await expect(work).rejects.toThrow('the work failed')
  })
})
