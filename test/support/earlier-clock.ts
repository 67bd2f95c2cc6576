import { vi } from 'vitest'

/** `performance.now` by hand. What has come by it is long past when it is put right again. */
export function earlierClock() {
  let nowMs = performance.now() - 60_000
  const spied = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  return {
    passes(ms: number): void {
      nowMs += ms
    },
    [Symbol.dispose]: () => spied.mockRestore(),
  }
}
