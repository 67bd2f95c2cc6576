import { policy } from '#config/policy.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { type ChangeMails, createChangeMails } from '#src/changes/mails/mail-changes.ts'
import { createStopLinks, type StopLinks } from '#src/changes/mails/stop-links.ts'
import { createWaiting } from '#src/changes/waiting.ts'
import { createWatches } from '#src/changes/watches.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Front } from '#src/front/app.ts'
import { logEnds } from '#src/storage/changes/change-log.ts'
import { stopMails } from '#src/storage/changes/change-mails.ts'
import { ownersWithChanges } from '#src/storage/changes/read-watched.ts'
import { followNotifications } from '#src/storage/notifications.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { companiesOf } from '#src/storage/search/candidates.ts'
import type { OpenedThings } from './opened.ts'
import type { openPost } from './post.ts'

/** The change log and the lists of who watches, for whoever has a key; with the one line on which this process is told of changes. */
export function openChanges({
  storage,
  isErased,
  clock,
  log,
  opened,
}: {
  storage: Storage
  isErased: (orgnr: string) => boolean
  clock: Clock
  log: Log
  opened: OpenedThings
}): Front['changes'] {
  const { database, url } = storage
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
        ofTestsMax: changeLog.waitingOfTestsMax,
        inAllMax: changeLog.waitingInAllMax,
      },
    }),
  )
  opened.keep(
    'changes told',
    followNotifications({
      url,
      told: { endring_skrevet: waiting.ring },
      onListening: waiting.ring,
      retryMs: changeLog.retryMs,
      heartbeatMs: changeLog.heartbeatMs,
    }),
  )
  const watches = createWatches({
    db: database,
    isErased,
    clock,
    policy: {
      ...policy.lookWork,
      ...policy.watches,
      ownersHeldMax: changeLog.ownersHeldMax,
      unwatchedKeptMs: policy.looks.unwatchedKeptMs,
    },
  })
  const stopLinks = stopLinksOf(storage)
  return {
    log: createChangeLog({ db: database, waiting, isErased, policy: changeLog }),
    watches,
    giveUp: waiting.giveUp,
    watcherOf: ({ id }) => watches.ownerOf(id),
    async namesOf(orgnrs) {
      const companies = await companiesOf(database, orgnrs.map(Number))
      return new Map(
        orgnrs.flatMap((orgnr) => {
          const name = companies.get(Number(orgnr))?.name
          return name && !isErased(orgnr) ? [[orgnr, name] as const] : []
        }),
      )
    },
    stopping: {
      isLink: async (token) => (await stopLinks.read(token)) !== null,
      async stop(token) {
        const eier = await stopLinks.read(token)
        if (eier !== null) await stopMails(database, eier)
        return eier !== null
      },
    },
  }
}

/** The mails of changes, as they are written and sent behind the front. */
export function changeMailsOf({
  storage,
  isErased,
  mail: { post, domain },
  publicUrl,
  clock,
  log,
}: {
  storage: Storage
  isErased: (orgnr: string) => boolean
  mail: ReturnType<typeof openPost>
  publicUrl: () => string
  clock: Clock
  log: Log
}): ChangeMails {
  const { leaseMs, mailDeadlineMs, mailFinishMs, mailRetryMs } = policy.sales
  const { keptAfterEndMs, testKeptMs } = policy.watches
  return createChangeMails({
    db: storage.database,
    isErased,
    post,
    mailDomain: domain,
    links: {
      list: () => `${publicUrl()}/overvaking`,
      stop: (token) => `${publicUrl()}/varsling/avslutt/${token}`,
    },
    stopLinks: stopLinksOf(storage),
    clock,
    log,
    policy: {
      ...policy.changeMails,
      leaseMs,
      mailDeadlineMs,
      mailFinishMs,
      mailRetryMs,
      keptAfterEndMs,
      testKeptMs,
    },
  })
}

/** The secret is read by the first who needs it, and is the same for good. */
function stopLinksOf({ database }: Storage): StopLinks {
  let secret: Promise<Uint8Array> | null = null
  return createStopLinks({
    secret() {
      secret ??= personSecret(database).catch((error) => {
        secret = null
        throw error
      })
      return secret
    },
  })
}
