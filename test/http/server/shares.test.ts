import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createShares } from '#src/http/server/shares.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { eventually } from '#test/support/eventually.ts'

it('P43: attack: whoever waits in a crowd whose network comes to flood is not read before they are counted', async () => {
  const counted = new Set<Socket>()
  const read = new Set<Socket>()
  const readUncounted = new Set<Socket>()
  const shares = createShares(policy.http, { heldFor: () => 0, begin: (socket) => counted.add(socket) })
  const socket = (): Socket => {
    const made = {
      destroyed: false,
      bytesWritten: 0,
      bytesRead: 0,
      once: () => made,
      pause: () => made,
      resume: () => {
        read.add(made)
        if (!counted.has(made)) readUncounted.add(made)
        return made
      },
    } as unknown as Socket
    return made
  }
  const crowd = Array.from({ length: 10 * policy.http.crowdOf }, socket)
  for (const each of crowd) shares.admit(each, 'network')
  await new Promise<void>((taken) => process.nextTick(taken))
  for (const each of crowd.slice(0, policy.http.floodsMax)) shares.noteFlood(each, 'network')
  // The process is at something else, so that few of them are read at a time.
  const work = setInterval(() => beBusyFor(2 * policy.http.gateEveryMs), 0)
  try {
    await eventually('all have been read', () =>
      crowd.slice(policy.http.crowdOf).every((one) => read.has(one)),
    )
  } finally {
    clearInterval(work)
  }
  expect(readUncounted.size).toBe(0)
})
