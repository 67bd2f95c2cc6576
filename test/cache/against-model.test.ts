import { it } from 'vitest'
import { checkCacheAgainstModel } from './against-model.ts'

it('P50, P129: whatever is read, told, erased, killed, cut off and aged in any order, the cache shows nothing the model does not', async () => {
  // The same each time; others are tried each night (heavy).
  await checkCacheAgainstModel(15, 1305329640)
})
