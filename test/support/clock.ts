import type { Clock } from '#src/core/clock.ts'

export type TestClock = Clock & { advance(ms: number): void }

/** The time as a test has it: it stands still until it is moved. Begins at the real one, so that two clocks can meet. */
export function createTestClock(): TestClock {
  let time = Date.now()
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
