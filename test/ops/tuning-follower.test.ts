import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import type { TuningState } from '#src/ops/tuning.ts'
import { createTuningFollower, type TuningFollower } from '#src/ops/tuning-follower.ts'
import { eventually } from '#test/support/eventually.ts'

let follower: TuningFollower | null = null
afterEach(() => follower?.close())

/** A version that can be used, or one that can not with the one before it. */
function stateAt(versjon: number, isBroken = false): TuningState {
  const current = { versjon, verdier: {}, hvem: 'Kari', hvorfor: 'x', satt: new Date(0) }
  return { newest: isBroken ? versjon + 1 : versjon, current, isBroken, history: [] }
}

function follow(options: { read: () => Promise<TuningState>; lookEveryMs?: number }) {
  const changes: number[] = []
  let tell = () => {}
  follower = createTuningFollower({
    read: options.read,
    listen: (onTold) => {
      tell = onTold
      return { close: async () => {} }
    },
    onChange: ({ current }) => void changes.push(current.versjon),
    log: createLog({ level: 'silent', file: null }),
    policy: { lookEveryMs: options.lookEveryMs ?? 60_000, retryMs: 5 },
  })
  return { follower, changes, tell: () => tell() }
}

describe('a process that follows the tuning', () => {
  it('looks when it is told, once more for a word that came while it looked', async () => {
    let versjon = 0
    const { follower, changes, tell } = follow({ read: async () => stateAt(versjon) })
    await follower.start()
    expect(changes).toEqual([])
    versjon = 1
    tell()
    tell()
    await eventually('the change is heard', () => changes.length === 1)
  })

  it('P26: finds a change without being told, when notifications are down', async () => {
    let versjon = 1
    const { follower, changes } = follow({ read: async () => stateAt(versjon), lookEveryMs: 5 })
    await follower.start()
    versjon = 2
    await eventually('both were seen', () => changes.join() === '1,2')
  })

  it('keeps what held while the database is away, and looks again soon', async () => {
    let isAway = false
    const { follower, changes, tell } = follow({
      read: async () => {
        if (isAway) throw new Error('away')
        return stateAt(changes.length + 1)
      },
    })
    await follower.start()
    isAway = true
    tell()
    expect(follower.state()?.current.versjon).toBe(1)
    isAway = false
    await eventually('it has looked again', () => changes.length > 1)
  })

  it('says that the newest is broken, and goes on with the last good one', async () => {
    const { follower, changes } = follow({ read: async () => stateAt(3, true) })
    await follower.start()
    expect(follower.state()).toMatchObject({ isBroken: true, current: { versjon: 3 } })
    expect(changes).toEqual([3])
  })
})
