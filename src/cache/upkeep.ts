import type { Bus } from './bus.ts'
import type { CacheChange } from './change.ts'
import { assertCompany, assertPrefix, type Sections, type Subject } from './key.ts'
import type { MemoryTier } from './memory-tier.ts'
import type { RedisTier } from './redis-tier.ts'
import type { Tombstones } from './tombstones.ts'

/**
 * Makes what is held stale or forgets it: in this process at once, in Redis, and by Redis' telling in every process that
 * listens. Fills under way at that moment bring nothing that is kept.
 *
 * Every one of these may be done again, and must be when it throws CacheUnavailableError: Redis has not confirmed it.
 *
 * @param letGo nobody joins what is under way for these companies any more
 */
export function createUpkeep({
  memory,
  redis,
  bus,
  tombstones,
  now,
  onChange,
  letGo,
}: {
  memory: MemoryTier
  redis: RedisTier | null
  bus: Bus | null
  tombstones: Tombstones
  now: () => number
  onChange: (subject: Subject) => void
  letGo: (subject: Subject) => void
}) {
  bus?.onChange((change) => {
    // This process knew first.
    if (change.origin !== redis?.origin) hear(change)
  })

  function hear({ how, company, sections }: CacheChange): void {
    if (company.endsWith('*')) {
      if (how === 'soften' || how === 'purge') changeManyHere(how, company.slice(0, -1), sections)
      return
    }
    switch (how) {
      case 'store':
        // There is a newer copy in Redis, where the next reader finds it. A fill of ours goes on: its write is checked.
        memory.forget(company, sections)
        onChange({ company })
        break
      case 'erase':
        tombstones.learned(company)
        eraseHere(company)
        break
      default:
        changeHere(how, company, sections)
    }
  }

  function changeHere(how: 'soften' | 'purge', company: string, sections: Sections): boolean {
    letGo({ company })
    const wasHeld =
      how === 'soften' ? memory.soften(company, sections, now()) : memory.purge(company, sections)
    onChange({ company })
    return wasHeld
  }

  function changeManyHere(how: 'soften' | 'purge', prefix: string, sections: Sections): void {
    letGo({ prefix })
    memory.sweep(prefix, sections, how, now())
    onChange({ prefix })
  }

  function eraseHere(company: string): void {
    letGo({ company })
    memory.erase(company)
    onChange({ company })
  }

  return {
    /**
     * Makes sections stale now (soft), or forgets them (hard).
     *
     * @returns whether anything of the company was held, here or in Redis
     * @throws CacheUnavailableError
     */
    async purge(
      company: string,
      { hard, sections = 'all' }: { hard: boolean; sections?: Sections },
    ): Promise<boolean> {
      assertCompany(company)
      const wasHeldHere = changeHere(hard ? 'purge' : 'soften', company, sections)
      if (redis === null) return wasHeldHere
      const wasHeld = hard
        ? await redis.purge(company, sections)
        : await redis.soften(company, sections, now())
      return wasHeldHere || wasHeld
    },

    /** A register has said that it changed: stale now, so the next reader has the old copy and a refresh behind it. */
    async invalidate(company: string, sections: Sections = 'all'): Promise<boolean> {
      return this.purge(company, { hard: false, sections })
    },

    /**
     * The same for every company, or those whose name begins with `prefix` ("sok-": the searches).
     *
     * @throws CacheUnavailableError
     */
    async purgeAll({
      hard,
      sections = 'all',
      prefix = '',
    }: {
      hard: boolean
      sections?: Sections
      prefix?: string
    }): Promise<void> {
      assertPrefix(prefix)
      const how = hard ? 'purge' : 'soften'
      changeManyHere(how, prefix, sections)
      if (redis === null) return
      await redis.sweep(prefix, sections, how, now())
      // What was read of Redis meanwhile may be what was not yet reached: the others are told of it once more, too.
      changeManyHere(how, prefix, sections)
    },

    /**
     * Forgets a company for good, on legal grounds (P11). The caller has recorded the tombstone first: from then on nothing
     * of the company is served or stored in this process, whether or not this succeeds. Searches that may name it are
     * forgotten with `purgeAll({ hard: true, prefix: 'sok-' })`.
     *
     * @throws CacheUnavailableError until it does not, Redis and other processes may still hold the company: do it again
     */
    async erase(company: string): Promise<void> {
      assertCompany(company)
      eraseHere(company)
      await redis?.erase(company)
    },
  }
}
