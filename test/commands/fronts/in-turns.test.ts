import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handRoundInTurns } from '#src/commands/fronts/in-turns.ts'

type Taken = { address: string; getpeername: (of: { address?: string }) => void; close: () => void }

describe('what the cluster is given to hand round', () => {
  let handing: ReturnType<typeof handRoundInTurns>
  beforeAll(() => {
    handing = handRoundInTurns({ waitingMax: 10, trustProxy: ['192.0.2.0/24', '0.0.0.0'] })
  })
  afterAll(() => handing.end())

  /** As it takes its books from the server that begins to listen. */
  async function listen() {
    const passed: Taken[] = []
    const closed: string[] = []
    const listening = {
      onconnection: (_: number, taken: Taken) => passed.push(taken),
      close: () => closed.push('listening'),
    }
    const server = Object.assign(new EventEmitter(), { _handle: listening })
    channel('tracing:net.server.listen:asyncEnd').publish({ server })
    server.emit('listening')
    await nextTurn()
    return {
      passed,
      closed,
      come(address: string) {
        const getpeername = (of: { address?: string }) => Object.assign(of, { address })
        listening.onconnection(0, { address, getpeername, close: () => closed.push(address) })
      },
      end: () => listening.close(),
    }
  }

  it('P43: attack: who connects and connects at the port of a proxy is not before it, of however many networks', async () => {
    const { come, passed } = await listen()
    for (let each = 1; each <= 100; each++) come(`198.51.100.${each}`)
    for (let each = 0; each < 20; each++) come('::ffff:192.0.2.7')
    expect(passed.filter(({ address }) => address === '::ffff:192.0.2.7').length).toBe(20)
    expect(passed.length).toBe(21)
  })

  it('P43: of the others it has one at a time, and none is left when it listens no more', async () => {
    const { come, passed, closed, end } = await listen()
    for (const address of ['198.51.100.1', '198.51.100.1', '198.51.100.2', '198.51.100.3']) come(address)
    expect(passed.length).toBe(1)
    handing.onItsWay(passed[0] as Taken)
    handing.onItsWay(passed[1] as Taken)
    expect(passed.map(({ address }) => address)).toEqual(['198.51.100.1', '198.51.100.2', '198.51.100.3'])
    end()
    expect(closed).toEqual(['198.51.100.1', 'listening'])
  })

  it('P37: attack: who was on the way to the last front as that stopped to listen is told so, and does not wait for ever', async () => {
    const { come, passed, closed, end } = await listen()
    come('198.51.100.1')
    come('192.0.2.7')
    for (const each of passed) handing.onItsWay(each)
    // There is another front yet.
    for (const each of passed) handing.onRefused(each)
    expect(closed).toEqual([])
    end()
    for (const each of passed) handing.onRefused(each)
    expect(closed).toEqual(['listening', '198.51.100.1', '192.0.2.7'])
  })
})
