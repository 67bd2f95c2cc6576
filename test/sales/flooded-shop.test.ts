import { test } from 'vitest'
import { openFloodedShop } from './flooded-shop.ts'

test('P29, P35: in a shop flooded with unpaid orders a key is bought, and when it leaks is over at once and replaced', async () => {
  const flooded = await openFloodedShop({ unpaid: 500 })
  try {
    const epost = 'kjoper@example.no'
    await flooded.buy(epost)
    await flooded.replaceLeaked(epost)
  } finally {
    await flooded.close()
  }
}, 300_000)
