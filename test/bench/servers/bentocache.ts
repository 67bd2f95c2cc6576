import { BentoCache, bentostore } from 'bentocache'
import { memoryDriver } from 'bentocache/drivers/memory'
import { listenWithKey } from './fastify-with-key.ts'
import { fetchRecord } from './given.ts'

const cache = new BentoCache({
  default: 'memory',
  stores: { memory: bentostore().useL1Layer(memoryDriver({ maxSize: '256mb' })) },
})
await listenWithKey((orgnr) => cache.getOrSet({ key: orgnr, factory: fetchRecord, ttl: '1h' }))
