import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { applyTuning, type Tunable, type Tuned, tunablesOf } from '#src/ops/tunables.ts'
import { readTuningState, type TuningState } from '#src/ops/tuning.ts'
import { createTuningFollower } from '#src/ops/tuning-follower.ts'
import { followNotifications } from '#src/storage/notifications.ts'
import type { Storage } from '#src/storage/open-storage.ts'

export type OpenTuning = Awaited<ReturnType<typeof openTuning>>

/** The lifetimes and budgets that hold in this process, now and after each change. */
export async function openTuning({
  environment,
  storage,
  log,
}: {
  environment: Environment
  storage: Pick<Storage, 'database' | 'url'>
  log: Log
}) {
  const tunables: readonly Tunable[] = tunablesOf(environment)
  const listeners = new Set<(tuned: Tuned) => void>()
  let tuned: Tuned = applyTuning({}, environment)
  const follower = createTuningFollower({
    read: () => readTuningState(storage.database, tunables),
    listen: (onTold) =>
      followNotifications({
        url: storage.url,
        told: { stilling_endret: onTold },
        onListening: onTold,
        retryMs: policy.keys.changesRetryMs,
        heartbeatMs: policy.keys.changesHeartbeatMs,
      }),
    onChange({ current }) {
      tuned = applyTuning(current.verdier, environment)
      for (const listener of listeners) listener(tuned)
      log.info({ versjon: current.versjon, hvem: current.hvem }, 'other lifetimes hold from now on')
    },
    log,
    policy: policy.ops.tuning,
  })
  await follower.start()
  return {
    tunables,
    current: (): Tuned => tuned,
    state: (): TuningState | null => follower.state(),
    onChange: (listener: (tuned: Tuned) => void): void => {
      listeners.add(listener)
    },
    close: follower.close,
  }
}
