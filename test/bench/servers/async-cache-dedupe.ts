import { createCache } from 'async-cache-dedupe'
import { listenWithKey } from './fastify-with-key.ts'
import { fetchRecord } from './given.ts'

const cache = createCache({ ttl: 3600, storage: { type: 'memory' } }).define('company', (_orgnr: string) =>
  fetchRecord(),
)
await listenWithKey((orgnr) => cache.company(orgnr))
