import { describe, expect, it } from 'vitest'
import { askedTogether } from '#src/core/asked-together.ts'
import { eventually } from '#test/support/eventually.ts'

function asker({ atOnce = 1, namesMax = 100 } = {}) {
  const asked: { names: string[]; answer: PromiseWithResolvers<ReadonlyMap<string, string>> }[] = []
  const ask = askedTogether<string>(
    (names) => {
      const answer = Promise.withResolvers<ReadonlyMap<string, string>>()
      asked.push({ names, answer })
      return answer.promise
    },
    { atOnce, namesMax },
  )
  return { ask, asked }
}

describe('questions that come together', () => {
  it('are asked together, each once, and answered by name', async () => {
    const { ask, asked } = asker()
    const answers = [ask('a'), ask('b'), ask('a')]
    await eventually('asked', () => asked.length === 1)
    expect(asked[0]?.names).toEqual(['a', 'b'])
    asked[0]?.answer.resolve(new Map([['a', 'A']]))
    expect(await Promise.all(answers)).toEqual(['A', null, 'A'])
  })

  it('wait while others are on their way, and join none of those', async () => {
    const { ask, asked } = asker({ namesMax: 2 })
    const first = ask('a')
    await eventually('asked', () => asked.length === 1)
    const later = ['a', 'b', 'c'].map((name) => ask(name))
    asked[0]?.answer.resolve(new Map([['a', 'old']]))
    expect(await first).toBe('old')
    await eventually('asked again', () => asked.length === 2)
    expect(asked[1]?.names).toEqual(['a', 'b'])
    asked[1]?.answer.resolve(new Map([['a', 'new']]))
    await eventually('asked once more', () => asked.length === 3)
    asked[2]?.answer.resolve(new Map())
    expect(await Promise.all(later)).toEqual(['new', null, null])
  })

  it('fail together, and the next are asked all the same', async () => {
    const { ask, asked } = asker()
    const answers = [ask('a'), ask('b')].map((answer) => answer.catch((error: Error) => error.message))
    await eventually('asked', () => asked.length === 1)
    asked[0]?.answer.reject(new Error('away'))
    expect(await Promise.all(answers)).toEqual(['away', 'away'])
    const next = ask('a')
    await eventually('asked again', () => asked.length === 2)
    asked[1]?.answer.resolve(new Map([['a', 'A']]))
    expect(await next).toBe('A')
  })
})
