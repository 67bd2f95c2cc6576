import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Front } from '#src/front/app.ts'
import { createEndpoints } from '#src/push/endpoints.ts'
import { createSendApart } from '#src/push/send-apart.ts'
import { createPushWork, type PushWork } from '#src/push/work.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import { holdKey } from '#src/storage/key-chain.ts'
import { followNotifications } from '#src/storage/notifications.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'

/** What holders of keys do with their endpoints. */
export function openEndpoints({
  environment,
  storage: { database },
  queue,
  changes,
  isErased,
}: {
  environment: Environment
  storage: Storage
  queue: JobQueue
  changes: Pick<Front['changes'], 'watcherOf'>
  isErased: (orgnr: string) => boolean
}): Front['push'] {
  return {
    endpoints: createEndpoints({
      db: database,
      isErased,
      installationSecret: installationSecretOf(database),
      named: environment.webhookHosts,
      // The look that finds it anyway comes within a second.
      ring: (endepunkt) => void queue.enqueue('send-to-endpoint', [{ endepunkt }]).catch(() => {}),
      policy: policy.push,
    }),
    async ownerOf(key) {
      const { eier, prove } = await changes.watcherOf(key)
      if (eier === null) throw new Error('everybody’s key has no endpoints')
      // Whoever has not heard yet that a key has ended shows, sends and deletes nothing with it either.
      await holdKey(database, key.id)
      return { eier, prove, slutter: null, nokkel: key.id }
    },
  }
}

/** What sends changes to customers' addresses. */
export function openPushWork({
  environment,
  storage: { database, url },
  isErased,
  publicUrl,
  clock,
  mayRemove,
  log,
}: {
  environment: Environment
  storage: Storage
  isErased: (orgnr: string) => boolean
  publicUrl: () => string
  clock: Clock
  mayRemove: () => Promise<boolean>
  log: Log
}): PushWork {
  const { push } = policy
  return createPushWork({
    db: database,
    isErased,
    send: createSendApart({
      named: environment.webhookHosts,
      policy: push,
      userAgent: 'Bedriftsoppslag-Webhooks/1',
    }),
    installationSecret: installationSecretOf(database),
    publicUrl,
    follow: (onTold) =>
      followNotifications({
        url,
        told: { endring_skrevet: onTold },
        onListening: () => onTold(),
        retryMs: push.retryMs,
        heartbeatMs: push.heartbeatMs,
      }),
    clock,
    mayRemove,
    log,
    policy: push,
  })
}

/** Read once: it never changes. */
function installationSecretOf(database: Storage['database']): () => Promise<Uint8Array> {
  let secret: Uint8Array | null = null
  return async () => {
    secret ??= await personSecret(database)
    return secret
  }
}
