import type { Cache } from '#src/cache/cache.ts'
import { keptOf, keptSources } from '#src/sources/index.ts'

const naming = keptSources.filter((source) => source !== 'sok' && keptOf(source).withoutErased !== null)

/**
 * Forgets what is kept of other companies and may name one that was erased: what searches found, and what tells of companies
 * elsewhere.
 *
 * @throws CacheUnavailableError
 */
export async function forgetNaming(cache: Pick<Cache, 'purgeAll'>): Promise<void> {
  await cache.purgeAll({ hard: true, prefix: 'sok-' })
  await cache.purgeAll({ hard: true, sections: naming })
}
