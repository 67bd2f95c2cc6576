import type { Cache } from '#src/cache/cache.ts'
import { askedTogether } from '#src/core/asked-together.ts'
import { keptOf, keptSources } from '#src/sources/index.ts'

/**
 * What searches found goes by its name. Roles are left: every record has them, and with the register away at that moment all would be
 * without. They are shown without the name from the burial on, and kept without it when they are fetched the next time.
 */
const LEFT = ['sok', 'roller']
const naming = keptSources.filter((source) => !LEFT.includes(source) && keptOf(source).withoutErased !== null)

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

/**
 * Goes through the cache for whoever is erased, and at once for all who are meanwhile: with the whole country in Redis it takes a minute
 * or more, and many that went through it beside one another would each take as long as all.
 */
export function createGoingThrough(goThrough: () => Promise<void>): () => Promise<void> {
  const together = askedTogether(() => goThrough().then(() => new Map<string, never>()), {
    atOnce: 1,
    namesMax: 1,
  })
  return async () => {
    await together('all of it')
  }
}
