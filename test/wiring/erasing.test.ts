import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createGoingThrough, forgetNaming } from '#src/wiring/erasing.ts'

/** A cache that is gone through when it is let. */
function slowCache() {
  const goings: { prefix?: string; end: PromiseWithResolvers<void> }[] = []
  return {
    goings,
    async purgeAll({ prefix }: { prefix?: string }) {
      const end = Promise.withResolvers<void>()
      goings.push({ ...(prefix !== undefined && { prefix }), end })
      await end.promise
    },
    /** All that is waited for, until nothing is. */
    async letGo() {
      for (let done = 0; done < goings.length; done++) {
        goings[done]?.end.resolve()
        for (let turns = 0; turns < 5; turns++) await nextTurn()
      }
    },
  }
}

describe('P11: attack: many are erased at once from a cache that takes long to be gone through', () => {
  test('it is gone through once for all who come while it is, from its beginning', async () => {
    const cache = slowCache()
    const forget = createGoingThrough(() => forgetNaming(cache))
    const first = forget()
    await nextTurn()
    const others = Array.from({ length: 50 }, () => forget())
    await nextTurn()
    expect(cache.goings).toHaveLength(1)
    await cache.letGo()
    await Promise.all([first, ...others])
    expect(cache.goings.map(({ prefix = '' }) => prefix)).toEqual(['sok-', '', 'sok-', ''])
  })

  test('where it can not be, each of them is told, and the next begins anew', async () => {
    const cache = slowCache()
    const forget = createGoingThrough(() => forgetNaming(cache))
    const some = Promise.allSettled([forget(), forget()])
    await nextTurn()
    for (const { end } of cache.goings.splice(0)) end.reject(new Error('away'))
    expect((await some).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const later = forget()
    await nextTurn()
    await cache.letGo()
    await later
    expect(cache.goings).toHaveLength(2)
  })
})
