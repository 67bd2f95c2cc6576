import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openFloodedShop } from '../sales/flooded-shop.ts'

const UNPAID = 2000
const ROUNDS = 3

test('P29, P35: with 2,000 unpaid orders waiting, no message of Vipps coming and 200 ms for each of its answers, keys come within 60 s, and those in place of leaked ones', async () => {
  const flooded = await openFloodedShop({ unpaid: UNPAID })
  try {
    const seconds: number[] = []
    const replaced: [number, number][] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const epost = `kjoper-${round}@example.no`
      seconds.push(await flooded.buy(epost, { approvedAfter: () => pause(5000 * round) }))
      // P35: a key that leaked is over at once, and the one in its place comes as soon.
      replaced.push(await flooded.replaceLeaked(epost))
    }
    process.stdout.write(`seconds from approval to key: ${seconds.join(', ')}\n`)
    process.stdout.write(
      `seconds to the link in place of a leaked key, and to the key: ${replaced.join('; ')}\n`,
    )
    expect(Math.max(...seconds, ...replaced.flat())).toBeLessThan(60)
  } finally {
    await flooded.close()
  }
}, 600_000)
