import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { passOnLines } from '#src/commands/fronts/pass-on-lines.ts'

describe('lines of several processes in one output', () => {
  it('are whole, however they were cut on their way', async () => {
    const [a, b, out] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const written = buffer(out)
    const to = {
      push: (lines: string) => out.write(lines),
      onRoom: (call: () => void) => void out.once('drain', call),
    }
    for (const from of [a, b]) passOnLines(from, to)
    const line = (name: string, index: number) => `${name}${index} ${name.repeat(5000)}\n`
    for (const [name, from] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const text = Array.from({ length: 50 }, (_, index) => line(name, index)).join('')
      for (let at = 0; at < text.length; at += 3001) from.write(text.slice(at, at + 3001))
    }
    a.end('the last has no end')
    b.end()
    await Promise.all([a, b].map((each) => new Promise((resolve) => each.once('close', resolve))))
    out.end()
    const lines = (await written).toString().trimEnd().split('\n')
    expect(lines.filter((each) => each === 'the last has no end')).toHaveLength(1)
    const whole = lines.filter((each) => /^(a\d+ a{5000}|b\d+ b{5000})$/.test(each))
    expect(new Set(whole).size).toBe(100)
    expect(lines.length).toBe(101)
  })

  it('are not read while there is no room for them: it is whoever wrote them who finds no reader', async () => {
    const from = new PassThrough()
    const passed: string[] = []
    let tellOfRoom = () => {}
    passOnLines(from, {
      push: (lines) => passed.push(lines) > 1,
      onRoom: (call) => {
        tellOfRoom = call
      },
    })
    for (const line of ['a\n', 'b\n']) {
      from.write(line)
      await nextTurn()
    }
    expect(passed).toEqual(['a\n'])
    tellOfRoom()
    await nextTurn()
    expect(passed).toEqual(['a\n', 'b\n'])
  })
})
