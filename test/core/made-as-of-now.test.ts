import { expect, it } from 'vitest'
import { madeAsOfNow } from '#src/core/made-as-of-now.ts'

const ASKED = '974760673'
const NAMED = '923609016'

/** It names two companies, and whenever it is made these are removed. */
function making(removedAs: (times: number) => string[]) {
  const removed = new Set<string>()
  let times = 0
  const word = (named?: ReadonlySet<string>) => String((named?.intersection(removed) ?? removed).size)
  const made = madeAsOfNow(word, async (named) => {
    times += 1
    const told = [ASKED, NAMED].filter((each) => !removed.has(each))
    for (const each of told) named.add(each)
    for (const each of removedAs(times)) removed.add(each)
    return told
  })
  return made.then((told) => ({ told, times }))
}

it('P11: attack: where others are removed whenever it is made, it is told all the same', async () => {
  expect(await making((times) => [String(times)])).toEqual({ told: [ASKED, NAMED], times: 1 })
})

it('P11: attack: who is named and removed meanwhile is not told of, though others are removed whenever it is made', async () => {
  const removedAs = (times: number) => (times === 1 ? [NAMED, 'another'] : [String(times)])
  expect(await making(removedAs)).toEqual({ told: [ASKED], times: 2 })
})

it('P11: attack: where one that it names is removed each time, nothing is told, and it is not made without end', async () => {
  const removed = new Set<string>()
  let times = 0
  const word = (named?: ReadonlySet<string>) => String((named?.intersection(removed) ?? removed).size)
  const made = await madeAsOfNow(word, async (named) => {
    times += 1
    named.add(String(times))
    removed.add(String(times))
  })
  expect([made, times]).toEqual([null, 3])
})
