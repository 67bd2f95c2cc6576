import { policy } from '#config/policy.ts'
import { createOwnTestKeys } from '#src/access/own-test-keys.ts'
import type { ValidKey } from '#src/access/verify.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { createLru } from '#src/core/lru.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { Queryable } from '#src/storage/database.ts'
import { endedTestKeysSince, forgetEndedTestKeys, insertEndedTestKey } from '#src/storage/ended-test-keys.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import type { OpenedThings } from './opened.ts'

/**
 * Test keys of people's own, as soon as the installation's secret has been read, and with it which of them were ended. That is
 * looked for again as often as a key's row is, and at once when PostgreSQL tells of one (`lookAgain`).
 */
export async function openTestKeys({
  storage,
  clock,
  log,
  opened,
}: {
  storage: Storage
  clock: Clock
  log: Log
  opened: OpenedThings
}) {
  let secret: Uint8Array | null = null
  const ended = createEndedTestKeys(storage.database, policy.sales.testKeys)
  const looking = opened.keep(
    'test keys',
    createRepeat(
      {
        everyMs: policy.keys.recheckAfterMs,
        retryMs: policy.industryCodes.lookWhileNoneMs,
        onFault: (error) => log.warn({ err: error }, 'the secret of test keys could not be read'),
      },
      async () => {
        await forgetEndedTestKeys(storage.database, clock.now())
        await ended.look()
        secret ??= await personSecret(storage.database)
      },
    ),
  )
  await looking.start()
  const { validDays } = policy.sales.testKeys
  return {
    ...createOwnTestKeys({ secret: () => secret, clock, validDays }),
    isEnded: ended.has,
    /** Over for ever: here at once, everywhere within seconds. */
    async end(key: Pick<ValidKey, 'id' | 'utloper'>): Promise<void> {
      await insertEndedTestKey(storage.database, key, clock.now())
      ended.add(key.id)
    },
    lookAgain: looking.again,
  }
}

/**
 * Which test keys were ended, in memory: a hundred thousand of them are read once, a page at a time, and after that only what has come
 * since. As many are held as can have been mailed and not have expired.
 */
export function createEndedTestKeys(
  database: Queryable,
  { validDays, perDayMax, endedAtOnce }: { validDays: number; perDayMax: number; endedAtOnce: number },
) {
  const ended = createLru<string, true>(validDays * perDayMax)
  let seen = 0

  return {
    has: (id: string): boolean => ended.has(id),
    add: (id: string): void => void ended.set(id, true),
    async look(): Promise<void> {
      // Those that were under way the last time may have become visible since.
      for (let after = Math.max(0, seen - endedAtOnce); ; ) {
        const page = await endedTestKeysSince(database, after, endedAtOnce)
        for (const { id } of page) ended.set(id, true)
        after = page.at(-1)?.nr ?? after
        seen = Math.max(seen, after)
        if (page.length < endedAtOnce) return
      }
    },
  }
}
