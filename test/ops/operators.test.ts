import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { createOperators, makeOperator } from '#src/ops/operators.ts'
import { type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { revokeOperator } from '#src/storage/operators.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const clock = systemClock
const STRANGER = '198.51.100.7'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

describe('P45: a stranger who reaches the port', () => {
  it('with two thousand tokens and cookies costs a query or two, and the operator is let in among them', async () => {
    const { operators, counted } = opened()
    const { token, operator } = await made('Kari')
    const flood = Array.from({ length: 1000 }, (_, place) => [
      operators.byToken(`bodrift_${String(place).padStart(43, 'x')}`, STRANGER),
      operators.bySession(String(place).padStart(43, 'y')),
    ]).flat()
    expect(await operators.byToken(token, STRANGER)).toEqual(operator)
    expect(await operators.byToken(token, STRANGER)).toEqual(operator)
    const outcomes = await Promise.all(flood)
    expect(outcomes.filter((outcome) => outcome === 'ukjent_operator')).toHaveLength(
      policy.ops.wrongTokensMax,
    )
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1000)
    // One look for all, and one for each time somebody is let in.
    expect(counted()).toBe(3)
  })

  it('from another network is counted apart', async () => {
    const { operators } = opened()
    const tries = (ip: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => operators.byToken('bodrift_x', ip)))
    expect((await tries(STRANGER, 20)).at(-1)).toBe('for_mange_forsok')
    expect(await tries('203.0.113.9', 1)).toEqual(['ukjent_operator'])
  })
})

it('a token and a session are good from the moment they are made until the moment they are not', async () => {
  const { operators } = opened()
  for (const navn of ['Ola', 'Per']) {
    const { token, operator } = await made(navn)
    expect(await operators.byToken(token, STRANGER)).toEqual(operator)
    const begun = await operators.begin(token, STRANGER)
    const value = typeof begun === 'string' ? '' : begun.value
    expect(await operators.bySession(value)).toEqual(operator)
    await revokeOperator(storage.database, navn, clock.now())
    expect(await operators.bySession(value)).toBeNull()
    expect(await operators.byToken(token, STRANGER)).toBe('ukjent_operator')
  }
})

it('a database that is away is told, and found again when it is back', async () => {
  let isAway = true
  const { operators } = opened({
    query: (text, values) =>
      isAway ? Promise.reject(new StorageUnavailableError(null)) : storage.database.query(text, values),
  })
  const { token, operator } = await made('Berit')
  await expect(operators.byToken(token, STRANGER)).rejects.toBeInstanceOf(StorageUnavailableError)
  isAway = false
  expect(await operators.byToken(token, STRANGER)).toEqual(operator)
})

function opened(db: Queryable = storage.database) {
  let queries = 0
  const operators = createOperators({
    db: {
      query(text, values) {
        queries += 1
        return db.query(text, values)
      },
    },
    clock,
    policy: policy.ops,
  })
  return { operators, counted: () => queries }
}

const made = (navn: string) => makeOperator({ db: storage.database, clock }, { navn, rolle: 'lese' })
