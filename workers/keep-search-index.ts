import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'

/** What there is to do for the index of names. */
export type SearchIndexWork = {
  /** The register has made new files, or a build was begun and not ended. */
  isBuildDue: (signal: AbortSignal) => Promise<boolean>
  /** A build was begun, and nobody goes on with it. */
  isBuildLeft: () => Promise<boolean>
  /** Builds it when it is due. One process builds at a time. */
  build: (signal: AbortSignal) => Promise<unknown>
  /** Remembers units that changed; returns when it is durable. */
  noteChanges: (changes: readonly { orgnr: number; isSubUnit: boolean }[]) => Promise<void>
  /** Reads those that wait, and puts them in the index. */
  applyChanges: (signal: AbortSignal) => Promise<unknown>
}

/** Has the index of names built when it is due, and keeps it as the feeds say, until closed. */
export function keepSearchIndex(
  { isBuildDue, isBuildLeft, applyChanges }: SearchIndexWork,
  {
    enqueueBuild,
    log,
    policy,
  }: {
    enqueueBuild: () => Promise<unknown>
    log: Log
    policy: {
      lookEveryMs: number
      retryMs: number
      retryMsMax: number
      leftAfterMs: number
      changesEveryMs: number
    }
  },
): { close(): Promise<void> } {
  const looking = repeat(
    'looking whether the search index is to be built',
    { afterMs: policy.lookEveryMs, retryMs: policy.retryMs, retryMsMax: policy.retryMsMax, log },
    async (signal) => {
      if (await isBuildDue(signal)) await enqueueBuild()
    },
  )
  // The queue tries a build that failed again, unless it has lost it meanwhile, as a Redis that is started anew has.
  const goingOn = repeat(
    'looking whether a build of the search index was left',
    { afterMs: policy.leftAfterMs, retryMs: policy.leftAfterMs, log },
    async () => {
      if (await isBuildLeft()) await enqueueBuild()
    },
  )
  const applying = repeat(
    'changes of the search index',
    { afterMs: policy.changesEveryMs, retryMs: policy.changesEveryMs, log },
    applyChanges,
  )
  return {
    async close() {
      await Promise.all([looking.close(), goingOn.close(), applying.close()])
    },
  }
}
