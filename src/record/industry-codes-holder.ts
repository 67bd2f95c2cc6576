import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'
import { industryCodes } from './industry-codes.ts'
import type { IndustryCodes } from './sections/naering.ts'

/**
 * Keeps the look-up of industry codes in memory, so that a record never waits for it. Whoever stores a newer table does so
 * in PostgreSQL; this looks there now and then, often while it has none. Out of reach, it goes on with what it has.
 */
export function createIndustryCodesHolder(options: {
  read: () => Promise<StoredIndustryCodes | null>
  clock: Clock
  log: Log
  policy: { refreshAfterDays: number; lookEveryMs: number; lookWhileNoneMs: number }
}) {
  const { clock, policy } = options
  let stored: StoredIndustryCodes | null = null
  let built: NonNullable<IndustryCodes> | null = null
  const looking = createRepeat(
    {
      everyMs: () => (stored === null ? policy.lookWhileNoneMs : policy.lookEveryMs),
      onFault: (error) => options.log.warn({ err: error }, 'industry codes could not be read from storage'),
    },
    async () => {
      const read = await options.read()
      if (read !== null && read.loadedAt.getTime() !== stored?.loadedAt.getTime()) {
        stored = read
        built = null
      }
    },
  )

  function current(): IndustryCodes {
    if (stored === null) return null
    const isFresh = clock.now().getTime() - stored.loadedAt.getTime() < 2 * policy.refreshAfterDays * DAY_MS
    if (built === null || built.isFresh !== isFresh) built = industryCodes(stored, isFresh)
    return built
  }

  return { current, reload: looking.again, start: looking.start, close: looking.close }
}
