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
