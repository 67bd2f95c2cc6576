import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { createWaiting } from '#src/changes/waiting.ts'
import { createWatches } from '#src/changes/watches.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Front } from '#src/front/app.ts'
import { logEnds } from '#src/storage/changes/change-log.ts'
import { ownersWithChanges } from '#src/storage/changes/read-watched.ts'
import { followNotifications } from '#src/storage/notifications.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import type { Opened } from './opened.ts'

/** The change log and the lists of who watches, for whoever has a key; with the one line on which this process is told of changes. */
export function openChanges({
  storage: { database, url },
  clock,
  log,
  opened,
}: {
  storage: Storage
  clock: Clock
  log: Log
  opened: Opened
}): Front['changes'] {
  const { changeLog } = policy
  const waiting = opened.keep(
    'readers who wait for changes',
    createWaiting({
      newest: async () => (await logEnds(database)).newest,
      concerned: (after, owners) => ownersWithChanges(database, after, owners),
      onFault: (error) => log.warn({ err: error }, 'it could not be looked for changes'),
      policy: {
        lookEveryMs: changeLog.lookEveryMs,
        ofOneMax: changeLog.waitingOfOneMax,
        inAllMax: changeLog.waitingInAllMax,
      },
    }),
  )
  opened.keep(
    'changes told',
    followNotifications({
      url,
      channel: 'endring_skrevet',
      onTold: waiting.ring,
      onListening: waiting.ring,
      retryMs: changeLog.retryMs,
      heartbeatMs: changeLog.heartbeatMs,
    }),
  )
  const watches = createWatches({
    db: database,
    clock,
    policy: { most: policy.watches.most, ownersHeldMax: changeLog.ownersHeldMax },
  })
  return {
    log: createChangeLog({ db: database, waiting }),
    watches,
    giveUp: waiting.giveUp,
    watcherOf: ({ id }) => watches.ownerOf(id),
  }
}
