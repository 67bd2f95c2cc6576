import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'

/** What there is to do for the index of names. */
export type SearchIndexWork = {
  /** The register has made new files, or a build was begun and not ended. */
  isBuildDue: (signal: AbortSignal) => Promise<boolean>
  /** Builds it when it is due. One process builds at a time. */
  build: (signal: AbortSignal) => Promise<unknown>
  /** Remembers units that changed; returns when it is durable. */
  noteChanges: (changes: readonly { orgnr: number; isSubUnit: boolean }[]) => Promise<void>
  /** Reads those that wait, and puts them in the index. */
  applyChanges: (signal: AbortSignal) => Promise<unknown>
}

/** Has the index of names built when it is due, and keeps it as the feeds say, until closed. */
export function keepSearchIndex(
  { isBuildDue, applyChanges }: SearchIndexWork,
  {
    enqueueBuild,
    log,
    policy,
  }: {
    enqueueBuild: () => Promise<unknown>
    log: Log
    policy: { lookEveryMs: number; retryMs: number; retryMsMax: number; changesEveryMs: number }
  },
): { close(): Promise<void> } {
  const looking = repeat(
    'looking whether the search index is to be built',
    { afterMs: policy.lookEveryMs, retryMs: policy.retryMs, retryMsMax: policy.retryMsMax, log },
    async (signal) => {
      if (await isBuildDue(signal)) await enqueueBuild()
    },
  )
  const applying = repeat(
    'changes of the search index',
    { afterMs: policy.changesEveryMs, retryMs: policy.changesEveryMs, log },
    applyChanges,
  )
  return {
    async close() {
      await Promise.all([looking.close(), applying.close()])
    },
  }
}
