import { listenWithKey } from './fastify-with-key.ts'
import { record } from './given.ts'

/** No cache: one constant buffer behind the key check. */
await listenWithKey(async () => record)
