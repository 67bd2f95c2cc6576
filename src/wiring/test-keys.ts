import { policy } from '#config/policy.ts'
import { createOwnTestKeys } from '#src/access/own-test-keys.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import type { Opened } from './opened.ts'

/** Test keys of people's own, as soon as the installation's secret has been read. */
export async function openTestKeys({
  storage,
  clock,
  log,
  opened,
}: {
  storage: Storage
  clock: Clock
  log: Log
  opened: Opened
}) {
  let secret: Uint8Array | null = null
  const looking = opened.keep(
    'the secret of test keys',
    createRepeat(
      {
        everyMs: policy.industryCodes.lookWhileNoneMs,
        onFault: (error) => log.warn({ err: error }, 'the secret of test keys could not be read'),
      },
      async () => {
        secret ??= await personSecret(storage.database)
      },
    ),
  )
  await looking.start()
  return createOwnTestKeys({ secret: () => secret, clock, validDays: policy.sales.testKeys.validDays })
}
