import { policy } from '#config/policy.ts'
import { createOwnTestKeys } from '#src/access/own-test-keys.ts'
import type { ValidKey } from '#src/access/verify.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { insertEndedTestKey, readEndedTestKeys } from '#src/storage/ended-test-keys.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import type { OpenedThings } from './opened.ts'

/**
 * Test keys of people's own, as soon as the installation's secret has been read, and with it which of them were ended. That is
 * read again as often as a key's row is, and at once when PostgreSQL tells of one (`lookAgain`).
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
  let ended: ReadonlySet<string> = new Set()
  const looking = opened.keep(
    'test keys',
    createRepeat(
      {
        everyMs: policy.keys.recheckAfterMs,
        retryMs: policy.industryCodes.lookWhileNoneMs,
        onFault: (error) => log.warn({ err: error }, 'the secret of test keys could not be read'),
      },
      async () => {
        ended = await readEndedTestKeys(storage.database, clock.now())
        secret ??= await personSecret(storage.database)
      },
    ),
  )
  await looking.start()
  const { validDays } = policy.sales.testKeys
  return {
    ...createOwnTestKeys({ secret: () => secret, clock, validDays }),
    isEnded: (id: string): boolean => ended.has(id),
    /** Over for ever: here at once, everywhere within seconds. */
    async end(key: Pick<ValidKey, 'id' | 'utloper'>): Promise<void> {
      await insertEndedTestKey(storage.database, key, clock.now())
      ended = new Set([...ended, key.id])
    },
    lookAgain: looking.again,
  }
}
