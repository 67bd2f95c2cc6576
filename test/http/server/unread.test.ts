import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { policy } from '#config/policy.ts'
import { createUnread } from '#src/http/server/unread.ts'
import { HOUR_MS } from '#test/support/clock.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => vi.useRealTimers())

/** Of a client that takes a little now and then. */
function openSlow() {
  const socket = {
    writableLength: 1000,
    timeout: policy.http.connectionTimeoutMs,
    setTimeout: vi.fn(),
    destroy: vi.fn(),
  }
  const unread = createUnread(policy.http, {
    open: new Map([[socket as unknown as Socket, null]]),
    networkOf: () => '127.0.0.1',
    bytesInLine: () => 0,
  })
  unread.look()
  return { unread, isLetGo: () => socket.destroy.mock.calls.length > 0 }
}

it('P43: a clock that is set ahead breaks off nobody who reads', () => {
  const { unread, isLetGo } = openSlow()
  vi.setSystemTime(Date.now() + HOUR_MS)
  unread.look()
  expect(isLetGo()).toBe(false)
})

it('P43: attack: who takes a little now and then is let go when their time is up, though the clock is set back meanwhile', () => {
  const { unread, isLetGo } = openSlow()
  vi.setSystemTime(Date.now() - HOUR_MS)
  vi.advanceTimersByTime(policy.http.unreadForMsMax + 1)
  unread.look()
  expect(isLetGo()).toBe(true)
})
