import { it } from 'vitest'
import { checkCacheAgainstModel } from '../cache/against-model.ts'

it('P50: a thousand stories of a company in two processes, none with a copy the model does not allow', async () => {
  await checkCacheAgainstModel(1000)
})
