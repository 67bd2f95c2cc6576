import { describe, expect, it } from 'vitest'
import { createLine } from '#src/commands/fronts/line.ts'

type Connection = { name: string; close(): void }

describe('connections that wait to be handed to a front', () => {
  const lineOf = (waitingMax: number) => {
    const handed: Connection[] = []
    const closed: string[] = []
    const line = createLine<Connection>({ waitingMax }, { handOn: (each) => handed.push(each) })
    return {
      closed,
      names: () => handed.map(({ name }) => name),
      come(name: string, network: string) {
        line.come({ name, close: () => closed.push(name) }, network)
      },
      handOn: () => line.onItsWay(handed.at(-1)),
      handAllOn() {
        for (let at = 0; at < handed.length; at++) line.onItsWay(handed[at])
      },
      end: line.end,
    }
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

  it('P43: attack: who connects again and again is not before another network, who comes last', () => {
    const { come, handAllOn, names } = lineOf(1000)
    for (const each of numbers(500)) come(`flood ${each}`, '192.0.2.1')
    come('newcomer', '192.0.2.2')
    expect(names()).toEqual(['flood 0'])
    handAllOn()
    expect(names().length).toBe(501)
    expect(names().indexOf('newcomer')).toBeLessThan(3)
  })

  it('P43: attack: who comes to hundreds of networks that connect without a pause is not behind a turn of each', () => {
    const { come, handOn, names } = lineOf(10_000)
    const floods = (from: number) => {
      for (const each of numbers(300)) come(`flood ${from + each}`, `2001:db8:${each}::/48`)
    }
    floods(0)
    for (const _ of numbers(400)) {
      handOn()
      floods(names().length)
    }
    come('newcomer', '192.0.2.2')
    const before = names().length
    for (const _ of numbers(3)) handOn()
    expect(names().slice(before)).toContain('newcomer')
  })

  it('P43: attack: whose network had a turn is not passed by all that had none, without end', () => {
    const { come, handOn, names } = lineOf(10_000)
    come('office 1', '192.0.2.2')
    for (const each of numbers(20)) come(`crowd ${each}`, `2001:db8:${each}::/48`)
    come('office 2', '192.0.2.2')
    for (const each of numbers(200)) {
      come(`later ${each}`, `2001:db8:1:${each}::/48`)
      handOn()
    }
    expect(names()).toContain('office 2')
  })

  it('P43: attack: of as many as may wait the network with the most gives up its oldest, and nobody else any', () => {
    const { come, handAllOn, names, closed } = lineOf(10)
    come('first', '192.0.2.1')
    for (const each of numbers(10)) come(`flood ${each}`, '192.0.2.1')
    for (const each of numbers(3)) come(`newcomer ${each}`, `192.0.2.${2 + each}`)
    come('too many', '192.0.2.1')
    expect(closed).toEqual(['flood 0', 'flood 1', 'flood 2', 'too many'])
    handAllOn()
    expect(names().length).toBe(11)
    for (const each of numbers(3)) expect(names()).toContain(`newcomer ${each}`)
  })

  it('P43: who waits when nobody hands them round any more is told so', () => {
    const { come, end, closed } = lineOf(10)
    for (const each of numbers(3)) come(`${each}`, '192.0.2.1')
    end()
    expect(closed).toEqual(['1', '2'])
  })
})
