import { describe, expect, it } from 'vitest'
import { noFilters } from '#src/search/find-any.ts'
import { inTurn, NoSearchTurnError } from '#src/search/in-turn.ts'
import type { Search } from '#src/search/search.ts'
import { eventually } from '#test/support/eventually.ts'

const bounds = { connectionsForOneMax: 2, atRegisterForOneMax: 3, waitingMax: 3, waitMs: 60_000 }
const other = { outcome: 'other' } as const

/** A search whose answers come when they are let. */
function lineOf({ isIndexed = true, ...changed }: Partial<typeof bounds> & { isIndexed?: boolean } = {}) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const wait = async (caller: string) => {
    begun.push(caller)
    const ended = Promise.withResolvers<void>()
    ends.push(ended.resolve)
    await ended.promise
  }
  const search = {
    sok: (_question: unknown, caller: string) => wait(caller).then(() => other),
  } as Search
  const { sok } = inTurn(search, { isIndexed: () => isIndexed, policy: { ...bounds, ...changed } })
  const ask = (caller: string) => sok({ q: 'x', filters: noFilters, size: 1, after: null }, caller)
  return { ask, begun, ends }
}

describe('searches of one who asks', () => {
  it('P61: attack: one who asks for many has those waited for, not asked of the register; another’s are begun at once', async () => {
    const { ask, begun, ends } = lineOf()
    const many = [ask('many'), ask('many'), ask('many'), ask('many')]
    const another = ask('another')
    await eventually('another’s is begun', () => begun.includes('another'))
    expect(begun).toEqual(['many', 'many', 'another'])
    for (const end of ends) end()
    expect(await another).toBe(other)
    await eventually('they have come to their turns', () => begun.length === 5)
    expect(begun).toEqual(['many', 'many', 'another', 'many', 'many'])
    for (const end of ends) end()
    expect(await Promise.all(many)).toEqual([other, other, other, other])
  })

  it('P54: attack: who is refused is told that it is for their own', async () => {
    const { ask } = lineOf()
    const crowd = Promise.allSettled([ask('many'), ask('many')])
    const waiting = [ask('many'), ask('many'), ask('many')]
    await expect(ask('many')).rejects.toMatchObject({ isOwn: true })
    const late = lineOf({ waitMs: 1 })
    const held = [late.ask('many'), late.ask('many')]
    const refused = await late.ask('many').catch((error) => error)
    expect(refused).toBeInstanceOf(NoSearchTurnError)
    expect(refused).toMatchObject({ isOwn: true })
    expect([crowd, waiting, held].flat()).toHaveLength(6)
  })

  it('P61: attack: without an index those of one who asks for many wait for a turn at the register; another’s are begun at once', async () => {
    const { ask, begun, ends } = lineOf({ isIndexed: false })
    const many = Array.from({ length: 5 }, () => ask('many'))
    const another = ask('another')
    await eventually('another’s is begun', () => begun.includes('another'))
    expect(begun).toEqual(['many', 'many', 'many', 'another'])
    for (const end of ends) end()
    expect(await another).toBe(other)
    await eventually('they have come to their turns', () => begun.length === 6)
    for (const end of ends) end()
    expect(await Promise.all(many)).toEqual(Array(5).fill(other))
  })
})
