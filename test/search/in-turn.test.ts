import { describe, expect, it } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { noFilters } from '#src/search/find-any.ts'
import { createSearchTurns, NoSearchTurnError } from '#src/search/in-turn.ts'
import { createSearch } from '#src/search/search.ts'
import { NoStorageTurnError, type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { eventually } from '#test/support/eventually.ts'

const bounds = {
  connectionsMax: 3,
  connectionsForOneMax: 2,
  atRegisterMax: 7,
  atRegisterForOneMax: 3,
  waitingMax: 3,
  waitMs: 60_000,
}

/** Searches whose answers come, or fail, when they are let. */
function lineOf(changed: Partial<typeof bounds> = {}, where: 'inIndex' | 'atRegister' = 'inIndex') {
  const begun: string[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const turns = createSearchTurns({ ...bounds, ...changed })
  const ask = (caller: string) =>
    turns[where](caller, async () => {
      begun.push(caller)
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      await answer.promise
      return caller
    })
  const end = () => {
    for (const answer of answers) answer.resolve()
  }
  return { ...turns, ask, begun, end }
}

describe('searches', () => {
  it('P61: attack: one who asks for many has those waited for, not asked of the register; another’s are begun at once', async () => {
    const { ask, begun, end } = lineOf()
    const many = [ask('many'), ask('many'), ask('many'), ask('many')]
    const another = ask('another')
    await eventually('another’s is begun', () => begun.includes('another'))
    expect(begun).toEqual(['many', 'many', 'another'])
    end()
    expect(await another).toBe('another')
    await eventually('they have come to their turns', () => begun.length === 5)
    expect(begun).toEqual(['many', 'many', 'another', 'many', 'many'])
    end()
    expect(await Promise.all(many)).toEqual(['many', 'many', 'many', 'many'])
  })

  it('P61: attack: however many ask, no more are begun than there are connections for, and the others wait', async () => {
    const { ask, begun, end } = lineOf()
    const callers = ['a', 'b', 'c', 'd', 'e', 'f']
    const asked = callers.map(ask)
    expect(begun).toEqual(['a', 'b', 'c'])
    end()
    await eventually('the others are', () => begun.length === callers.length)
    end()
    expect(await Promise.all(asked)).toEqual(callers)
  })

  it('P75: attack: where PostgreSQL is found away all who wait are told so, and nobody waits for the next to find it', async () => {
    const { ask, begun, letGo, end } = lineOf()
    const asked = ['a', 'b', 'c', 'd', 'e'].map(ask)
    const outcomes = Promise.allSettled(asked)
    letGo(new NoStorageTurnError(null, { isOwn: true }))
    const away = new StorageUnavailableError(null)
    letGo(away)
    end()
    expect(await outcomes).toMatchObject([
      { value: 'a' },
      { value: 'b' },
      { value: 'c' },
      { reason: away },
      { reason: away },
    ])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('P61: attack: one of a crowd who has no connection in time sends nobody else to the register', async () => {
    const { ask, begun, letGo, end } = lineOf()
    const asked = ['a', 'b', 'c', 'd'].map(ask)
    letGo(new NoStorageTurnError(null, { isOwn: false, wereOthersAnswered: true }))
    end()
    await eventually('who waits has a turn', () => begun.length === 4)
    end()
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd'])
    const silent = lineOf()
    const outcomes = Promise.allSettled(['a', 'b', 'c', 'd'].map(silent.ask))
    silent.letGo(new NoStorageTurnError(null, { isOwn: false }))
    silent.end()
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
  })

  it('P75: attack: where PostgreSQL is away one finds it for all who wait for the index, and all are answered by the register', async () => {
    const found = Promise.withResolvers<never>()
    let asked = 0
    const db: Queryable = {
      query() {
        asked += 1
        return found.promise
      },
    }
    const fetchedAt = new Date()
    const absent = async () => ({ outcome: 'absent' as const, fetchedAt })
    const search = createSearch({
      db,
      index: () => ({ builtAt: fetchedAt, filesAt: fetchedAt, changesUntil: null }),
      turns: createSearchTurns({ ...bounds, connectionsMax: 1, connectionsForOneMax: 1 }),
      cached: { forReader: () => ({ sources: { enhet: absent, underenhet: absent, sok: absent } }) },
      isErased: () => false,
      clock: systemClock,
      log: { warn: () => {} },
      deadlineMs: 15_000,
      policy: { limitMs: 15_000, candidatesMax: 10 },
    })
    const question = { q: '923609016', filters: noFilters, size: 10, after: null }
    const answers = Promise.all(['a', 'b', 'c'].map((caller) => search.sok(question, caller)))
    await eventually('the first is in the index', () => asked > 0)
    found.reject(new StorageUnavailableError(null))
    for (const answer of await answers) expect(answer).toMatchObject({ answer: { grunnlag: 'register' } })
    expect(asked).toBe(1)
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

  it('P54: attack: who waits for others is told so as well, and it is not taken for their own', async () => {
    const { ask } = lineOf({ waitMs: 1 })
    const others = ['a', 'b', 'c'].map(ask)
    await expect(ask('d')).rejects.toMatchObject({ isOwn: false })
    expect(others).toHaveLength(3)
  })

  it('P61: attack: without an index those of one who asks for many wait for a turn at the register; another’s are begun at once', async () => {
    const { ask, begun, end } = lineOf({}, 'atRegister')
    const many = Array.from({ length: 5 }, () => ask('many'))
    const others = ['a', 'b', 'c', 'd'].map(ask)
    await eventually('the others’ are begun', () => begun.length === 7)
    expect(begun).toEqual(['many', 'many', 'many', 'a', 'b', 'c', 'd'])
    end()
    await eventually('they have come to their turns', () => begun.length === 9)
    end()
    expect(await Promise.all([...many, ...others])).toHaveLength(9)
  })

  it('P61: attack: without an index no more are at the register than it is asked at once, however many ask', async () => {
    const { ask, begun, end } = lineOf({}, 'atRegister')
    const callers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    const asked = callers.map(ask)
    expect(begun).toEqual(callers.slice(0, bounds.atRegisterMax))
    end()
    await eventually('the others are', () => begun.length === callers.length)
    end()
    expect(await Promise.all(asked)).toEqual(callers)
  })
})
